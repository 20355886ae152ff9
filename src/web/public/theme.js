// Sets the theme before the first paint; a file of its own because inline scripts are not allowed.
try {
  const theme = JSON.parse(localStorage.getItem('rivulet.prefs') || '{}').theme;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}

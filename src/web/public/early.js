// What does not wait for the scripts: the theme of the first paint, and the answers that the first page is made of.
// A file of its own, because inline scripts are not allowed; `state/early.ts` takes the answers.
(() => {
  const read = (key) => {
    try {
      return JSON.parse(localStorage.getItem(key) || 'null') || {};
    } catch {
      return {};
    }
  };
  const { theme } = read('rivulet.prefs');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  const session = read('rivulet.session');
  const isFresh = session.expiresAt - Date.now() > 60_000;
  const token = session.kind === 'key' ? session.key : isFresh ? session.accessToken : null;
  if (!token || location.hash.startsWith('#/signin')) return;
  const answers = new Map();
  const ask = (path) => {
    const answer = fetch(path, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } });
    answer.catch(() => answers.delete(path));
    answers.set(path, answer);
  };
  ask('/api/system/info');
  ask('/api/auth/me');
  if (['', '#/', '#/runs'].includes(location.hash))
    ask('/api/agent/runs?page=1&pageSize=50&sort=-createdAtUtc&rootsOnly=true');
  globalThis.rivuletEarly = { token, answers };
})();

// Starts the dashboard.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/panels.css';
import './styles/floating.css';
import './styles/text.css';
import './styles/shell.css';
import './styles/river.css';
import './styles/run.css';
import './styles/timeline.css';
import './styles/run-views.css';
import './styles/run-narrow.css';
import './styles/lists.css';
import './styles/pages.css';
import './styles/contrast.css';
import './styles/print.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { installKeys } from './base/keys.ts';
import { applyTheme } from './base/prefs.ts';

applyTheme();
installKeys();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

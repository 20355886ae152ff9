// What pages of other sites show in a frame: one shared run or chat, by the token in the address, and nothing else.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/panels.css';
import './styles/text.css';
import './styles/timeline.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { SharedPage } from './pages/shared/shared-page.tsx';

// Read once: a page around the frame that changes the address changes nothing.
const token = location.hash.slice(1);
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <SharedPage token={token} />
    </StrictMode>,
  );

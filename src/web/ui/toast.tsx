// Short messages about what has just happened.
import { t } from '../base/i18n.ts';
import { createStore, useStore } from '../base/store.ts';
import { toApiError } from '../state/resource.ts';
import { ended } from '../state/session.ts';
import { IconButton } from './button.tsx';

interface Toast {
  id: number;
  tone: 'plain' | 'bad' | 'warn';
  title: string;
  detail: string | null;
}

const toasts = createStore<Toast[]>([]);
let next = 1;

/** What is said already takes its newest place, instead of standing there twice. */
export function say(title: string, detail: string | null = null, tone: Toast['tone'] = 'plain') {
  const id = next++;
  const isSame = (one: Toast) => one.title === title && one.detail === detail && one.tone === tone;
  toasts.set((all) => [...all.filter((one) => !isSame(one)).slice(-3), { id, tone, title, detail }]);
  setTimeout(() => dismiss(id), tone === 'bad' ? 12_000 : 6000);
}

const dismiss = (id: number) => toasts.set((all) => all.filter((toast) => toast.id !== id));

/** Says what failed, with the server's hint. */
export function sayError(error: unknown) {
  const { message, hint, requestId, status } = toApiError(error);
  // The sign-in page says so.
  if (status === 401 && ended.get()) return;
  say(message, [hint, requestId].filter(Boolean).join(' · ') || null, 'bad');
}

export function Toasts() {
  const all = useStore(toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {all.map((toast) => (
        <div key={toast.id} className="toast" data-tone={toast.tone}>
          <div className="grow">
            <strong>{toast.title}</strong>
            {toast.detail && <div className="muted small">{toast.detail}</div>}
          </div>
          <IconButton icon="close" label={t('Dismiss')} onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  );
}

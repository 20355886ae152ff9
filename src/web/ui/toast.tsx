// Short messages about what has just happened.
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { plural, t } from '../base/i18n.ts';
import { createStore, useStore } from '../base/store.ts';
import { toApiError } from '../state/resource.ts';
import { ended } from '../state/session.ts';
import { IconButton } from './button.tsx';
import { messagePlaces } from './dialog.tsx';

interface Toast {
  id: number;
  tone: 'plain' | 'bad' | 'warn';
  title: string;
  detail: string | null;
}

const toasts = createStore<Toast[]>([]);
let next = 1;
/** Shown at once; earlier ones are folded, and the oldest go. */
const [most, mostKept] = [3, 12];

export function say(title: string, detail: string | null = null, tone: Toast['tone'] = 'plain') {
  put(title, detail, tone);
}

/** What is said already takes its newest place, instead of standing there twice; answers its number. */
function put(title: string, detail: string | null, tone: Toast['tone']): number {
  const id = next++;
  const isSame = (one: Toast) => one.title === title && one.detail === detail && one.tone === tone;
  toasts.set((all) => [...all.filter((one) => !isSame(one)).slice(1 - mostKept), { id, tone, title, detail }]);
  setTimeout(() => dismiss(id), tone === 'bad' ? 12_000 : 6000);
  return id;
}

const dismiss = (id: number) => toasts.set((all) => all.filter((toast) => toast.id !== id));

/** Says what failed, with the server's hint; answers how to take that back. */
export function sayError(error: unknown): () => void {
  const { message, hint, requestId, status } = toApiError(error);
  // The sign-in page says so.
  if (status === 401 && ended.get()) return () => {};
  const id = put(message, [hint, requestId].filter(Boolean).join(' · ') || null, 'bad');
  return () => dismiss(id);
}

/** Within the dialog that is open, so that they lie over none of its buttons; else at the foot of the page. */
export function Toasts() {
  const all = useStore(toasts);
  const place = useStore(messagePlaces).at(-1) ?? null;
  const [showsAll, setShowsAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const newest = all.at(-1)?.id;
  useEffect(() => {
    if (place && newest !== undefined) box.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [place, newest]);
  const isMany = all.length > most;
  useEffect(() => {
    if (!isMany) setShowsAll(false);
  }, [isMany]);
  const folded = showsAll ? 0 : Math.max(0, all.length - most);
  const drawn = (
    <div className="toasts" data-in-dialog={place !== null} role="status" aria-live="polite" ref={box}>
      {folded > 0 && (
        <button type="button" className="toast toast-fold small" onClick={() => setShowsAll(true)}>
          {plural(folded, '{n} earlier message', '{n} earlier messages')}
        </button>
      )}
      {all.slice(folded).map((toast) => (
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
  return place ? createPortal(drawn, place) : drawn;
}

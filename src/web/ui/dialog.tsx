// Dialogs: focus stays inside, Escape closes, focus goes back to where it was.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../base/i18n.ts';
import { createStore } from '../base/store.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** A press beside it leaves it open: what it shows is shown once. */
  firm?: boolean;
  children: ReactNode;
  foot?: ReactNode;
  wide?: boolean;
  /** At the side of the page, as high as it is. */
  side?: boolean;
}

/** What floats is drawn here, within what steps aside when the session ends. */
export const layersId = 'layers';
export const layer = () => document.getElementById(layersId) ?? document.body;

/** Where open dialogs have messages shown, the topmost last: what lies over the page would lie over their buttons. */
export const messagePlaces = createStore<readonly HTMLElement[]>([]);

function MessagePlace() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const own = place.current;
    if (!own) return;
    messagePlaces.set((all) => [...all, own]);
    return () => messagePlaces.set((all) => all.filter((one) => one !== own));
  }, []);
  return <div ref={place} />;
}

/** Boxes that hold the focus now, the topmost last. */
const traps: HTMLElement[] = [];

const focusable = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

/** Keeps Tab inside an element and gives focus back when it goes. */
export function useFocusTrap(onClose: () => void) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const wanted =
      box.current?.querySelector<HTMLElement>('[data-autofocus]') ??
      box.current?.querySelector<HTMLElement>('input, textarea, select');
    (wanted ?? box.current)?.focus();
    return () => before?.focus?.();
  }, []);
  useEffect(() => {
    const own = box.current;
    if (!own) return;
    traps.push(own);
    return () => void traps.splice(traps.indexOf(own), 1);
  }, []);
  useEffect(() => {
    // A button that is disabled while it works loses the focus to the page: its keys are still of this box.
    const take = (event: globalThis.KeyboardEvent) => {
      if (document.activeElement !== document.body || traps.at(-1) !== box.current) return;
      event.stopPropagation();
      box.current?.focus();
      if (event.key !== 'Escape') return;
      event.preventDefault();
      onClose();
    };
    window.addEventListener('keydown', take, true);
    return () => window.removeEventListener('keydown', take, true);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
    if (event.key !== 'Tab' || !box.current) return;
    const all = [...box.current.querySelectorAll<HTMLElement>(focusable)];
    const edge = event.shiftKey ? all[0] : all.at(-1);
    if (document.activeElement !== edge && box.current.contains(document.activeElement)) return;
    event.preventDefault();
    (event.shiftKey ? all.at(-1) : all[0])?.focus();
  };
  return { ref: box, onKeyDown };
}

export function Dialog({ title, onClose, children, foot, wide = false, side = false, firm = false }: DialogProps) {
  const trap = useFocusTrap(onClose);
  const id = useId();
  return createPortal(
    <div
      className="scrim"
      data-side={side}
      onPointerDown={(event) => !firm && event.target === event.currentTarget && onClose()}
    >
      <div
        className="dialog"
        data-wide={wide}
        data-side={side}
        role="dialog"
        aria-modal="true"
        aria-labelledby={id}
        tabIndex={-1}
        {...trap}
      >
        <div className="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label={t('Close')} onClick={onClose} />
        </div>
        <div className="dialog-body">{children}</div>
        {foot && <div className="dialog-foot">{foot}</div>}
        <MessagePlace />
      </div>
    </div>,
    layer(),
  );
}

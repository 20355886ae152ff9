// Words that appear on hover and focus, beside what they explain.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

/** Long enough not to flicker under a passing pointer. */
const delayMs = 350;

export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const anchor = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [place, setPlace] = useState<{ x: number; y: number; above: boolean } | null>(null);
  const show = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const box = anchor.current?.firstElementChild?.getBoundingClientRect();
      if (!box) return;
      const above = box.bottom + 60 > window.innerHeight;
      setPlace({
        x: Math.min(Math.max(8, box.left), window.innerWidth - 240),
        y: above ? box.top - 6 : box.bottom + 6,
        above,
      });
    }, delayMs);
  };
  const hide = () => {
    clearTimeout(timer.current);
    setPlace(null);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const id = useId();
  useEffect(() => {
    const control = anchor.current?.firstElementChild;
    if (place === null || !control || control.hasAttribute('aria-describedby')) return;
    // A name that says the same is not said twice.
    if ((control.getAttribute('aria-label') ?? control.textContent) === text) return;
    control.setAttribute('aria-describedby', id);
    return () => control.removeAttribute('aria-describedby');
  }, [place, text, id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the wrapper only listens for what bubbles up from the control inside
    <span
      ref={anchor}
      className="tip-anchor"
      style={{ display: 'contents' }}
      onPointerEnter={show}
      onPointerOver={show}
      onPointerOut={hide}
      onFocus={show}
      onBlur={hide}
      onPointerDown={hide}
    >
      {children}
      {place &&
        createPortal(
          <div
            id={id}
            className="tooltip"
            role="tooltip"
            // A tooltip stands outside of the page's parts, and describes a control: nobody comes upon it by itself.
            aria-hidden="true"
            style={{ left: place.x, top: place.y, transform: place.above ? 'translateY(-100%)' : 'none' }}
          >
            {text}
          </div>,
          document.body,
        )}
    </span>
  );
}

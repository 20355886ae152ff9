// A menu of further actions behind one button.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  label: string;
  icon: IconName;
  onSelect: () => void;
  danger?: boolean;
}

export function Menu({ label, items, children }: { label: string; items: readonly MenuItem[]; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const onDown = (event: Event) => box.current?.contains(event.target as Node) || setOpen(false);
    window.addEventListener('pointerdown', onDown);
    return () => window.removeEventListener('pointerdown', onDown);
  }, [open]);
  if (items.length === 0) return null;
  // What opens next, such as a dialog, gives the focus back to where the menu was.
  const close = () => {
    setOpen(false);
    box.current?.querySelector('button')?.focus();
  };
  const move = (step: number) => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const index = all.indexOf(document.activeElement as HTMLElement);
    all[(index + step + all.length) % all.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu inside bubble to here
    <div
      className="menu-anchor"
      ref={box}
      onKeyDown={(event) => {
        if (open && event.key === 'Escape') {
          // The menu alone: a dialog or page around it stays.
          event.preventDefault();
          event.stopPropagation();
          close();
        }
        if (event.key === 'ArrowDown') move(1);
        if (event.key === 'ArrowUp') move(-1);
      }}
    >
      <button
        type="button"
        className="btn"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && <Items items={items} onClose={close} />}
    </div>
  );
}

function Items({ items, onClose }: { items: readonly MenuItem[]; onClose: () => void }) {
  return (
    <div className="menu" role="menu">
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          data-kind={item.danger ? 'danger' : 'normal'}
          onClick={() => {
            onClose();
            item.onSelect();
          }}
        >
          <Icon name={item.icon} />
          {item.label}
        </button>
      ))}
    </div>
  );
}

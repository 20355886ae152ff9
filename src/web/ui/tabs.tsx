// Tabs by the usual pattern: arrows move, the chosen one is in the URL of its page.
import { type KeyboardEvent, useEffect, useRef } from 'react';

export interface TabItem<Key extends string> {
  key: Key;
  label: string;
  count?: number | null;
}

interface TabsProps<Key extends string> {
  label: string;
  items: readonly TabItem<Key>[];
  active: Key;
  onChange: (key: Key) => void;
}

export function Tabs<Key extends string>({ label, items, active, onChange }: TabsProps<Key>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>(`[data-key="${active}"]`);
    if (!list.current || !tab) return;
    // Only the list itself: the page stays where it is.
    const { scrollLeft, clientWidth } = list.current;
    const [from, to] = [tab.offsetLeft, tab.offsetLeft + tab.offsetWidth];
    if (from < scrollLeft) list.current.scrollLeft = from;
    else if (to > scrollLeft + clientWidth) list.current.scrollLeft = to - clientWidth;
  }, [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const index = items.findIndex((item) => item.key === active);
    const next = items[(index + step + items.length) % items.length];
    if (!next) return;
    onChange(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {items.map((item) => (
        <button
          key={item.key}
          data-key={item.key}
          type="button"
          role="tab"
          className="tab"
          aria-selected={item.key === active}
          tabIndex={item.key === active ? 0 : -1}
          onClick={() => onChange(item.key)}
        >
          {item.label}
          {item.count ? <span className="count">{item.count}</span> : null}
        </button>
      ))}
    </div>
  );
}

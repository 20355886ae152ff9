// A list beside what is chosen from it.
import type { ReactNode } from 'react';

interface PickProps<T> {
  label: string;
  items: readonly T[];
  chosen: number | undefined;
  onPick: (item: T) => void;
  children: (item: T) => ReactNode;
}

export function Pick<T extends { id: number }>({ label, items, chosen, onPick, children }: PickProps<T>) {
  return (
    <nav className="pick" aria-label={label}>
      {items.map((one) => (
        <button
          type="button"
          key={one.id}
          aria-current={one.id === chosen ? 'true' : undefined}
          onClick={() => onPick(one)}
        >
          {children(one)}
        </button>
      ))}
    </nav>
  );
}

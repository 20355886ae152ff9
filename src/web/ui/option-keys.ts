// Moves among the options of a list while the box beside it keeps the focus.
import { type KeyboardEvent, useState } from 'react';

export interface OptionKeys {
  /** The option that Enter chooses. */
  active: number;
  setActive: (index: number) => void;
  /** Whether the key was for the options. */
  onKey: (event: KeyboardEvent) => boolean;
}

/** Arrows move among the options that are found, whose elements are `id-0`, `id-1` and so on; Enter chooses. */
export function useOptionKeys<T>(id: string, found: readonly T[], onChoose: (option: T) => void): OptionKeys {
  const [wanted, setActive] = useState(0);
  const active = Math.max(0, Math.min(wanted, found.length - 1));
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = found[active];
    if (!chosen || (step === 0 && event.key !== 'Enter')) return false;
    event.preventDefault();
    if (step === 0) onChoose(chosen);
    else {
      const next = (active + step + found.length) % found.length;
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    return true;
  };
  return { active, setActive, onKey };
}

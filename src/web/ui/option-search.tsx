// The box above a list of options: what is typed narrows them, and arrows move among them.
import type { OptionKeys } from './option-keys.ts';

interface Props extends OptionKeys {
  /** That of the list. */
  id: string;
  label: string;
  q: string;
  /** Options that are found. */
  count: number;
  onSearch: (q: string) => void;
}

export function OptionSearch({ id, label, q, count, active, setActive, onKey, onSearch }: Props) {
  return (
    <input
      className="input search"
      type="search"
      role="combobox"
      aria-expanded="true"
      aria-controls={id}
      aria-activedescendant={count > 0 ? `${id}-${active}` : undefined}
      aria-label={label}
      placeholder={`${label}…`}
      value={q}
      onChange={(event) => {
        onSearch(event.target.value);
        setActive(0);
      }}
      onKeyDown={onKey}
    />
  );
}

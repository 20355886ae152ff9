// One of a few as buttons beside each other, such as the states of a list; the URL holds which.
import { patchQuery } from '../base/router.ts';
import { Button } from './button.tsx';

interface Props<Key extends string> {
  label: string;
  /** Its part of the query. */
  name: string;
  chosen: Key;
  /** Each with what it says; the first is chosen where the query names none. */
  options: readonly (readonly [Key, string])[];
}

/** Another choice begins at the first page of its list. */
export const UrlChoice = <Key extends string>({ label, name, chosen, options }: Props<Key>) => (
  <fieldset className="segments" aria-label={label}>
    {options.map(([key, text], at) => (
      <Button
        key={key}
        size="small"
        pressed={key === chosen}
        onClick={() => patchQuery({ [name]: at === 0 ? null : key, page: null })}
      >
        {text}
      </Button>
    ))}
  </fieldset>
);

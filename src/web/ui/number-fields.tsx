// Several figures to fill in, in a grid; what is left empty is not given.
import { t } from '../base/i18n.ts';
import { TextField } from './field.tsx';

/** What is written so far, by key. */
export type Written<Key extends string> = Partial<Record<Key, string>>;

interface Props<Key extends string> {
  /** What each is called. */
  names: Readonly<Record<Key, string>>;
  written: Written<Key>;
  onChange: (written: Written<Key>) => void;
  placeholder?: string;
}

export function NumberFields<Key extends string>({ names, written, onChange, placeholder }: Props<Key>) {
  return (
    <div className="form-grid">
      {(Object.entries(names) as [Key, string][]).map(([key, name]) => (
        <TextField
          key={key}
          name={key}
          label={t(name)}
          type="number"
          required={false}
          value={written[key] ?? ''}
          onChange={(value) => onChange({ ...written, [key]: value })}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      ))}
    </div>
  );
}

/** The figures that were given. */
export function figuresOf<Key extends string>(written: Written<Key>): Partial<Record<Key, number>> {
  const given = (Object.entries(written) as [Key, string][]).filter(([, text]) => text !== '');
  return Object.fromEntries(given.map(([key, text]) => [key, Number(text)])) as Partial<Record<Key, number>>;
}

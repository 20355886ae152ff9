// Form fields: a label, a control and a hint, wired together.
import { type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  hint?: string;
  children: (id: string) => ReactNode;
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint && <span className="hint">{hint}</span>}
    </div>
  );
}

/** Browsers take years of six digits otherwise, which no date of the server has. */
const latest: Record<string, string> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' };

interface Named {
  label: string;
  /** Its name in the interface, where the label is not that in words: a refusal of it is told by the label. */
  name?: string;
}

interface TextProps extends Named {
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  placeholder?: string;
  type?: 'text' | 'password' | 'number' | 'search' | 'url' | 'date' | 'datetime-local';
  rows?: number;
  mono?: boolean;
  /** A figure must be given unless this is false: an empty one would be read as zero. */
  required?: boolean;
  autoComplete?: string;
}

export function TextField({
  label,
  name,
  value,
  onChange,
  hint,
  placeholder,
  type = 'text',
  rows,
  mono,
  required = type === 'number',
  autoComplete,
}: TextProps) {
  return (
    <Field label={label} {...(hint ? { hint } : {})}>
      {(id) =>
        rows ? (
          <textarea
            id={id}
            name={name}
            className={`input ${mono ? 'mono' : ''}`}
            rows={rows}
            value={value}
            placeholder={placeholder}
            required={required}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <input
            id={id}
            name={name}
            className={`input ${mono ? 'mono' : ''}`}
            type={type}
            step={type === 'number' ? 'any' : undefined}
            max={latest[type]}
            value={value}
            placeholder={placeholder}
            required={required}
            autoComplete={autoComplete ?? 'off'}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      }
    </Field>
  );
}

interface SelectProps<Value extends string> extends Named {
  value: Value;
  onChange: (value: Value) => void;
  options: readonly (readonly [value: Value, label: string])[];
  hint?: string;
}

export function SelectField<Value extends string>({ label, name, value, onChange, options, hint }: SelectProps<Value>) {
  return (
    <Field label={label} {...(hint ? { hint } : {})}>
      {(id) => (
        <select
          id={id}
          name={name}
          className="input"
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps extends Named {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function CheckField({ label, name, checked, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" name={name} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

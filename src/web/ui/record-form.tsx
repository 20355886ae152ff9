// A form over a record of settings, from what its fields are; what is written is kept by the tab until it is saved.
import '../styles/record-form.css';
import type { FormEvent } from 'react';
import { useDraft } from '../base/draft.ts';
import { plural, t } from '../base/i18n.ts';
import { Button } from './button.tsx';
import { CheckField, SelectField, TextField } from './field.tsx';
import {
  changesIn,
  type FieldSpec,
  labelIn,
  lacking,
  recordOf,
  type Written,
  type WrittenRecord,
  writtenOf,
} from './record.ts';
import { inWordsOf } from './refusal.ts';
import { say } from './toast.tsx';
import { useAction } from './use-action.ts';

export interface Section<Key extends string> {
  title: string;
  hint?: string;
  fields: readonly FieldSpec<Key>[];
}

interface RecordFormProps<T extends object> {
  /** What is written is kept under this name. */
  draft: string;
  value: T;
  sections: readonly Section<keyof T & string>[];
  /** False: it is only read. */
  mayChange: boolean;
  /** Sends the whole record; rejects when it could not be saved. */
  onSave: (value: T) => Promise<unknown>;
}

export function RecordForm<T extends object>({ draft, value, sections, mayChange, onSave }: RecordFormProps<T>) {
  const specs = sections.flatMap(({ fields }) => fields) as FieldSpec[];
  const before = writtenOf(specs, value);
  const { text, write, clear } = useDraft(`form.${draft}`);
  const written: WrittenRecord = text ? { ...before, ...(JSON.parse(text) as WrittenRecord) } : before;
  const { busy, act } = useAction();
  const changes = changesIn(specs, before, written);
  const lacks = lacking(specs, written);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const save = () =>
      onSave(recordOf(specs, value, written)).catch((error) => Promise.reject(inWordsOf(labelIn(specs), error)));
    void act(save).then((done) => {
      if (!done) return;
      clear();
      say(t('Saved'));
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      {sections.map(({ title, hint, fields }) => (
        <section className="card" key={title}>
          <div className="card-head">
            <h2>{title}</h2>
          </div>
          <fieldset className="card-body record-fields" disabled={!mayChange} aria-label={title}>
            {hint && <p className="small muted whole">{hint}</p>}
            {fields.map((spec) => (
              <RecordField
                key={spec.key}
                spec={spec}
                value={written[spec.key] ?? ''}
                onChange={(next) => write(JSON.stringify({ ...written, [spec.key]: next }))}
              />
            ))}
          </fieldset>
        </section>
      ))}
      {mayChange && (
        <div className="row record-foot">
          <Button type="submit" kind="primary" disabled={busy || changes === 0 || lacks !== null}>
            {t('Save')}
          </Button>
          {changes > 0 && (
            <>
              <Button onClick={clear}>{t('Discard changes')}</Button>
              <span className="small muted" role="status">
                {plural(changes, '{n} change', '{n} changes')}
                {lacks !== null && ` · ${t('{label}: write a number', { label: t(lacks) })}`}
              </span>
            </>
          )}
        </div>
      )}
    </form>
  );
}

interface FieldProps {
  spec: FieldSpec;
  value: Written;
  onChange: (value: Written) => void;
}

function RecordField({ spec, value, onChange }: FieldProps) {
  const text = typeof value === 'string' ? value : '';
  const hint = spec.hint ? { hint: t(spec.hint) } : {};
  const label = t(spec.label);
  switch (spec.kind) {
    case 'check':
      return <CheckField label={label} checked={value === true} onChange={onChange} />;
    case 'number':
      return (
        <TextField
          label={label}
          type="number"
          value={text}
          onChange={onChange}
          required={spec.orNone !== true}
          {...hint}
        />
      );
    case 'text':
      return (
        <TextField label={label} value={text} onChange={onChange} placeholder={spec.placeholder ?? ''} {...hint} />
      );
    case 'long':
    case 'lines':
      return (
        <div className="whole">
          <TextField label={label} value={text} onChange={onChange} rows={spec.kind === 'long' ? 5 : 3} {...hint} />
        </div>
      );
    case 'choice':
      return (
        <SelectField
          label={label}
          value={text}
          onChange={onChange}
          options={[...(spec.orNone === undefined ? [] : [['', t(spec.orNone)] as const]), ...spec.options]}
          {...hint}
        />
      );
    case 'choices':
      return <Choices spec={spec} chosen={Array.isArray(value) ? value : []} onChange={onChange} />;
  }
}

interface ChoicesProps {
  spec: Extract<FieldSpec, { kind: 'choices' }>;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

function Choices({ spec, chosen, onChange }: ChoicesProps) {
  // In the order of the options, so that the same choice is the same text.
  const toggle = (key: string, has: boolean) =>
    onChange(spec.options.map(([one]) => one).filter((one) => (one === key ? has : chosen.includes(one))));
  return (
    <fieldset className="choices whole">
      <legend>{t(spec.label)}</legend>
      {spec.hint && <span className="small muted">{t(spec.hint)}</span>}
      <div className="row wrap">
        {spec.options.map(([key, label]) => (
          <CheckField key={key} label={label} checked={chosen.includes(key)} onChange={(has) => toggle(key, has)} />
        ))}
      </div>
    </fieldset>
  );
}

// A record of settings as it is written in a form: what each field is, as text while it is edited, and back as a value.
import { t } from '../base/i18n.ts';
import type { LabelOf } from './refusal.ts';

type Options = readonly (readonly [value: string, label: string])[];

type Kind =
  /** A line or several of text; `orNone` makes an empty one null. */
  | { kind: 'text' | 'long'; orNone?: boolean; placeholder?: string }
  /** `orNone` makes an empty one null; others need a figure. */
  | { kind: 'number'; orNone?: boolean }
  | { kind: 'check' }
  /** Texts, one a line. */
  | { kind: 'lines' }
  /** One of several; `orNone` adds an empty one, which is null. `numeric` ones are figures. */
  | { kind: 'choice'; options: Options; orNone?: string; numeric?: boolean }
  /** Any of several; `numeric` ones are figures. */
  | { kind: 'choices'; options: Options; numeric?: boolean };

export type FieldSpec<Key extends string = string> = { key: Key; label: string; hint?: string } & Kind;

export type Written = string | boolean | readonly string[];
export type WrittenRecord = Readonly<Record<string, Written>>;

function write(spec: FieldSpec, value: unknown): Written {
  switch (spec.kind) {
    case 'check':
      return value === true;
    case 'lines':
      return ((value as readonly string[] | null) ?? []).join('\n');
    case 'choices':
      return ((value as readonly (string | number)[] | null) ?? []).map(String);
    default:
      return value === null || value === undefined ? '' : String(value);
  }
}

function read(spec: FieldSpec, written: Written): unknown {
  const text = typeof written === 'string' ? written : '';
  switch (spec.kind) {
    case 'check':
      return written === true;
    case 'lines':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
    case 'choices':
      return (Array.isArray(written) ? written : []).map((one: string) => (spec.numeric ? Number(one) : one));
    case 'number':
      return text === '' ? null : Number(text);
    case 'choice':
      if (text === '') return null;
      return spec.numeric ? Number(text) : text;
    default:
      return text === '' && spec.orNone ? null : text;
  }
}

export const writtenOf = (specs: readonly FieldSpec[], value: object): WrittenRecord =>
  Object.fromEntries(specs.map((spec) => [spec.key, write(spec, (value as Record<string, unknown>)[spec.key])]));

/** The record with what was written in place of what it had. */
export const recordOf = <T extends object>(specs: readonly FieldSpec[], value: T, written: WrittenRecord): T =>
  ({ ...value, ...Object.fromEntries(specs.map((spec) => [spec.key, read(spec, written[spec.key] ?? '')])) }) as T;

/** How many fields were changed. */
export const changesIn = (specs: readonly FieldSpec[], before: WrittenRecord, after: WrittenRecord): number =>
  specs.filter(({ key }) => String(before[key]) !== String(after[key])).length;

/** The label of the first figure that is needed and not there, or is none; null for a record that is complete. */
export const lacking = (specs: readonly FieldSpec[], written: WrittenRecord): string | null =>
  specs.find((spec) => {
    if (spec.kind !== 'number') return false;
    const text = String(written[spec.key] ?? '').trim();
    return text === '' ? spec.orNone !== true : !Number.isFinite(Number(text));
  })?.label ?? null;

/** The labels of a record's fields, by their names in the interface. */
export const labelIn =
  (specs: readonly FieldSpec[]): LabelOf =>
  (name) => {
    const spec = specs.find(({ key }) => key === name);
    return spec ? t(spec.label) : null;
  };

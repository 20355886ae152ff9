import { expect, it } from 'vitest';
import { z } from 'zod';
import { problemsOf } from '../../contract/problems.ts';
import { changesIn, type FieldSpec, labelIn, lacking, recordOf, writtenOf } from './record.ts';
import { refusalBy } from './refusal.ts';

const specs: FieldSpec[] = [
  { key: 'name', label: 'Name', kind: 'text', orNone: true },
  { key: 'traits', label: 'Traits', kind: 'lines' },
  { key: 'limit', label: 'Limit', kind: 'number' },
  { key: 'cap', label: 'Cap', kind: 'number', orNone: true },
  { key: 'on', label: 'On', kind: 'check' },
  { key: 'roleId', label: 'Role', kind: 'choice', options: [['7', 'Scout']], orNone: 'none', numeric: true },
  { key: 'senders', label: 'Senders', kind: 'choices', options: [['3', 'Mira']], numeric: true },
];
const value = {
  name: null,
  traits: ['calm', 'exact'],
  limit: 5,
  cap: null,
  on: true,
  roleId: 7,
  senders: [3],
  other: 1,
};

it('comes back as it was when nothing is changed, with the fields that it does not know', () => {
  const written = writtenOf(specs, value);
  expect(recordOf(specs, value, written)).toEqual(value);
  expect(changesIn(specs, written, written)).toBe(0);
});

it('reads what was written', () => {
  const before = writtenOf(specs, value);
  const after = { ...before, name: 'Mira', traits: ' calm \n\n kind', cap: '2.5', roleId: '', senders: [], on: false };
  expect(recordOf(specs, value, after)).toEqual({
    name: 'Mira',
    traits: ['calm', 'kind'],
    limit: 5,
    cap: 2.5,
    on: false,
    roleId: null,
    senders: [],
    other: 1,
  });
  expect(changesIn(specs, before, after)).toBe(6);
});

it('is complete when each figure that is needed is one', () => {
  const written = writtenOf(specs, value);
  expect(lacking(specs, written)).toBeNull();
  expect(lacking(specs, { ...written, limit: '' })).toBe('Limit');
  expect(lacking(specs, { ...written, cap: 'much' })).toBe('Cap');
});

it('says a refusal of the server by the labels of its fields, and leaves all others', () => {
  const body = z.strictObject({ limit: z.number().min(8), traits: z.array(z.string().max(3)), other: z.number() });
  const said = (value: object) =>
    `The body is not valid: ${problemsOf(body.safeParse(value).error as z.ZodError, value, 'body').said}.`;
  expect(refusalBy(labelIn(specs), said({ limit: 2, traits: ['kind'], other: 1 }))).toBe(
    'Limit: must be at least 8; Traits: must have at most 3 characters.',
  );
  expect(refusalBy(labelIn(specs), said({ limit: 8, traits: [], other: 'x' }))).toBeNull();
  expect(refusalBy(labelIn(specs), said({ limit: 2, traits: [], other: 1, more: 1 }))).toBeNull();
  expect(refusalBy(labelIn(specs), 'The limit is too small.')).toBeNull();
});

import { expect, it } from 'vitest';
import { changesIn, type FieldSpec, lacking, recordOf, writtenOf } from './record.ts';

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

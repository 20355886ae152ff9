import { describe, expect, it } from 'vitest';
import { linesOf, matching, outside } from './unit-lines.ts';

interface Unit {
  id: number;
  name: string;
  key: string;
  children: readonly Unit[];
}

const unit = (id: number, name: string, ...children: Unit[]): Unit => ({
  ...{ id, name, key: name.toLowerCase() },
  children,
});
const acme = unit(1, 'Acme', unit(2, 'Research', unit(3, 'Rivers')), unit(4, 'Sales'));
const tree = [acme, unit(5, 'Guests')];
const ids = (units: readonly Unit[]) => linesOf(units).map((one) => one.unit.id);

describe('lines of units', () => {
  it('stand below the unit that they belong to, as deep as they lie', () => {
    expect(linesOf(tree).map(({ depth, path }) => [depth, path])).toEqual([
      [0, 'Acme'],
      [1, 'Acme / Research'],
      [2, 'Acme / Research / Rivers'],
      [1, 'Acme / Sales'],
      [0, 'Guests'],
    ]);
  });

  it('are found by name or key, with those above them', () => {
    expect(ids(matching(tree, ' RIV'))).toEqual([1, 2, 3]);
    expect(ids(matching(tree, 'acme'))).toEqual([1]);
    expect(ids(matching(tree, 'nobody'))).toEqual([]);
    expect(matching(tree, '')).toBe(tree);
  });

  it('leave out a unit and all below it where it may not be moved', () => {
    expect(outside(linesOf(tree), 2).map((one) => one.unit.id)).toEqual([1, 4, 5]);
    expect(outside(linesOf(tree), 3).map((one) => one.unit.id)).toEqual([1, 2, 4, 5]);
    expect(outside(linesOf(tree), 99)).toHaveLength(5);
  });
});

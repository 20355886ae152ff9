import { describe, expect, it } from 'vitest';
import { listed } from './listed.ts';

describe('a list to read', () => {
  it('says what each item is, and the rest beside it', () => {
    expect(
      listed([
        { title: 'Measure', status: 'doing' },
        { id: 'b', label: 'One cache a branch', recommended: true, note: null },
      ]),
    ).toEqual([
      { title: 'Measure', others: [['status', 'doing']] },
      {
        title: 'b',
        others: [
          ['label', 'One cache a branch'],
          ['recommended', 'true'],
        ],
      },
    ]);
  });

  it.each([['no list'], [[]], [[1, 2]], [[{ title: 'deep', more: { a: 1 } }]], [[{ count: 3 }]]])(
    'leaves %j as it is',
    (value) => {
      expect(listed(value)).toBeNull();
    },
  );
});

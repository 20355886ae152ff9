import { expect, it } from 'vitest';
import { branchOf } from './branch.ts';

const idsOf = (messages: [id: number, parentId: number | null][], last: number) =>
  branchOf(
    messages.map(([id, parentId]) => ({ id, parentId })),
    last,
  ).map(({ id }) => id);

it('is the whole way, also over messages of two nodes whose numbers are of different blocks', () => {
  expect(
    idsOf(
      [
        [1, null],
        [2, 1],
        [65, 2],
        [66, 65],
        [3, 66],
        [4, 3],
      ],
      4,
    ),
  ).toEqual([1, 2, 65, 66, 3, 4]);
});

it('ends where a parent is missing, and where messages follow each other in a circle', () => {
  expect(
    idsOf(
      [
        [5, 1],
        [6, 5],
      ],
      6,
    ),
  ).toEqual([5, 6]);
  expect(
    idsOf(
      [
        [1, 2],
        [2, 1],
      ],
      2,
    ),
  ).toEqual([1, 2]);
});

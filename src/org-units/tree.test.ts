// Trees of units, also those with a gap or a circle, which a crash or two moves at once may leave for a moment.
import { expect, it } from 'vitest';
import { treeOf } from './tree.ts';

const unit = (_id: number, parentId: number | null, isActive = true) => ({ _id, parentId, key: `k${_id}`, isActive });

it('has paths from a unit to its root, and all that is below one', () => {
  const tree = treeOf([unit(1, null), unit(2, 1), unit(3, 2, false), unit(4, 3), unit(5, null)]);
  expect(tree.textOf(4)).toBe('k1/k2/k3/k4');
  expect(tree.pathOf(4).map(({ _id }) => _id)).toEqual([4, 3, 2, 1]);
  expect(tree.subtreeOf(2).map(({ _id }) => _id)).toEqual([2, 3, 4]);
  expect(tree.childrenOf(null).map(({ _id }) => _id)).toEqual([1, 5]);
  expect([2, 3, 4, 5].map(tree.isLive)).toEqual([true, false, false, true]);
  expect([tree.pathOf(9), tree.pathOf(null), tree.subtreeOf(9)]).toEqual([[], [], []]);
});

it('takes a unit whose parent is gone for a root', () => {
  const tree = treeOf([unit(2, 1), unit(3, 2)]);
  expect(tree.childrenOf(null).map(({ _id }) => _id)).toEqual([2]);
  expect(tree.textOf(3)).toBe('k2/k3');
});

it('ends in a circle', () => {
  const tree = treeOf([unit(1, 2), unit(2, 1), unit(3, 1)]);
  expect(tree.pathOf(3).map(({ _id }) => _id)).toEqual([3, 1, 2]);
  expect(tree.subtreeOf(1).map(({ _id }) => _id)).toEqual([1, 2, 3]);
});

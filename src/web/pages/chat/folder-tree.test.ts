import { expect, it } from 'vitest';
import { folderTree } from './folder-tree.ts';

it('folders lie within those of their path, which count all below them', () => {
  const labels = [
    { name: 'Work', count: 1 },
    { name: 'Work/Boats/Ropes', count: 2 },
    { name: 'Home', count: 4 },
  ];
  const ropes = { path: 'Work/Boats/Ropes', name: 'Ropes', own: 2, all: 2, below: [] };
  const boats = { path: 'Work/Boats', name: 'Boats', own: 0, all: 2, below: [ropes] };
  expect(folderTree(labels)).toEqual([
    { path: 'Home', name: 'Home', own: 4, all: 4, below: [] },
    { path: 'Work', name: 'Work', own: 1, all: 3, below: [boats] },
  ]);
});

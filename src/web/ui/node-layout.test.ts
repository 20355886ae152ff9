import { expect, it } from 'vitest';
import { layoutOf, toward } from './node-layout.ts';

const node = (id: number) => ({ id, label: `n${id}`, weight: 0.5, tone: 1 });
const edge = (id: number, from: number, to: number) => ({ id, from, to, label: '', weight: 1 });

it('stands the same each time, with room between nodes', () => {
  const nodes = [1, 2, 3, 4, 5].map(node);
  const edges = [edge(1, 1, 2), edge(2, 1, 3), edge(3, 3, 4), edge(4, 4, 99)];
  const once = layoutOf(nodes, edges);
  expect(layoutOf(nodes, edges)).toEqual(once);
  for (const a of once)
    for (const b of once) if (a.id < b.id) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(30);
});

it('finds what lies in a direction, and nothing behind', () => {
  const at = (id: number, x: number, y: number) => ({ ...node(id), radius: 5, x, y });
  const all = [at(1, 0, 0), at(2, 100, 10), at(3, 40, 90), at(4, -50, 0)];
  const [from] = all;
  if (!from) throw new Error('nothing there');
  expect(toward(from, all, [1, 0])?.id).toBe(2);
  expect(toward(from, all, [0, 1])?.id).toBe(3);
  expect(toward(from, all, [-1, 0])?.id).toBe(4);
  expect(toward(from, all, [0, -1])).toBeNull();
});

// Trees as views show them, with the settlements in flight.

import { expect, it } from 'vitest';
import type { Settlement } from '../../records.ts';
import { Members } from '../../state/members.ts';
import type { TreeRecord } from '../../state/tree.ts';
import { treeNow } from './known-trees.ts';

const settlement = (callId: string): [string, Settlement] => [
  callId,
  { callId, tokens: 5, costUsd: 0, writtenOff: 0, countIteration: true },
];
const hold = { runId: 2, tokens: 100, costUsd: 0, at: 0 };
const member = { parent: 1, depth: 1, identityId: 1, key: null, stop: null, ended: false, active: true, costUsd: 0 };
const tree = {
  id: 1,
  version: 1,
  members: Members.of({ 2: { ...member, tokens: 10 } }),
  holds: { a: hold, b: hold },
  tokensUsed: 10,
  costUsd: 0,
  iterationsUsed: 1,
} as unknown as TreeRecord;

it('a tree is worked out once for all views of it, and anew when a call is settled', () => {
  const trees = new Map([[1, tree]]);
  const one = { trees, owed: new Map([[1, new Map([settlement('a')])]]) };
  const now = treeNow(one, 1);
  expect(now).toMatchObject({ tokensUsed: 15, iterationsUsed: 2 });
  expect(now?.members.get(2)?.tokens).toBe(15);
  expect(treeNow(one, 1)).toBe(now);
  one.owed.set(1, new Map([settlement('a'), settlement('b')]));
  expect(treeNow(one, 1)?.tokensUsed).toBe(20);
  expect(treeNow(one, 1)?.members.get(2)?.tokens).toBe(20);
  trees.set(1, { ...tree, version: 2, tokensUsed: 100 });
  expect(treeNow(one, 1)?.tokensUsed).toBe(110);
  one.owed.delete(1);
  expect(treeNow(one, 1)).toBe(trees.get(1));
});

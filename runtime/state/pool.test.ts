import fc from 'fast-check';
import { expect, test } from 'vitest';
import { treeRecord } from '../testing/samples.ts';
import { Members } from './members.ts';
import { admit, availableTokens, descendants, reserve, rollUp, settle } from './pool.ts';
import type { TreeRecord } from './tree.ts';

const member = (parent: number | null, depth: number) => ({
  parent,
  depth,
  identityId: 1,
  key: null,
  stop: null,
  ended: false,
  active: false,
  tokens: 0,
  costUsd: 0,
});

test('whatever is reserved and settled in whatever order, the pool is never overspent and roll-ups add up', () => {
  const act = fc.record({
    what: fc.constantFrom('reserve', 'reserve', 'settle', 'again', 'spawn', 'spawn', 'top-up'),
    run: fc.nat(6),
    tokens: fc.integer({ min: 1, max: 8 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(act, { minLength: 20, maxLength: 60, size: 'max' }), (acts) => {
      let tree: TreeRecord = treeRecord({
        id: 1,
        tokenBudget: 20,
        iterationBudget: 8,
        members: Members.of({ 1: member(null, 0) }),
        maxMembers: 12,
        maxDepth: 3,
      });
      const settled: { id: string; tokens: number }[] = [];
      let calls = 0;
      // Of tokens and of iterations, at any time.
      let leastLeft = 0;
      for (const { what, run, tokens, share } of acts) {
        const ids = [...tree.members].map(([id]) => id);
        const runId = ids[run % ids.length]!;
        if (what === 'reserve') {
          const answer = reserve(tree, {
            runId,
            callId: `c${calls++}`,
            tokens,
            costUsd: 0,
            now: 1,
            countIteration: true,
          });
          if (answer.ok) tree = { ...tree, ...answer.set };
        } else if (what === 'settle' || what === 'again') {
          const id =
            what === 'again'
              ? settled.at(-1)?.id
              : Object.keys(tree.holds)[run % Math.max(1, Object.keys(tree.holds).length)];
          if (!id) continue;
          const used = Math.floor((tree.holds[id]?.tokens ?? 0) * share);
          const set = settle(tree, [{ callId: id, tokens: used, costUsd: 0, writtenOff: 0, countIteration: true }]);
          if (what === 'again') expect(set).toBeNull();
          if (set) {
            settled.push({ id, tokens: used });
            tree = { ...tree, ...set };
          }
        } else if (what === 'spawn') {
          const answer = admit(tree, { parentRunId: runId, childRunId: 100 + calls++, identityId: 1, key: null });
          if (answer.ok) tree = { ...tree, ...answer.set };
        } else tree = { ...tree, tokenBudget: tree.tokenBudget + tokens };
        const iterations = tree.iterationsUsed + Object.keys(tree.holds).length;
        leastLeft = Math.min(leastLeft, availableTokens(tree), tree.iterationBudget - iterations);
      }
      expect(leastLeft).toBeGreaterThanOrEqual(0);
      const sum = settled.reduce((total, one) => total + one.tokens, 0);
      expect(tree.tokensUsed).toBe(sum);
      expect(rollUp(tree, 1).tokens).toBe(sum);
      expect(descendants(tree, 1)).toHaveLength([...tree.members].length);
      expect(Math.max(...[...tree.members].map(([, { depth }]) => depth))).toBeLessThanOrEqual(3);
    }),
    { numRuns: 40 },
  );
});

test('a stopped or ended member reserves nothing, a passed deadline ends all, a spent pool says so', () => {
  const tree = treeRecord({
    id: 1,
    members: Members.of({
      1: member(null, 0),
      2: { ...member(1, 1), stop: 'cancel' },
      3: { ...member(1, 1), ended: true },
    }),
    deadlineAt: 10,
  });
  const ask = (runId: number, tokens: number, now = 1) =>
    reserve(tree, { runId, callId: 'c', tokens, costUsd: 0, now, countIteration: true });
  expect(ask(1, 1000)).toMatchObject({ ok: true });
  expect(ask(1, 1001)).toMatchObject({ ok: false, why: 'exhausted', available: 1000 });
  expect(ask(2, 1)).toMatchObject({ why: 'stopped' });
  expect(ask(3, 1)).toMatchObject({ why: 'stopped' });
  expect(ask(1, 1, 10)).toMatchObject({ why: 'deadline' });
  const held = { ...tree, holds: { h: { runId: 1, tokens: 900, costUsd: 0, at: 0 } } };
  expect(reserve(held, { runId: 1, callId: 'c', tokens: 200, costUsd: 0, now: 1, countIteration: true })).toMatchObject(
    { why: 'wait', available: 100 },
  );
});

test('a spawn with the same key gives the same child', () => {
  const tree = treeRecord({ id: 1, members: Members.of({ 1: member(null, 0) }) });
  const first = admit(tree, { parentRunId: 1, childRunId: 2, identityId: 1, key: 'k' });
  if (!first.ok) throw new Error('refused');
  expect(admit({ ...tree, ...first.set }, { parentRunId: 1, childRunId: 3, identityId: 1, key: 'k' })).toMatchObject({
    ok: true,
    childRunId: 2,
  });
});

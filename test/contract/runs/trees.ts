// The contract of a RunStore's trees, for every store.
import { expect } from 'vitest';
import type { RunStore } from '../../../runtime/ports.ts';
import type { RunRecord } from '../../../runtime/records.ts';
import { Members } from '../../../runtime/state/members.ts';
import type { TreeRecord } from '../../../runtime/state/tree.ts';
import { treeRecord } from '../../../runtime/testing/samples.ts';
import type { DeclareTest } from '../known.ts';

interface Setting {
  store: RunStore;
  other: RunStore;
  add(more?: Partial<RunRecord>): Promise<RunRecord>;
}

export function treesContract(test: DeclareTest, setting: () => Setting): void {
  test('trees change by compare-and-set under contention', async () => {
    const { store, other } = setting();
    await store.trees.insert(treeRecord({ id: 5000 }));
    expect((await other.trees.insert(treeRecord({ id: 5000, tokenBudget: 1 }))).tokenBudget).toBe(1000);
    const take = (where: RunStore, at: number) =>
      where.trees.update(5000, (now: TreeRecord) =>
        now.tokensUsed + 30 > now.tokenBudget
          ? null
          : {
              tokensUsed: now.tokensUsed + 30,
              holds: { ...now.holds, [`5000:${at}:1`]: { runId: at, tokens: 30, costUsd: 0, at: 1 } },
            },
      );
    const results = await Promise.all(Array.from({ length: 50 }, (_, at) => take(at % 2 ? store : other, at)));
    expect(results.filter(Boolean)).toHaveLength(33);
    const tree = await other.trees.get(5000);
    expect(tree?.tokensUsed).toBe(990);
    expect(Object.keys(tree?.holds ?? {})).toHaveLength(33);
    expect(await store.trees.stopping(10)).toEqual([]);
    await store.trees.update(5000, () => ({
      stopping: [{ id: 'a', kind: 'cancel', runIds: [1], reason: null, by: null }],
    }));
    expect((await other.trees.stopping(10)).map((one) => one.id)).toEqual([5000]);
  });

  test('a tree of many runs is the same for every process, whoever changes it', async () => {
    const { store, other } = setting();
    const id = 7000;
    const member = { parent: id, depth: 1, identityId: 1, key: null, stop: null, ended: false, active: false };
    await store.trees.insert(
      treeRecord({ id, members: Members.of({ [id]: { ...member, parent: null, tokens: 0, costUsd: 0 } }) }),
    );
    const admit = (where: RunStore, child: number) =>
      where.trees.update(id, ({ members }) => ({
        members: members.with(new Map([[child, { ...member, tokens: 0, costUsd: 0 }]])),
      }));
    const spend = (where: RunStore, child: number, tokens: number) =>
      where.trees.update(id, ({ members, tokensUsed }) => {
        const now = members.get(child)!;
        return {
          members: members.with(new Map([[child, { ...now, tokens: now.tokens + tokens }]])),
          tokensUsed: tokensUsed + tokens,
        };
      });
    const children = Array.from({ length: 90 }, (_, at) => id + 1 + at);
    for (const child of children) await admit(child % 2 ? store : other, child);
    const spendAll = async (where: RunStore, some: number[]) => {
      for (const child of some) await spend(where, child, 2);
    };
    await Promise.all([spendAll(store, children.slice(0, 60)), spendAll(other, children.slice(60))]);
    // A process that has seen nothing of it lately, at two moments.
    for (const child of children) await spend(store, child, 1);
    const seen = await other.trees.get(id);
    expect(seen).toEqual(await store.trees.get(id));
    expect([...seen!.members]).toHaveLength(91);
    for (const child of children) expect(seen!.members.get(child)).toEqual({ ...member, tokens: 3, costUsd: 0 });
    expect(seen!.tokensUsed).toBe(270);
    // What reads a tree in another way finds it whole as well.
    await other.trees.update(id, () => ({
      stopping: [{ id: 'b', kind: 'pause', runIds: [id], reason: null, by: null }],
    }));
    const found = (await store.trees.stopping(10)).find((tree) => tree.id === id);
    expect([...found!.members]).toEqual([...seen!.members]);
  });

  test('a tree is removed once it has no run left', async () => {
    const { store, other, add } = setting();
    const root = await add();
    const child = await add({ rootRunId: root.id, parentRunId: root.id });
    const member = { parent: null, depth: 0, identityId: 1, key: null, stop: null, ended: false, active: false };
    await store.trees.insert(treeRecord({ id: root.id }));
    for (let at = 0; at < 70; at++)
      await store.trees.update(root.id, ({ members }) => ({
        members: members.with(new Map([[root.id + at, { ...member, tokens: 0, costUsd: 0 }]])),
      }));
    await store.runs.remove(root.id);
    await store.trees.removeEmpty(root.id);
    expect(await other.trees.get(root.id)).not.toBeNull();
    await other.runs.remove(child.id);
    await other.trees.removeEmpty(root.id);
    expect(await other.trees.get(root.id)).toBeNull();
    // Whatever it kept apart is gone too: another of its id begins without it.
    await other.trees.insert(treeRecord({ id: root.id }));
    expect([...(await other.trees.get(root.id))!.members]).toEqual([]);
  });
}

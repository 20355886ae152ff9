// Changes of spawn trees in the store: reservations and settlements in the shared pool, membership, activity.
import type { RunRecord } from '../../records.ts';
import type { TreeMember } from '../../state/members.ts';
import { changeMembers, isQuiet, rollUp } from '../../state/pool.ts';
import { hasEnded } from '../../state/run.ts';
import type { TreeRecord } from '../../state/tree.ts';
import { type RunView, runView } from '../../views/run.ts';
import { type RunText, runViewText } from '../../views/run-text.ts';
import type { Core, TreeAsk } from '../records/core.ts';
import { remember, treeNow } from '../records/known-trees.ts';

/** Views of runs, with exact roll-ups; each tree is read once. */
export async function viewsOf(core: Core, runs: readonly RunRecord[]): Promise<RunView[]> {
  await readTrees(core, [...new Set(runs.map((run) => run.rootRunId))]);
  return runs.map((run) => runView(run, treeNow(core, run.rootRunId)));
}

/** The same views as JSON texts. */
export async function viewTextsOf(core: Core, runs: readonly (RunRecord | RunText)[]): Promise<string[]> {
  await readTrees(core, [...new Set(runs.map((run) => run.rootRunId))]);
  return runs.map((run) => runViewText(run, treeNow(core, run.rootRunId)));
}

async function readTrees(core: Core, roots: readonly number[]): Promise<void> {
  for (const tree of await Promise.all(roots.map((id) => core.store.trees.get(id)))) if (tree) remember(core, tree);
}

/** Version of a run's view; null while pool settlements are in flight, since views include those. */
export async function viewVersionOf(core: Core, { rootRunId, version }: RunRecord): Promise<string | null> {
  await readTrees(core, [rootRunId]);
  return core.owed.has(rootRunId) ? null : `${version}:${core.trees.get(rootRunId)?.version}`;
}

/**
 * Changes a tree atomically; null when `decide` returned null. Changes requested during a write are merged into the
 * next
 * one, so that many runs of a tree share disk writes; each decides on the state after those before it.
 */
export function updateTree(core: Core, rootRunId: number, decide: TreeAsk['decide']): Promise<TreeRecord | null> {
  return new Promise((resolve, reject) => {
    const asks = core.treeAsks.get(rootRunId);
    const ask: TreeAsk = { decide, made: false, refusal: undefined, resolve, reject };
    if (asks) asks.push(ask);
    else {
      core.treeAsks.set(rootRunId, [ask]);
      void answerAll(core, rootRunId);
    }
  });
}

async function answerAll(core: Core, rootRunId: number): Promise<void> {
  for (;;) {
    const asks = core.treeAsks.get(rootRunId) ?? [];
    if (asks.length === 0) {
      core.treeAsks.delete(rootRunId);
      return;
    }
    core.treeAsks.set(rootRunId, []);
    try {
      const tree = await writeTogether(core, rootRunId, asks);
      for (const ask of asks) {
        if (ask.refusal === undefined) ask.resolve(ask.made ? tree : null);
        else ask.reject(ask.refusal);
      }
    } catch (error) {
      for (const ask of asks) ask.reject(error);
    }
  }
}

async function writeTogether(core: Core, rootRunId: number, asks: readonly TreeAsk[]): Promise<TreeRecord | null> {
  let seen: TreeRecord | null = null;
  const tree = await core.store.trees.update(
    rootRunId,
    (now) => {
      seen = now;
      return fold(now, asks, core.clock.now());
    },
    core.trees.get(rootRunId),
  );
  const before = seen as TreeRecord | null;
  // A refused change refreshes the cached state too: callers that use it would otherwise repeat their request for ever.
  if (!tree) {
    if (before) remember(core, before);
    return null;
  }
  remember(core, tree);
  if (tree.quiescedAt !== null && before?.quiescedAt === null) tellQuiet(core, tree, false);
  for (const wake of core.poolWaiters.get(rootRunId) ?? []) wake();
  return tree;
}

/** Merges all changes, each decided on the state after those before it; null when none applies. */
function fold(before: TreeRecord, asks: readonly TreeAsk[], at: number): Partial<TreeRecord> | null {
  const all: Partial<TreeRecord> = {};
  for (const ask of asks) {
    ask.refusal = undefined;
    ask.made = false;
    try {
      const set = ask.decide({ ...before, ...all });
      if (!set) continue;
      ask.made = true;
      Object.assign(all, set);
    } catch (error) {
      ask.refusal = error;
    }
  }
  if (all.members) all.quiescedAt = isQuiet({ ...before, ...all }) ? (before.quiescedAt ?? at) : null;
  return asks.some((ask) => ask.made) ? all : null;
}

/** Marks a run at rest as inactive in its tree, for good when it has ended. Publishes a quiet tree. Safe to repeat. */
export async function leaveTree(core: Core, run: RunRecord): Promise<void> {
  const ended = hasEnded(run.status);
  const changed = await updateTree(core, run.rootRunId, (now) => {
    const members = changeMembers(now, [run.id], (member) =>
      member.active || (ended && !member.ended) ? { active: false, ended: member.ended || ended } : null,
    );
    const holds = ended ? withoutHolds(now, run) : null;
    return members || holds ? { ...(members ? { members } : {}), ...(holds ? { holds } : {}) } : null;
  });
  if (!run.unfinished || (!ended && run.status !== 'Paused')) return;
  const tree = changed ?? (await core.store.trees.get(run.rootRunId));
  if (tree && tree.quiescedAt !== null) tellQuiet(core, tree, true);
}

/** Reservations without those that a dead owner left for an ended run; null when there are none. */
function withoutHolds(tree: TreeRecord, run: RunRecord): TreeRecord['holds'] | null {
  const left = Object.entries(tree.holds).filter(
    ([id, hold]) => hold.runId !== run.id || run.settlements.some((one) => one.callId === id),
  );
  return left.length < Object.keys(tree.holds).length ? Object.fromEntries(left) : null;
}

/** Publishes once per process that a tree came to rest; `again` when a dead process may have published it. */
function tellQuiet(core: Core, tree: TreeRecord, again: boolean): void {
  if (core.toldQuiet.get(tree.id) === tree.quiescedAt) return;
  core.toldQuiet.set(tree.id, tree.quiescedAt);
  const total = rollUp(tree, tree.id);
  const data = {
    rootRunId: tree.id,
    runCount: total.runs,
    totalTokens: total.tokens,
    totalCostUsd: total.costUsd,
    atUtc: new Date(tree.quiescedAt ?? core.clock.now()).toISOString(),
  };
  core.sink
    .publish([
      {
        tenantId: tree.tenantId,
        topics: ['runs', `run-tree:${tree.id}`],
        type: 'tree.quiesced',
        data,
        durable: true,
        key: `tree.quiesced:${tree.id}:${tree.quiescedAt}`,
        ...(again ? { again } : {}),
      },
    ])
    ?.catch((error) => core.log.warn({ err: error }, 'tree.quiesced was not published'));
}

/** Changes one member. */
export const updateMember = (
  core: Core,
  run: Pick<RunRecord, 'id' | 'rootRunId'>,
  change: (member: TreeMember) => Partial<TreeMember> | null,
) =>
  updateTree(core, run.rootRunId, (tree) => {
    const members = changeMembers(tree, [run.id], change);
    return members && { members };
  });

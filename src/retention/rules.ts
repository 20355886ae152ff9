// What is kept for how long: runs and streams by their rules here, the rest by those that groups declare.
import type { Engine } from '../../runtime/engine.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Signer } from '../kernel/signer.ts';
import type { AnyCollectionSpec, CollectionSpec, Db, Entity } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import {
  deleteInBatches,
  pagesOf,
  type RetentionBase,
  type RetentionRules,
  retentionStep,
} from '../ports/retention.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import * as runSpecs from '../stores/runs/collections.ts';
import { removeTopics } from '../stream/log/db-event-store.ts';
import { topicKey } from '../stream/log/topics.ts';
import type { BelievedTime } from './believed-time.ts';
import { createRetention } from './retention.ts';
import { pruneEvents, ruleOfTenants } from './tenants.ts';

interface Deps {
  db: Db;
  engine: Pick<Engine, 'remove'>;
  config: Pick<Config, 'kept'>;
  clock: Clock;
  believedTime: BelievedTime;
  log: Logger;
  nodeId: string;
  policies: Pick<Policies, 'of'>;
  ids: Ids;
  signer: Signer;
  /** What groups declare. */
  declared: readonly ((base: RetentionBase) => RetentionRules)[];
  /** Collections of groups whose documents go with their runs. */
  ofRuns: readonly AnyCollectionSpec[];
}

/** What groups are given for their rules, as it is now. */
export const retentionBase = (
  deps: Omit<Deps, 'engine' | 'log' | 'nodeId' | 'policies' | 'declared' | 'ofRuns'>,
): RetentionBase => {
  const { db, config } = deps;
  return {
    ...deps,
    kept: config.kept,
    removeTopics: (tenantId, topics) =>
      removeTopics(
        db,
        topics.map((topic) => topicKey(tenantId, topic)),
      ),
    removeCouncilsOf: async (ids) => {
      await deleteInBatches(db.collection(runSpecs.councils), { chatSessionId: { $in: [...ids] } });
    },
  };
};

export function openRetention(deps: Deps) {
  const { db, config, clock, believedTime, log, nodeId } = deps;
  const emptyTrees = new Set<number>();
  const rules = () => {
    const declared = deps.declared.map((rulesOf) => rulesOf(retentionBase(deps)));
    return [
      { name: 'runs', keptMs: config.kept.runsMs, prune: (before: number) => pruneRuns(deps, before, emptyTrees) },
      ...declared.flatMap(({ rules = [] }) => rules),
      ...[pruneEvents(db), ...declared.flatMap(({ ofTenants = [] }) => ofTenants)].map((one) =>
        ruleOfTenants(deps, one),
      ),
    ];
  };
  return createRetention({ db, clock, believedTime, log, nodeId, rules });
}

/**
 * A tree goes as a whole, when all of its runs ended that long ago, also when its root was deleted before. What waits or
 * is paused stays. A tree without runs is what deletions and crashes leave, or its root is about to be stored: it goes
 * when the round before found it empty too. `empty` holds the ids of those between rounds.
 */
async function* pruneRuns(deps: Deps, before: number, empty: Set<number>): AsyncGenerator<number> {
  const { db } = deps;
  const runs = db.collection(runSpecs.runs);
  const isOld = (run: Pick<runSpecs.RunDocument, 'status' | 'updatedAt'>) =>
    hasEnded(run.status) && run.updatedAt < before;
  const emptyBefore = new Set(empty);
  empty.clear();
  const projection = { rootRunId: 1, status: 1, createdAt: 1, updatedAt: 1, spawnDepth: 1, tenantId: 1 } as const;
  for await (const trees of pagesOf(db.collection(runSpecs.trees), {})) {
    const ids = trees.map(({ _id }) => _id);
    const roots = await runs.find({ _id: { $in: ids } }, { projection, limit: ids.length }).toArray();
    const current = new Set(roots.filter((root) => !isOld(root)).map(({ _id }) => _id));
    const others = ids.filter((id) => !current.has(id));
    const members =
      others.length === 0 ? [] : await runs.find({ rootRunId: { $in: others } }, { projection }).toArray();
    const peopled = new Set(members.map(({ rootRunId }) => rootRunId));
    const young = new Set(members.filter((run) => !isOld(run)).map(({ rootRunId }) => rootRunId));
    const gone = others.filter((id) => (peopled.has(id) ? !young.has(id) : emptyBefore.has(id)));
    for (const id of others) if (!peopled.has(id) && !emptyBefore.has(id)) empty.add(id);
    yield* removeTrees(deps, gone, members);
    yield 0;
    // Younger trees follow: ids of several nodes overlap by less than a page.
    if (roots.length > 0 && roots.every((root) => root.createdAt >= before)) return;
  }
}

type Member = Pick<runSpecs.RunDocument, '_id' | 'tenantId' | 'rootRunId' | 'spawnDepth'>;

/** Trees with all their members, of which `members` has every one; those of other trees are left alone. */
async function* removeTrees(
  deps: Pick<Deps, 'db' | 'engine' | 'ofRuns'>,
  roots: readonly number[],
  members: readonly Member[],
): AsyncGenerator<number> {
  const { db } = deps;
  const going = members.filter(({ rootRunId }) => roots.includes(rootRunId));
  // The deepest first, so that a crash leaves a tree and never runs without their root.
  going.sort((a, b) => b.spawnDepth - a.spawnDepth);
  for (let from = 0; from < going.length; from += retentionStep) {
    const some = going.slice(from, from + retentionStep);
    await removeRuns(deps, some);
    yield some.length;
  }
  await deleteInBatches(db.collection(runSpecs.treeMembers), { treeId: { $in: [...roots] } });
  await db.collection(runSpecs.trees).deleteMany({ _id: { $in: [...roots] } });
}

/** Removes trees of a tenant whose runs have all ended, as retention does; answers their runs. @throws Fault where one has not */
export async function removeTreesNow(
  deps: Pick<Deps, 'db' | 'engine' | 'ofRuns'>,
  tenantId: number,
  roots: readonly number[],
): Promise<number[]> {
  const projection = { rootRunId: 1, spawnDepth: 1, tenantId: 1 } as const;
  const own = { tenantId, rootRunId: { $in: [...roots] } };
  const members = await deps.db.collection(runSpecs.runs).find(own, { projection }).toArray();
  for await (const _ of removeTrees(deps, roots, members));
  return members.map(({ _id }) => _id);
}

type Hanging = CollectionSpec<Entity & { runId: number; tenantId?: number }>;
/** What the engine keeps of runs; groups say in their parts what else hangs on them. */
const ofEngine = [
  runSpecs.events,
  runSpecs.messages,
  runSpecs.toolCalls,
  runSpecs.checkpoints,
  runSpecs.escalations,
  runSpecs.councils,
] as unknown as Hanging[];

/** Deletes the documents that belong to runs, but not their streams. */
export async function removeParts(
  { db, ofRuns }: Pick<Deps, 'db' | 'ofRuns'>,
  runs: readonly { _id: number; tenantId: number }[],
): Promise<void> {
  const ids = runs.map(({ _id }) => _id);
  for (const tenantId of new Set(runs.map((run) => run.tenantId)))
    for (const spec of ofRuns)
      await deleteInBatches(db.collection(spec as Hanging), { tenantId, runId: { $in: ids } } as never);
  for (const spec of ofEngine) await deleteInBatches(db.collection(spec), { runId: { $in: ids } } as never);
}

/** Runs with all that hangs on them; the runs themselves last, so that what a crash leaves is found again. */
async function removeRuns(
  deps: Pick<Deps, 'db' | 'engine' | 'ofRuns'>,
  runs: readonly Pick<Member, '_id' | 'tenantId' | 'rootRunId'>[],
): Promise<void> {
  const { db, engine } = deps;
  await removeParts(deps, runs);
  await removeTopics(
    db,
    runs.flatMap(({ _id, tenantId }) => [`run:${_id}`, `run-tree:${_id}`].map((topic) => topicKey(tenantId, topic))),
  );
  // Concurrent writes share one commit; roots go after what is below them.
  await Promise.all(runs.filter((run) => run._id !== run.rootRunId).map(({ _id }) => engine.remove(_id)));
  await Promise.all(runs.filter((run) => run._id === run.rootRunId).map(({ _id }) => engine.remove(_id)));
}

// Runs that ended on another server: written as they were, told to nobody, and never the engine's to work on.
import type { RunDocuments } from '../../../runtime/ports.ts';
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import type { TreeMember } from '../../../runtime/state/members.ts';
import type { TreeRecord } from '../../../runtime/state/tree.ts';
import { inOrderOfView } from '../../../runtime/views/run-text.ts';
import type { Db, Update } from '../../ports/db.ts';
import { ignoreDuplicate } from '../../ports/duplicate.ts';
import * as spec from './collections.ts';

type Place = { tree: TreeRecord } | { rootRunId: number; member: TreeMember };

export function createPastRuns({ db, runs }: { db: Db; runs: Pick<RunDocuments, 'get'> }) {
  const all = db.collection(spec.runs);
  const trees = db.collection(spec.trees);
  const events = db.collection(spec.events);
  return {
    series: spec.runs.name,
    async find(id: number): Promise<RunRecord | null> {
      const run = await runs.get(id);
      return run?.importedAt == null ? null : run;
    },
    /** The place in the tree first: a run without one could not be looked at. */
    async keep({ id, ...run }: RunRecord, place: Place): Promise<void> {
      if ('tree' in place) {
        const { id: treeId, ...tree } = place.tree;
        await trees
          .insertOne({ _id: treeId, ...tree, members: Object.fromEntries(tree.members), isStopping: false })
          .catch(ignoreDuplicate);
      } else
        await trees.updateOne({ _id: place.rootRunId, [`members.${id}`]: { $exists: false } } as never, {
          ...({ $set: { [`members.${id}`]: place.member } } as Update<spec.TreeDocument>),
          $inc: { version: 1 },
        });
      await all.insertOne(inOrderOfView({ _id: id, ...run, outbox: null, dirty: false })).catch(ignoreDuplicate);
    },
    async tell(runId: number, told: readonly AgentEvent[]): Promise<void> {
      await events.deleteMany({ runId, seq: { $in: told.map(({ seq }) => seq) } });
      await events.insertMany(told.map(({ id, ...event }) => ({ _id: id, ...event })));
    },
  };
}

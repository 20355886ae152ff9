// Runs of long ago in any store, each with all that hangs on it: copies of one that a server made.

import { noteSpec } from '../../src/groups/agent/notes/notes.ts';
import type { AnyCollectionSpec, Collection, Db, Entity } from '../../src/ports/db.ts';
import * as specs from '../../src/stores/runs/collections.ts';

type Doc = Entity & Record<string, unknown>;

const hanging: readonly AnyCollectionSpec[] = [
  specs.events,
  specs.messages,
  specs.toolCalls,
  specs.escalations,
  noteSpec,
];
const all: readonly AnyCollectionSpec[] = [...hanging, specs.runs, specs.trees];
/** Above all ids that a server gives in a test. */
const firstId = 1_000_000;
const day = 86_400_000;

/** Makes `count` copies of the run `runId`, which ended `days` days ago. */
export async function addOldRuns(
  db: Db,
  runId: number,
  { count, days }: { count: number; days: number },
): Promise<void> {
  const at = Date.now() - days * day;
  const of = ({ name }: AnyCollectionSpec) => db.collection<Doc>(name) as Collection<Doc>;
  const [run] = await of(specs.runs).find({ _id: runId }).toArray();
  const [tree] = await of(specs.trees).find({ _id: runId }).toArray();
  if (!run || !tree) throw new Error(`There is no root run ${runId}.`);
  const parts = await Promise.all(hanging.map((spec) => of(spec).find({ runId }).toArray()));
  const batch = 200;
  for (let from = 0; from < count; from += batch) {
    const ids = Array.from({ length: Math.min(batch, count - from) }, (_, i) => firstId + from + i);
    const old = { createdAt: at, updatedAt: at, completedAt: at, unfinished: false, duties: [] };
    await of(specs.runs).insertMany(ids.map((_id) => ({ ...run, ...old, _id, rootRunId: _id })));
    await of(specs.trees).insertMany(ids.map((_id) => ({ ...tree, _id })));
    for (const [at, spec] of hanging.entries()) {
      const copies = ids.flatMap((id) => parts[at]!.map((doc, n) => ({ ...doc, _id: idOf(doc, id, n), runId: id })));
      if (copies.length > 0) await of(spec).insertMany(copies);
    }
  }
}

const idOf = (doc: Doc, runId: number, n: number) => (typeof doc._id === 'string' ? `${runId}:${n}` : runId * 1000 + n);

/** How many documents of runs there are. */
export async function countOf(db: Db): Promise<Record<string, number>> {
  const counts = await Promise.all(
    all.map(async ({ name }) => [name, await db.collection(name).countDocuments()] as const),
  );
  return Object.fromEntries(counts);
}

// Lists of a run that grow with its children: the run's document holds the last items, chunks hold those before, so that
// a write of the parent of a thousand runs is as small as one of ten.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Db, Filter } from '../../ports/db.ts';
import * as spec from './collections.ts';
import { recordOf } from './documents.ts';
import type { RunSeals } from './sealed.ts';

const names = ['seen', 'arrived', 'inbox'] as const;
type Name = (typeof names)[number];

/** Items of one document of a list. The run's document holds twice as many at most, with all its writes. */
const chunk = 8;
const formerChunk = 32;

export interface PackedRun {
  /** Fields as the run's document holds them. */
  fields: Partial<RunRecord> & Pick<spec.RunDocument, 'moved'>;
  moved: spec.MovedItems;
  /**
   * Items that leave the run's document with this write. The document has held them, so they are valid even if the
   * write fails.
   */
  chunks: spec.RunItemsDocument[];
}

/** Stored form of a change of fields. A list that was not only appended to is restarted in the document. */
export function packRun(now: RunRecord, before: spec.MovedItems, set: Partial<RunRecord>): PackedRun {
  const fields: PackedRun['fields'] = { ...set };
  const chunks: spec.RunItemsDocument[] = [];
  let moved = before;
  for (const name of names) {
    const next = set[name];
    if (!next) continue;
    const { round = 0, count = 0 } = before[name] ?? {};
    if (isContinued(now[name], next)) {
      const size = count > 0 ? sizeOf(before[name]) : chunk;
      const full = count + Math.floor((now[name].length - count) / size) * size;
      for (let from = count; from < full; from += size)
        chunks.push(chunkOf(now.id, name, round, from, now[name].slice(from, from + size)));
      if (full > count) moved = { ...moved, [name]: { round, count: full, size } };
      (fields as Record<string, unknown>)[name] = full > 0 ? next.slice(full) : next;
    } else if (count > 0) moved = { ...moved, [name]: { round: round + 1, count: 0 } };
  }
  if (moved !== before) fields.moved = moved;
  return { fields, moved, chunks };
}

const sizeOf = (moved: spec.MovedItems[Name]) => moved?.size ?? formerChunk;

/** Ids of the chunks of a list. */
function chunkIds(runId: number, name: Name, moved: spec.MovedItems[Name]): string[] {
  const { round = 0, count = 0 } = moved ?? {};
  const size = sizeOf(moved);
  return Array.from({ length: count / size }, (_, at) => `${runId}:${name}:${round}:${at * size}`);
}

const isContinued = (now: readonly unknown[], next: readonly unknown[]) =>
  next.length >= now.length && now.every((item, at) => item === next[at]);

const chunkOf = (runId: number, name: Name, round: number, from: number, items: unknown[]): spec.RunItemsDocument => ({
  _id: `${runId}:${name}:${round}:${from}`,
  runId,
  items: items as spec.RunItemsDocument['items'],
});

/** Reads runs with the items of their lists that are stored elsewhere. */
export function createRunOpener(db: Db, seals: RunSeals) {
  const parts = db.collection(spec.runItems);

  const idsOf = ({ _id, moved }: spec.RunDocument): string[] =>
    names.flatMap((name) => chunkIds(_id, name, moved?.[name]));

  const opened = (document: spec.RunDocument) => seals.open(recordOf<RunRecord>(document, spec.ownOfDocument));

  /** Prepends the chunks to a run's lists; false when a list was restarted meanwhile. */
  const complete = async (run: RunRecord, ids: readonly string[]): Promise<boolean> => {
    const found = new Map<string, unknown[]>();
    for await (const one of parts.find({ _id: { $in: [...ids] } })) found.set(one._id, one.items);
    if (found.size < ids.length) return false;
    for (const name of names) {
      const before = ids.filter((id) => id.startsWith(`${run.id}:${name}:`)).flatMap((id) => found.get(id) ?? []);
      if (before.length > 0) Object.assign(run, { [name]: [...before, ...run[name]] });
    }
    return true;
  };

  const whole = async (document: spec.RunDocument): Promise<RunRecord> => {
    for (let newest = document; ; ) {
      const ids = idsOf(newest);
      const run = opened(newest);
      if (ids.length === 0 || (await complete(run, ids))) return run;
      const next = await db.collection(spec.runs).findOne({ _id: run.id });
      // The run was removed meanwhile: its document is all there is.
      if (!next || next.version === run.version) return run;
      newest = next;
    }
  };

  /** Turns the document into its run; without a promise where the document holds all of it. */
  return (document: spec.RunDocument): RunRecord | Promise<RunRecord> =>
    document.moved ? whole(document) : opened(document);
}

/** Stores chunks that leave a run's document, where that cannot be one write with it. */
export async function putChunks(db: Db, chunks: readonly spec.RunItemsDocument[]): Promise<void> {
  const parts = db.collection(spec.runItems);
  await Promise.all(chunks.map((one) => parts.replaceOne({ _id: one._id }, one, { upsert: true })));
}

/** Deletes the chunks of restarted lists. */
export async function dropChunks(db: Db, runId: number, before: spec.MovedItems, now: spec.MovedItems): Promise<void> {
  const isRestarted = (name: Name) => (now[name]?.round ?? 0) !== (before[name]?.round ?? 0);
  const gone = names.filter(isRestarted).flatMap((name) => chunkIds(runId, name, before[name]));
  if (gone.length === 0) return;
  await db.collection(spec.runItems).deleteMany({ _id: { $in: gone } } as Filter<spec.RunItemsDocument>);
}

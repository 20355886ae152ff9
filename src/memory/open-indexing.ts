// Background work that keeps the indexes of a kind equal to its documents.
import type { Round } from '../kernel/rounds.ts';
import type { CollectionSpec, Db } from '../ports/db.ts';
import { createBacklog } from './backlog.ts';
import { createIndexing } from './indexing.ts';
import type { Findable, Kind } from './kinds.ts';
import type { Indexes } from './ports.ts';

interface Deps {
  db: Db;
  indexes: Indexes;
}

/** Interval in ms of polls for documents that wait for their vectors. */
const settleEveryMs = 1000;
/** Interval in ms of comparisons between indexes and documents. */
const repairEveryMs = 6 * 60 * 60_000;

/** @param plural - name of the documents in the log, e.g. `memories` */
export function openIndexing<Doc extends Findable>(
  { db, indexes }: Deps,
  kind: Kind<Doc>,
  spec: CollectionSpec<Doc>,
  plural: string,
  follows: Pick<Parameters<typeof createIndexing<Doc>>[0], 'also' | 'gone' | 'written'> = {},
) {
  const backlog = createBacklog(db.collection(spec), spec.sealed && indexes.seals?.keyIds);
  const indexing = createIndexing<Doc>({ ...indexes, ...follows, kind, backlog });
  const settling: Round = {
    name: `${plural} that wait for their vectors`,
    everyMs: settleEveryMs,
    work: (signal) => indexing.round(signal),
  };
  const repairing: Round = { name: `the indexes of ${plural}`, everyMs: repairEveryMs, work: () => indexing.repair() };
  return { indexing, settling, repairing };
}

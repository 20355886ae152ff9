// Details of runs as JSON text, kept until something that they show has changed.
import { LRUCache } from 'lru-cache';
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { ChangeCount } from '../../../ports/db.ts';
import { detailText, type ReadDetail } from './detail.ts';

/** Counts of the writes that a detail may show, beside those of the run and its tree. */
export interface DetailCounts {
  byRun: readonly ChangeCount[];
  /** The mailboxes of a tenant: who has read a message is shown with it. */
  mailboxes: ChangeCount;
}

interface Deps {
  viewVersion: Engine['viewVersion'];
  /** Null where the store cannot tell: then each detail is read. */
  counts: DetailCounts | null;
  read: (run: RunRecord) => Promise<ReadDetail>;
}

interface Kept {
  version: string;
  byRun: readonly number[];
  /** Null where no message is shown. */
  mailboxes: number | null;
  text: string;
}

const keptCharacters = 8_000_000;
/** Stands for a detail that was asked for once; no version is like its own. */
const asked: Kept = { version: '', byRun: [], mailboxes: null, text: '' };
const sizeOf = ({ text }: Kept) => 200 + text.length;

/**
 * The text of what `show` makes of a run's detail; one is kept by `name` for each way of showing it, from the second
 * time on: texts that are asked for once would only be moved about in memory.
 */
export function createDetailTexts({ viewVersion, counts, read }: Deps) {
  const kept = new LRUCache<string, Kept>({ maxSize: keptCharacters, sizeCalculation: sizeOf });
  return async (run: RunRecord, name: string, show: (detail: ReadDetail) => ReadDetail): Promise<string> => {
    const version = counts && (await viewVersion(run));
    const key = `${run.id} ${name}`;
    const known = kept.get(key);
    // Counted before it is read: what changes meanwhile is read again.
    const byRun = counts?.byRun.map((count) => count(run.id)) ?? [];
    const mailboxes = counts?.mailboxes(run.tenantId) ?? null;
    if (
      known?.version === version &&
      known.byRun.every((count, at) => count === byRun[at]) &&
      (known.mailboxes === null || known.mailboxes === mailboxes)
    )
      return known.text;
    const detail = await read(run);
    const text = detailText(show(detail));
    if (version === null) return text;
    if (!known) kept.set(key, asked);
    else if ((await viewVersion(run)) === version)
      kept.set(key, { version, byRun, mailboxes: detail.beside.interactionMessages?.length ? mailboxes : null, text });
    return text;
  };
}

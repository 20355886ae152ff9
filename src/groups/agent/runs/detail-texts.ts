// Details of runs as JSON text, kept until something that they show has changed.
import { LRUCache } from 'lru-cache';
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { ChangeCount } from '../../../ports/db.ts';
import type { AgentRunDetailDto } from '../dto.ts';

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
  read: (run: RunRecord) => Promise<AgentRunDetailDto>;
}

interface Kept {
  version: string;
  byRun: readonly number[];
  /** Null where no message is shown. */
  mailboxes: number | null;
  text: string;
}

const keptCharacters = 8_000_000;

/** The text of what `show` makes of a run's detail; a text is kept by `name`, one for each way of showing it. */
export function createDetailTexts({ viewVersion, counts, read }: Deps) {
  const kept = new LRUCache<string, Kept>({ maxSize: keptCharacters, sizeCalculation: ({ text }) => text.length });
  return async (run: RunRecord, name: string, show: (detail: AgentRunDetailDto) => object): Promise<string> => {
    const version = counts && (await viewVersion(run));
    if (!counts || version === null) return JSON.stringify(show(await read(run)));
    const key = `${run.id} ${name}`;
    // Counted before it is read: what changes meanwhile is read again.
    const byRun = counts.byRun.map((count) => count(run.id));
    const mailboxes = counts.mailboxes(run.tenantId);
    const known = kept.get(key);
    if (
      known?.version === version &&
      known.byRun.every((count, at) => count === byRun[at]) &&
      (known.mailboxes === null || known.mailboxes === mailboxes)
    )
      return known.text;
    const detail = await read(run);
    const text = JSON.stringify(show(detail));
    if ((await viewVersion(run)) === version)
      kept.set(key, { version, byRun, mailboxes: detail.interactionMessages?.length ? mailboxes : null, text });
    return text;
  };
}

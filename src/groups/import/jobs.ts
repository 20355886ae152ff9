// The work on imports: each job is done by one process at a time, beats while it does, and is gone on with by another one
// when its process dies.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { withTightHeap } from '../../kernel/tight-heap.ts';
import type { Db } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import type { Archives } from './archives.ts';
import type { Imports } from './keeping.ts';
import { type ImportDoc, type ImportJob, importRecord } from './record.ts';

/** Milliseconds without a beat after which a job's process counts as dead, and between two beats. */
export const leaseMs = 6000;
const beatMs = 1500;
/** Milliseconds for which an archive may be missing before its import fails: it may lie on another node. */
const missingMs = 10 * 60_000;
/** Processes that may die with a job before it fails. */
const mostAttempts = 8;

/** A job as who does it sees it. */
export interface Held {
  doc: ImportDoc;
  /** Changes the import. @throws Lost when another process has it, or it is discarded */
  set(fields: Partial<ImportDoc>): Promise<void>;
  /** @throws Lost */
  check(): void;
}

/** The job is another process's now. */
export class Lost extends Error {}

export type Work = (held: Held) => Promise<Partial<ImportDoc>>;

interface Deps {
  db: Db;
  clock: Clock;
  imports: Imports;
  archives: Archives;
  /** Whether this process alone has the store: whoever held a job before it began is dead. */
  alone: boolean;
  work: Readonly<Record<ImportJob, Work>>;
  /** What becomes of an import whose job has failed for good. */
  failed(held: Held, message: string): Promise<Partial<ImportDoc> | null>;
}

export const noJob = { job: null, due: null, holder: null, attempts: 0 } as const;

/** Fields with which an import waits for a process to do a job; the process that writes them holds it already. */
export const jobOf = (clock: Clock, job: ImportJob, holder: string = randomUUID()) => ({
  job,
  holder,
  due: new Date(clock.now() + leaseMs),
  attempts: 0,
});

export function createJobs(deps: Deps) {
  const { db, clock, archives } = deps;
  const all = db.collection(importRecord.spec);
  const untilDue = () => new Date(clock.now() + leaseMs);
  const began = clock.now();

  /** Does the job that the document says, which this process holds. Never rejects. */
  async function run(doc: ImportDoc): Promise<void> {
    const { tenantId, _id, holder, job } = doc;
    if (!job) return;
    const lost = new AbortController();
    const beat = async () => {
      const { matchedCount } = await all
        .updateOne({ _id, tenantId, holder }, { $set: { due: untilDue() } })
        // A store that is closed or away: another process goes on with the job.
        .catch(() => ({ matchedCount: 0 }));
      if (matchedCount === 0) lost.abort(new Lost());
    };
    const stop = clock.every(beatMs, () => void beat());
    const held = hold(deps, doc, lost);
    try {
      const fields = await withTightHeap(() => deps.work[job](held), { atOnce: isLarge(doc) });
      // What is removed is not there to be changed.
      if (job !== 'remove') await held.set({ ...noJob, ...fields });
    } catch (error) {
      await giveUp(deps, held, error);
    } finally {
      stop();
    }
  }

  async function claim({ _id, tenantId, holder, due, attempts }: ImportDoc): Promise<ImportDoc | null> {
    const taken = { holder: randomUUID(), due: untilDue(), attempts: attempts + 1 };
    return all.findOneAndUpdate({ _id, tenantId, holder, due }, { $set: taken }, { returnDocument: 'after' });
  }

  const findDue = polled(
    all,
    (until: Date) => all.find({ due: { $lte: until } }, { sort: { due: 1 }, limit: 20 }).toArray(),
    { due: { $gt: new Date(0) } },
  );
  return {
    run,
    /** Goes on with what dead processes have left, one job after the other. */
    async resume(): Promise<void> {
      const [now, earlier] = [clock.now(), deps.alone ? began + leaseMs - 1 : 0];
      const until = new Date(Math.max(now, earlier));
      for (const doc of await findDue(until)) {
        const isMissing = doc.job === 'parse' && doc.archive !== null && !archives.has(doc.archive);
        if (isMissing && clock.now() - (doc.due as Date).getTime() < missingMs) continue;
        const mine = await claim(doc);
        if (mine) await run(mine);
      }
    },
  };
}
export type Jobs = ReturnType<typeof createJobs>;

/** Archives whose reading makes much garbage. */
const largeBytes = 2 * 1024 * 1024;
const isLarge = ({ job, fileSizeBytes }: ImportDoc): boolean => job === 'parse' && fileSizeBytes > largeBytes;

function hold({ clock, imports }: Deps, first: ImportDoc, lost: AbortController): Held {
  const { tenantId, _id, holder } = first;
  const held: Held = {
    doc: first,
    check: () => lost.signal.throwIfAborted(),
    async set(fields) {
      held.check();
      try {
        const due = { due: new Date(clock.now() + leaseMs) };
        const change = (now: ImportDoc) => {
          if (now.holder !== holder) throw new Lost();
          return { ...due, ...fields };
        };
        held.doc = await imports.change({ tenantId }, _id, change, { expecting: ['holder'] });
      } catch (error) {
        const isGone = error instanceof Lost || (error instanceof Fault && error.code === 'NOT_FOUND');
        if (!isGone) throw error;
        lost.abort(new Lost());
        throw new Lost();
      }
    },
  };
  return held;
}

/** An error that speaks of the archive or the request ends the job; any other one is tried again by whoever looks next. */
async function giveUp({ failed }: Deps, held: Held, error: unknown): Promise<void> {
  if (error instanceof Lost || held.doc.job === 'remove') return;
  const message = messageOf(error, held.doc.attempts);
  if (message === null) return;
  try {
    const fields = await failed(held, message);
    if (fields) await held.set({ ...noJob, ...fields });
  } catch {
    // The store is away, or the import is gone: whoever looks next decides.
  }
}

/** What the owner of an import is told; null where trying again may help. */
function messageOf(error: unknown, attempts: number): string | null {
  if (error instanceof Fault && error.code !== 'STORE_UNAVAILABLE' && error.code !== 'INTERNAL_ERROR')
    return error.text;
  const { code } = error as { code?: unknown };
  if (code === 'ENOSPC') return 'The disk of the server is full. Make room on it, and upload the archive again.';
  if (code === 'ENOENT') return 'The archive is no longer on this server. Upload it again.';
  if (attempts >= mostAttempts)
    return 'The server failed again and again at this. Upload the archive again, or ask who runs the server.';
  return null;
}

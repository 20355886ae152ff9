// Works on maintenance jobs: each alone of its kind, held by a lease while it is done, taken up again after a crash.
import type { MaintenanceTask } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import { createRounds, inTurn } from '../../kernel/rounds.ts';
import type { Db } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import type { Gate } from '../../ports/queues.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import { MaintenanceRunDto } from './dto.ts';
import { type MaintenanceDoc, maintenanceRecord } from './record.ts';
import type { Outcome, Tasks } from './tasks.ts';

export interface RunnerDeps {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'error' | 'info'>;
  nodeId: string;
  publisher: Publisher;
  gate: Gate;
  tasks: Tasks;
  allTenants(): Promise<number[]>;
  /** No other process works on this store. */
  alone: boolean;
}

/** Jobs of a node at once; long ones leave room for short ones. */
export const jobsAtOnce = 3;
export const mostAttempts = 5;
const lookEveryMs = 2000;
const leaseMs = 30_000;
/** Milliseconds between two reports of how far a job is, and of the rest after each step. */
const toldEveryMs = 500;
const restMs = 5;

export const toMaintenanceDto = (doc: MaintenanceDoc): MaintenanceRunDto => shown(MaintenanceRunDto, doc);

class Stopped extends Error {}

export type Runner = ReturnType<typeof createRunner>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over what is under way, which call each other.
export function createRunner(deps: RunnerDeps) {
  const { clock, log, nodeId, gate, tasks } = deps;
  const jobs = deps.db.collection(maintenanceRecord.spec);
  const stopping = new AbortController();
  const active = new Map<number, Promise<void>>();
  const waiters = new Map<number, ((doc: MaintenanceDoc) => void)[]>();
  const now = () => new Date(clock.now());
  const until = () => new Date(clock.now() + leaseMs);

  const tell = (doc: MaintenanceDoc) =>
    deps.publisher.publish({
      ...{ tenantId: doc.tenantId, topics: ['system'], type: 'maintenance.updated' },
      data: toMaintenanceDto(doc),
    });
  const write = async (id: number, $set: Partial<MaintenanceDoc>, ended = false): Promise<MaintenanceDoc | null> => {
    const mine = { _id: id, owner: nodeId, state: 'Running' as const };
    const update = ended ? { $set, $unset: { holds: true as const } } : { $set };
    const doc = await jobs.findOneAndUpdate(mine, update, { returnDocument: 'after' });
    if (doc) await tell(doc);
    return doc;
  };

  const findFree = polled(
    jobs,
    async () => {
      const free = { $or: [{ state: 'Queued' as const }, { state: 'Running' as const, leaseUntil: { $lte: now() } }] };
      const held = { _id: { $nin: [...active.keys()] } };
      return jobs.find({ $and: [free, held] }, { sort: { _id: 1 }, limit: 1 }).toArray();
    },
    { state: { $in: ['Queued', 'Running'] } },
  );

  const claim = async (): Promise<MaintenanceDoc | null> => {
    const [next] = await findFree();
    if (!next) return null;
    const same = { _id: next._id, state: next.state, owner: next.owner, attempts: next.attempts };
    const $set = {
      ...{ state: 'Running' as const, owner: nodeId, leaseUntil: until(), attempts: next.attempts + 1 },
      startedAt: next.startedAt ?? now(),
    };
    const claimed = await jobs.findOneAndUpdate(same, { $set }, { returnDocument: 'after' });
    if (claimed) await tell(claimed);
    return claimed;
  };

  const carryOut = async (job: MaintenanceDoc): Promise<Outcome> => {
    if (job.attempts > mostAttempts)
      return { processed: job.processed, result: null, error: `Its server ended ${mostAttempts} times meanwhile.` };
    let toldAt = clock.steady();
    const step = async (processed: number, total: number | null = null): Promise<void> => {
      if (stopping.signal.aborted) throw new Stopped('the server stops');
      if (clock.steady() - toldAt >= toldEveryMs) {
        toldAt = clock.steady();
        const progressPercent = total ? Math.min(99, Math.floor((processed / total) * 100)) : 0;
        if (!(await write(job._id, { processed, total, progressPercent, leaseUntil: until() })))
          throw new Stopped('another node has taken it over');
      }
      await clock.sleep(restMs, stopping.signal).catch(() => undefined);
    };
    const { dryRun, olderThanDays, identityId, message } = job;
    const tenants = job.isScheduled ? await deps.allTenants() : [job.tenantId];
    const context = { tenants, dryRun, olderThanDays, identityId, message, step, signal: stopping.signal };
    return tasks[job.task].work(context);
  };

  const end = async (job: MaintenanceDoc, { processed, result, error = null }: Outcome): Promise<void> => {
    const done = await write(
      job._id,
      {
        ...{ state: error === null ? 'Succeeded' : 'Failed', processed, errorMessage: error, progressPercent: 100 },
        ...{ resultJson: JSON.stringify(result), completedAt: now(), leaseUntil: null, owner: nodeId },
      },
      true,
    );
    if (!done) return;
    for (const tellWaiter of waiters.get(job._id) ?? []) tellWaiter(done);
  };

  const work = async (job: MaintenanceDoc): Promise<void> => {
    // Long steps renew the lease, too.
    const stop = clock.every(leaseMs / 3, () => {
      const mine = { _id: job._id, owner: nodeId, state: 'Running' as const };
      jobs.updateOne(mine, { $set: { leaseUntil: until() } }).catch(() => undefined);
    });
    try {
      const outcome = await carryOut(job).catch((error: unknown): Outcome => {
        if (error instanceof Stopped || stopping.signal.aborted) throw error;
        log.error({ err: error, task: job.task, job: job._id }, 'a maintenance job has failed');
        const said = error instanceof Fault ? error.text : String(error);
        return { processed: job.processed, result: null, error: said.slice(0, 1000) };
      });
      await end(job, outcome);
    } catch {
      // The job waits for the next start, or another node; an orderly stop is no attempt.
      await write(job._id, { state: 'Queued', owner: null, leaseUntil: null, attempts: job.attempts - 1 });
    } finally {
      stop();
    }
  };

  const look = async (): Promise<void> => {
    while (!stopping.signal.aborted && !gate.isPaused() && active.size < gate.most(jobsAtOnce)) {
      const job = await claim();
      if (!job) return;
      const done = work(job)
        .catch((error: unknown) => log.error({ err: error, job: job._id }, 'a maintenance job waits for the next look'))
        .finally(() => {
          active.delete(job._id);
          poke();
        });
      active.set(job._id, done);
    }
  };
  const round = inTurn(look);
  const rounds = createRounds({ clock, log });
  function poke(): void {
    if (!stopping.signal.aborted)
      void round().catch((error: unknown) => log.error({ err: error }, 'maintenance waits for the next look'));
  }
  gate.onOpen(poke);

  return {
    poke,
    active: () => active.size,
    tell,
    /** The job when it has ended, or as it is after so many milliseconds. */
    async ended(id: number, patienceMs: number): Promise<MaintenanceDoc | null> {
      const abort = new AbortController();
      const done = new Promise<MaintenanceDoc>((resolve) => {
        waiters.set(id, [...(waiters.get(id) ?? []), resolve]);
      });
      poke();
      const late = clock.sleep(patienceMs, abort.signal).catch(() => undefined);
      await Promise.race([done, late]);
      abort.abort();
      waiters.delete(id);
      return jobs.findOne({ _id: id });
    },
    async run(): Promise<void> {
      // On the embedded store, what was under way was under way in a process that is gone.
      if (deps.alone) await jobs.updateMany({ state: 'Running' }, { $set: { leaseUntil: new Date(0) } });
      rounds.start({ name: 'maintenance jobs', everyMs: lookEveryMs, work: round });
      poke();
    },
    async close(): Promise<void> {
      stopping.abort(new Stopped('the server stops'));
      await rounds.close();
      // A look that is under way may begin one more job; none begins after the stop.
      await round().catch(() => undefined);
      await Promise.all(active.values());
    },
  };
}

/** What a job does alone: a task of a tenant, or one of the server. */
export const holdOf = (task: MaintenanceTask, scope: 'tenant' | 'server', tenantId: number): string =>
  scope === 'server' ? `server:${task}` : `${tenantId}:${task}`;

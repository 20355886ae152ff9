// The alarm clock of routines: Agenda wakes one of the nodes when a routine is due. What is due, the ledger knows; a lost alarm loses nothing.
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda, type Job } from 'agenda';
import type { Db as DriverDb } from 'mongodb';
import { type Clock, clocksDifferMs } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Db } from '../../../ports/db.ts';

interface Deps {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** A routine is due. */
  wake(): Promise<void>;
  /** A look for what was left lying, whatever the alarm says. */
  look(): Promise<void>;
  /** When the next one is due, in ms. */
  nextWake(): Promise<number | null>;
}

/** Two names of jobs for all routines: Agenda asks the store for each name, at each tick. */
const wakeJob = 'routine.wake';
const lookJob = 'routine.look';
const tickMs = 1000;
const lookEvery = '10 seconds';
/** A node that is silent for so long has lost its job. */
const lockMs = 10_000;
/** How long jobs under way get at the end. */
const drainMs = 5000;

export interface Alarm {
  /** Sets the alarm to the next moment at which a routine is due. */
  set(): Promise<void>;
  /** Sets the look anew where a clock that was ahead has set it. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function openAlarm({ db, clock, log, wake, look, nextWake }: Deps): Promise<Alarm> {
  // Of the driver's database the back end uses what ours has.
  const backend = new MongoBackend({ mongo: db as unknown as DriverDb });
  const agenda = new Agenda({ backend, processEvery: tickMs, defaultLockLifetime: lockMs, removeOnComplete: true });
  agenda.on('error', (error: Error) => log.error({ err: error }, 'the alarm clock of routines has failed'));

  const alive = (work: () => Promise<void>) => async (job: Job) => {
    const stop = clock.every(lockMs / 3, () => void job.touch().catch(() => {}));
    try {
      await work();
      await set();
    } catch (error) {
      log.error({ err: error }, 'a round through the routines has failed; another follows');
    } finally {
      stop();
    }
  };
  const set = async () => {
    const at = await nextWake();
    if (at === null) return;
    // One job a moment, so that setting it never changes one that is being carried out.
    await agenda.create(wakeJob, { at }).unique({ name: wakeJob, 'data.at': at }).schedule(new Date(at)).save();
  };
  agenda.define(wakeJob, alive(wake), { concurrency: 1 });
  agenda.define(lookJob, alive(look), { concurrency: 1 });
  await agenda.start();
  await agenda.every(lookEvery, lookJob);
  await set();
  const isAhead = (at: Date | null | undefined) => (at?.getTime() ?? 0) > clock.now() + clocksDifferMs;
  const mend = async () => {
    const { jobs } = await agenda.queryJobs({ name: lookJob });
    if (!jobs.some(({ nextRunAt, lockedAt }) => isAhead(nextRunAt) || isAhead(lockedAt))) return;
    await agenda.cancel({ name: lookJob });
    await agenda.every(lookEvery, lookJob);
  };
  await mend();
  return {
    set,
    mend,
    async close() {
      // `stop` alone would give up jobs that are still carried out.
      await agenda.drain({ timeout: drainMs, closeConnection: false });
      await agenda.stop(false);
    },
  };
}

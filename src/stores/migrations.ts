// Numbered schema changes: each runs once, in order, in one process at a time.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import { type Db, defineCollection, type Entity } from '../ports/db.ts';
import { isDuplicate } from '../ports/duplicate.ts';

export interface Migration {
  /** 1, 2, 3, …: never reused. */
  number: number;
  name: string;
  /** Must be safe to run again: a crash in the middle repeats it. */
  up(db: Db): Promise<void>;
}

interface Applied extends Entity {
  _id: number;
  name: string;
  appliedAtUtc: Date;
}

interface Lock extends Entity {
  _id: string;
  owner: string;
  untilUtc: Date;
}

export const appliedCollection = defineCollection<Applied>({ name: 'migrations' });
export const lockCollection = defineCollection<Lock>({ name: 'migration_locks' });

const lockMs = 30_000;
const retryMs = 500;

/**
 * Applies what is not applied yet, and returns the numbers. Other processes wait for the one that migrates; when it
 * dies they go on within 30 s. Fault INTERNAL_ERROR when the database is newer than this program.
 */
export async function migrate(deps: {
  db: Db;
  migrations: readonly Migration[];
  clock: Clock;
  logger: Logger;
  /** Whether no other process can have this store open: an existing lock is then stale, and is taken over at once. */
  alone?: boolean;
  /** Whether the store is new; all changes are then recorded as applied, and none is run. */
  isNew?: () => Promise<boolean>;
}): Promise<number[]> {
  const { db, clock, logger } = deps;
  const migrations = [...deps.migrations].sort((a, b) => a.number - b.number);
  assertNumbered(migrations);
  const applied = db.collection(appliedCollection);
  const pending = async () => {
    const done = new Set((await applied.find().toArray()).map((one) => one._id));
    requireKnownMigrations(Math.max(0, ...done), migrations.length);
    return migrations.filter((one) => !done.has(one.number));
  };
  if ((await pending()).length === 0) return [];
  return withLock(deps, async () => {
    const numbers: number[] = [];
    const isNew = (await deps.isNew?.()) ?? false;
    for (const { number, name, up } of await pending()) {
      if (!isNew) {
        logger.info({ migration: number, name }, 'migrating the database');
        await up(db);
      }
      await applied.insertOne({ _id: number, name, appliedAtUtc: new Date(clock.now()) });
      numbers.push(number);
    }
    return numbers;
  });
}

function assertNumbered(migrations: readonly Migration[]): void {
  const wrong = migrations.find((one, index) => one.number !== index + 1);
  if (wrong) throw new Error(`Migration ${wrong.number} (${wrong.name}) breaks the numbering 1, 2, 3, …`);
}

/** @throws Fault INTERNAL_ERROR for a store whose newest migration this program, which knows `known`, does not have */
export function requireKnownMigrations(newest: number, known: number): void {
  if (newest <= known) return;
  throw new Fault('INTERNAL_ERROR', `The database is at version ${newest}, this program knows ${known}.`, {
    hint: 'Start the newer version of Rivulet again, or restore a backup from before the upgrade.',
  });
}

interface Locking {
  db: Db;
  clock: Clock;
  alone?: boolean;
}

async function withLock<R>({ db, clock, alone = false }: Locking, run: () => Promise<R>): Promise<R> {
  const locks = db.collection(lockCollection);
  const owner = randomUUID();
  const until = () => new Date(clock.now() + lockMs);
  while (!(await takeLock())) await clock.sleep(retryMs);
  const stopRenewing = clock.every(lockMs / 3, () => {
    locks.updateOne({ _id: 'migrations', owner }, { $set: { untilUtc: until() } }).catch(() => {});
  });
  try {
    return await run();
  } finally {
    stopRenewing();
    await locks.deleteOne({ _id: 'migrations', owner });
  }

  async function takeLock(): Promise<boolean> {
    const stale = { _id: 'migrations', ...(alone ? {} : { untilUtc: { $lt: new Date(clock.now()) } }) };
    if (await locks.findOneAndUpdate(stale, { $set: { owner, untilUtc: until() } })) return true;
    try {
      await locks.insertOne({ _id: 'migrations', owner, untilUtc: until() });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }
}

import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { lockCollection, type Migration, migrate } from './migrations.ts';

const logger = silentLogger;
const clock = systemClock;

function recording(count: number): { migrations: Migration[]; ran: number[] } {
  const ran: number[] = [];
  const migrations = Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    name: `step ${at + 1}`,
    up: async () => {
      ran.push(at + 1);
    },
  }));
  return { migrations, ran };
}

it('runs each once, in order', async () => {
  const db = openTestDb();
  const { migrations, ran } = recording(3);
  expect(await migrate({ db, migrations: migrations.slice(0, 1), clock, logger })).toEqual([1]);
  expect(await migrate({ db, migrations: migrations.toReversed(), clock, logger })).toEqual([2, 3]);
  expect(await migrate({ db, migrations, clock, logger })).toEqual([]);
  expect(ran).toEqual([1, 2, 3]);
});

it('notes all as applied where nothing was stored yet, and runs none', async () => {
  const db = openTestDb();
  const { migrations, ran } = recording(2);
  expect(await migrate({ db, migrations, clock, logger, isNew: async () => true })).toEqual([1, 2]);
  expect(await migrate({ db, migrations, clock, logger, isNew: async () => false })).toEqual([]);
  expect(ran).toEqual([]);
});

it('runs once when two processes start at once', async () => {
  const db = openTestDb();
  const { migrations, ran } = recording(3);
  const simulated = new SimulatedClock();
  const both = Promise.all([1, 2].map(() => migrate({ db, migrations, clock: simulated, logger })));
  for (let turn = 0; turn < 20; turn++) await simulated.advance(500);
  const [first, second] = await both;
  expect([...first!, ...second!]).toEqual([1, 2, 3]);
  expect(ran).toEqual([1, 2, 3]);
});

it('starts again where it failed', async () => {
  const db = openTestDb();
  const { migrations, ran } = recording(2);
  const broken = [migrations[0]!, { ...migrations[1]!, up: () => Promise.reject(new Error('no')) }];
  await expect(migrate({ db, migrations: broken, clock, logger })).rejects.toThrow('no');
  expect(await migrate({ db, migrations, clock, logger })).toEqual([2]);
  expect(ran).toEqual([1, 2]);
});

it('takes over from a process that died', async () => {
  const db = openTestDb();
  const simulated = new SimulatedClock();
  const untilUtc = new Date(simulated.now() + 5_000);
  await db.collection(lockCollection).insertOne({ _id: 'migrations', owner: 'dead', untilUtc });
  const { migrations } = recording(1);
  const done = migrate({ db, migrations, clock: simulated, logger });
  for (let turn = 0; turn < 20; turn++) await simulated.advance(500);
  expect(await done).toEqual([1]);
});

it('refuses a database newer than the program, and holes in the numbering', async () => {
  const db = openTestDb();
  const { migrations } = recording(2);
  await migrate({ db, migrations, clock, logger });
  await expect(migrate({ db, migrations: migrations.slice(0, 1), clock, logger })).rejects.toMatchObject({
    hint: expect.stringContaining('newer version'),
  });
  await expect(migrate({ db, migrations: migrations.slice(1), clock, logger })).rejects.toThrow('numbering');
});

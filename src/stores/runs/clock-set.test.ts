// Runs while the machine's clock is set back: what was saved last is the newest, and what is left to do is found.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { silentLogger as logger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createIds } from '../ids.ts';
import * as spec from './collections.ts';
import { createRunStore } from './run-store.ts';

it('a run restarts from the checkpoint that was saved last, whatever the clock says', async () => {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  const { checkpoints } = createRunStore({ db, ids: createIds({ db }), logger, clock, alone: true });
  const save = (messageCount: number) =>
    checkpoints.save({ id: `1-0-${messageCount}`, runId: 1, messageCount, createdAt: clock.now() } as never);
  await save(10);
  clock.jump(-3_600_000);
  await save(20);
  await clock.advance(1000);
  await save(30);
  await save(30);
  expect((await checkpoints.list(1, 9)).map(({ messageCount }) => messageCount)).toEqual([30, 20, 10]);
});

it('what a run owes is done at the next start, also where it ended by a clock that was ahead', async () => {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  const { runs } = createRunStore({ db, ids: createIds({ db }), logger, clock, alone: true });
  const left = (_id: number, ahead: number) =>
    db.collection(spec.runs).insertOne({ _id, unfinished: true, owner: null, updatedAt: clock.now() + ahead } as never);
  await left(1, 10 * 365 * 86_400_000);
  await left(2, 3_600_000);
  await left(3, 60_000);
  await left(4, 0);
  expect((await runs.unfinished(clock.now(), 9)).map(({ id }) => id)).toEqual([1, 2, 4]);
});

// Checkpoints while the machine's clock is set back: the newest stays the one that was saved last.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { silentLogger as logger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createIds } from '../ids.ts';
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

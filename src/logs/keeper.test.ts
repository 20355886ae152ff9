// Lines of several logs that are kept together.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { createLogTap } from '../kernel/log-tap.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { logBodies, logChunks, logFloors } from './chunk.ts';
import { createLogFinder } from './finder.ts';
import { createLogKeeper } from './keeper.ts';

it('several logs read as one have their lines in the order in which these were written', async () => {
  const db = openTestDb();
  await db.ensureIndexes([logChunks, logBodies, logFloors]);
  const clock = new SimulatedClock(Date.UTC(2026, 5, 1));
  const tap = createLogTap();
  const keeper = await createLogKeeper({
    ...{ db, clock, log: silentLogger, tap, nodeId: 'n1', host: 'here', slot: 1, operatorTenantId: 1 },
    trim: async () => {},
    runOwners: async () => new Map(),
  });
  const written: string[] = [];
  const put = (tenant: number, more: object = {}) => {
    const msg = `line ${written.length}`;
    written.push(msg);
    tap.put(`${JSON.stringify({ level: 50, time: clock.now(), tenant, msg, ...more })}\n`, null);
  };
  for (const tenant of [2, 0, 1, 2, 1, 0]) put(tenant);
  await keeper.flush();
  for (const tenant of [1, 0, 0, 2]) put(tenant);
  // Told twice: to the tenant, and to the operator.
  put(2, { err: { message: 'broken' } });
  written.push(written.at(-1)!);
  put(1);
  await keeper.flush();
  const found: string[] = [];
  for await (const { message } of createLogFinder({ db }).lines([0, 1, 2], {}, { order: 'oldest' }))
    found.push(message);
  expect(found).toEqual(written);
});

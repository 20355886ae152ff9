import { expect, it } from 'vitest';
import { runRecord, toolCallRecord } from '../../../runtime/testing/samples.ts';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Db } from '../../ports/db.ts';
import { createIds } from '../ids.ts';
import { runCollections } from './collections.ts';
import { createRunStore } from './run-store.ts';

const call = toolCallRecord('0.0');

it('what a dead process left in an outbox never takes the place of what came after it', async () => {
  const db = openTestDb();
  await db.ensureIndexes(runCollections);
  const { together: _, ...single } = db;
  const connect = (on: Db) =>
    createRunStore({ db: on, ids: createIds({ db }), logger: silentLogger, clock: new SimulatedClock() });
  const dead = connect(single);
  const run = runRecord({ id: 1, owner: 'dead' });
  await dead.runs.insert(run, { events: [{ type: 'RunCreated', title: 'made' }] });
  await dead.runs.update(1, () => ({ toolCalls: [call], events: [{ type: 'ToolCallStarted', title: 'look' }] }));

  const next = connect(db);
  for (const state of ['Running', 'Succeeded'] as const) {
    await next.runs.update(1, () => ({
      toolCalls: [{ ...call, state }],
      events: [{ type: 'ProgressUpdated', title: state }],
    }));
    await next.drain();
  }
  await next.repair();
  await next.runs.update(1, () => ({ set: { goal: 'other' } }));
  await connect(db).repair();
  expect(await next.runs.toolCalls(1, 0)).toMatchObject([{ key: '0.0', state: 'Succeeded' }]);
  const titles = (await next.runs.events(1, { limit: 10 })).map(({ seq, title }) => `${seq} ${title}`);
  expect(titles).toEqual(['1 made', '2 look', '3 Running', '4 Succeeded']);
});

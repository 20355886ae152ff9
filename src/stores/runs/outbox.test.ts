import { expect, it, onTestFinished } from 'vitest';
import { runRecord, toolCallRecord, treeRecord } from '../../../runtime/testing/samples.ts';
import { runTextOf } from '../../../runtime/views/run-text.ts';
import { openWorldDb } from '../../../test/support/embedded-db.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Db } from '../../ports/db.ts';
import { createIds } from '../ids.ts';
import * as spec from './collections.ts';
import { createPastRuns } from './past-runs.ts';
import { createRunStore } from './run-store.ts';

const call = toolCallRecord('0.0');

/** A copy of one empty store: to make these collections takes longer than each of these tests. */
async function open() {
  const { db, close } = await openWorldDb(new SimulatedClock(), spec.runCollections);
  onTestFinished(close);
  return db;
}

it('what a dead process left in an outbox never takes the place of what came after it', async () => {
  const db = await open();
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

it.each(['together', 'by outbox'])(
  'a run whose newest changes the store has lost goes on from what is there, %s',
  async (how) => {
    const db = await open();
    const { together: _, ...single } = db;
    const on = how === 'together' ? db : single;
    const { runs } = createRunStore({
      db: on,
      ids: createIds({ db }),
      logger: silentLogger,
      clock: new SimulatedClock(),
    });
    await runs.insert(runRecord({ id: 1, goal: 'first' }), {});
    const before = await db.collection(spec.runs).findOne({ _id: 1 });
    await runs.update(1, () => ({ set: { goal: 'lost' } }));
    await runs.update(1, () => ({ set: { goal: 'lost, too' } }));
    await db.collection(spec.runs).replaceOne({ _id: 1 }, before!);
    const seen: string[] = [];
    const made = await runs.update(1, ({ goal }) => {
      seen.push(goal);
      return { set: { goal: `${goal}, then another` } };
    });
    expect(seen).toEqual(['lost, too', 'first']);
    expect(made?.run).toMatchObject({ goal: 'first, then another', version: (before?.version ?? 0) + 1 });
  },
);

it('the document of a run, made here or elsewhere, begins with what a list shows', async () => {
  const db = await open();
  const store = createRunStore({ db, ids: createIds({ db }), logger: silentLogger, clock: new SimulatedClock() });
  await store.runs.insert(runRecord({ id: 1, goal: 'here' }), {});
  await createPastRuns({ db, runs: store.runs }).keep(runRecord({ id: 2, rootRunId: 2 }), {
    tree: treeRecord({ id: 2 }),
  });
  await store.runs.update(1, () => ({ set: { goal: 'changed' } }));
  for (const document of await db.collection(spec.runs).find({}).toArray()) {
    expect(Object.keys(document).slice(0, 4)).toEqual(['_id', 'guid', 'projectId', 'taskId']);
    expect(runTextOf(JSON.stringify(document))).not.toBeNull();
  }
});

// A wake is entered once for each routine and event, wherever among its writes a node dies.
import { expect, it, onTestFinished } from 'vitest';
import { openWorldDb } from '../../../../test/support/embedded-db.ts';
import { mortal } from '../../../../test/support/mortal-db.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import { createIds } from '../../../stores/ids.ts';
import type { Heard } from '../../hearing.ts';
import { createRoutineBook } from './book.ts';
import { ledgerRecord, type RoutineDoc, routineRecord, type TriggerDoc, triggerRecord } from './record.ts';
import { createWakes } from './wakes.ts';

async function openWorld() {
  const clock = new SimulatedClock();
  const { db, close } = await openWorldDb(clock, [routineRecord.spec, ledgerRecord.spec, triggerRecord.spec]);
  onTestFinished(close);
  const ids = createIds({ db });
  const at = new Date(clock.now() - 1000);
  const routine = {
    ...{ _id: 1, tenantId: 1, name: 'r', isEnabled: true, watchExpiry: null, timezoneId: 'UTC', projectId: null },
    ...{ maxConcurrentRuns: 0, maxRunsPerDay: 0, missedRunPolicyId: 'Skip', quietHoursJson: null, briefVersion: 1 },
    ...{ lastSeq: 0, createdAt: at },
  };
  await db.collection(routineRecord.spec).insertOne(routine as unknown as RoutineDoc);
  const trigger = (_id: number, more: Partial<TriggerDoc> = {}) =>
    db.collection(triggerRecord.spec).insertOne({
      ...{ _id, tenantId: 1, routineId: 1, projectId: null, eventPattern: 'task.*', filterJson: null },
      ...{ minSecondsBetweenWakes: 60, lastWakeAt: null, createdAt: at },
      ...more,
    } as TriggerDoc);
  const node = (fuse = { left: Number.POSITIVE_INFINITY }) => {
    const own = mortal(db, fuse);
    const publisher = { publish: async () => {} };
    const book = createRoutineBook({ db: own, ids, clock, publisher, blockedIn: async () => null });
    return createWakes({
      ...{ db: own, book, clock, log: silentLogger },
      ...{ start: async () => {}, mayFollow: async () => true, signals: null },
      findRun: async (id) => ({ id, rootRunId: id, tags: [`routine:${id}`] }) as never,
      makerOf: async () => ({}) as never,
    });
  };
  const rows = async () =>
    (
      await db
        .collection(ledgerRecord.spec)
        .find({}, { sort: { seq: 1 } })
        .toArray()
    ).map((row) => row.outcomeId);
  return { clock, trigger, node, rows };
}

const heard = (at: number, key = 'one', isAgain = false): Heard => ({
  ...{ tenantId: 1, key, type: 'task.created', topics: ['tasks'], data: {}, at, order: null, cause: null, isAgain },
});

it('is one row, at whichever call the node dies that enters it', async () => {
  let deaths = 0;
  for (let left = 0; ; left++) {
    const { clock, trigger, node, rows } = await openWorld();
    await trigger(1);
    const at = clock.now();
    const died = await node({ left })
      .take(heard(at))
      .then(
        () => false,
        () => true,
      );
    clock.jump(20_000);
    await node().take(heard(at, 'one', true));
    expect(await rows(), `killed at call ${left}`).toEqual(['Pending']);
    if (!died) break;
    deaths++;
  }
  expect(deaths).toBeGreaterThan(8);
});

it('is one row, though two triggers of the routine take the event', async () => {
  const { clock, trigger, node, rows } = await openWorld();
  await trigger(1, { minSecondsBetweenWakes: 0 });
  await trigger(2, { minSecondsBetweenWakes: 0 });
  await node().take(heard(clock.now()));
  await node().take(heard(clock.now(), 'two'));
  expect(await rows()).toEqual(['Pending', 'Pending']);
});

it('that came too soon stays skipped when it is taken again later', async () => {
  const { clock, trigger, node, rows } = await openWorld();
  await trigger(1);
  await node().take(heard(clock.now()));
  clock.jump(30_000);
  const soon = heard(clock.now(), 'two');
  await node().take(soon);
  expect(await rows()).toEqual(['Pending', 'SkippedThrottled']);
  clock.jump(600_000);
  await node().take({ ...soon, isAgain: true });
  expect(await rows()).toEqual(['Pending', 'SkippedThrottled']);
});

it('is not made of an event from before the trigger, nor of what the routine led to', async () => {
  const { clock, trigger, node, rows } = await openWorld();
  await trigger(1, { createdAt: new Date(clock.now() + 5000) });
  await node().take(heard(clock.now(), 'one', true));
  await node().take({ ...heard(clock.now(), 'two'), cause: { lineage: [1] } });
  // Its own run, whose row does not know of it yet.
  await node().take({ ...heard(clock.now(), 'three'), topics: ['run:1'] });
  expect(await rows()).toEqual([]);
});

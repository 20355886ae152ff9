// What was due while nothing ran: each policy, clocks that jump, and a schedule that changes, each moment one row.
import { expect, it, onTestFinished } from 'vitest';
import { openWorldDb } from '../../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import { createIds } from '../../../stores/ids.ts';
import { createRoutineBook } from './book.ts';
import { createCover } from './cover.ts';
import { type LedgerDoc, ledgerRecord, nextDueOf, type RoutineDoc, routineRecord, triggerRecord } from './record.ts';

const hour = 3_600_000;
const second = 1000;

async function openWorld(more: Partial<RoutineDoc> = {}) {
  const clock = new SimulatedClock();
  // On the hour, so that the calendar can be told in hours.
  clock.jump(hour - (clock.now() % hour));
  const start = clock.now();
  const { db, close } = await openWorldDb(clock, [routineRecord.spec, ledgerRecord.spec, triggerRecord.spec]);
  onTestFinished(close);
  const at = new Date(start);
  const doc = {
    ...{ _id: 1, tenantId: 1, name: 'r', isEnabled: true, projectId: null, briefVersion: 1, quietHoursJson: null },
    ...{ scheduleKindId: 'Cron', cronExpression: '0 * * * *', timezoneId: 'UTC', intervalMinutes: null },
    ...{
      runOnceAt: null,
      watchExpiry: null,
      anchorAt: at,
      coveredTo: at,
      scheduleVersion: 1,
      lastSeq: 0,
      failuresAfterSeq: 0,
    },
    ...{ maxRunsPerDay: 0, maxConcurrentRuns: 1, missedRunPolicyId: 'RunOnce', createdAt: at },
    ...more,
  } as unknown as RoutineDoc;
  const routines = db.collection(routineRecord.spec);
  await routines.insertOne({ ...doc, nextDueAt: nextDueOf(doc, start) });
  const rows = db.collection(ledgerRecord.spec);
  const ids = createIds({ db });
  const node = () => {
    const publisher = { publish: async () => {} };
    const book = createRoutineBook({ db, ids, clock, publisher, blockedIn: async () => null });
    return createCover({ book, clock, isClosing: () => false, start: async () => {} });
  };
  /** Every run that is under way ends. */
  const finish = () => rows.updateMany({ outcomeId: 'Pending' }, { $set: { outcomeId: 'Succeeded' } });
  const ledger = async () =>
    (await rows.find({}, { sort: { dueAt: 1 } }).toArray()).map(
      ({ dueAt, triggerSourceId, outcomeId }: LedgerDoc) =>
        `${(dueAt.getTime() - start) / hour} ${triggerSourceId} ${outcomeId}`,
    );
  return { clock, node, finish, ledger, routines, rows };
}

it('runs each moment once while somebody is there, however often and wherever it is looked at', async () => {
  const { clock, node, finish, ledger } = await openWorld();
  const nodes = [node(), node(), node()];
  for (let at = 0; at < 3; at++) {
    clock.jump(hour);
    await Promise.all(nodes.map((one) => one.all()));
    await finish();
  }
  expect(await ledger()).toEqual(['1 Schedule Succeeded', '2 Schedule Succeeded', '3 Schedule Succeeded']);
});

it('starts what is due while its last run has not ended as an overlap, and no more than a day allows', async () => {
  const { clock, node, finish, ledger } = await openWorld({ maxRunsPerDay: 2 });
  const one = node();
  for (const ends of [false, true, true, true]) {
    clock.jump(hour);
    await one.all();
    if (ends) await finish();
  }
  const outcomes = (await ledger()).map((row) => row.split(' ')[2]);
  expect(outcomes).toEqual(['Succeeded', 'SkippedOverlap', 'Succeeded', 'SkippedThrottled']);
});

it('skips what was missed, by its policy', async () => {
  const { clock, node, ledger } = await openWorld({ missedRunPolicyId: 'Skip' });
  clock.jump(4 * hour + 1800 * second);
  await node().all();
  expect(await ledger()).toEqual([1, 2, 3, 4].map((at) => `${at} Schedule Missed`));
});

it('runs the newest of what was missed, by its policy', async () => {
  const { clock, node, ledger } = await openWorld({ missedRunPolicyId: 'RunOnce' });
  clock.jump(3 * hour + 1800 * second);
  await node().all();
  expect(await ledger()).toEqual(['1 Schedule Missed', '2 Schedule Missed', '3 CatchUp Pending']);
});

it('runs all of what was missed, one after the other, by its policy, and nothing older than a week', async () => {
  const { clock, node, finish, ledger } = await openWorld({ missedRunPolicyId: 'RunAll' });
  clock.jump(3 * hour + 1800 * second);
  const one = node();
  for (let at = 1; at <= 3; at++) {
    await one.all();
    expect(await ledger()).toHaveLength(at);
    await finish();
  }
  await one.all();
  expect(await ledger()).toEqual(['1 CatchUp Succeeded', '2 CatchUp Succeeded', '3 CatchUp Succeeded']);
  clock.jump(8 * 24 * hour);
  await one.all();
  expect((await ledger()).filter((row) => row.endsWith('Schedule Missed')).length).toBeGreaterThan(20);
});

it('is not due again when a clock is set back, nor loses a moment when it is set forward', async () => {
  const { clock, node, finish, ledger } = await openWorld({ missedRunPolicyId: 'Skip' });
  const one = node();
  clock.jump(2 * hour);
  await one.all();
  await finish();
  const before = await ledger();
  clock.jump(-hour - 60 * second);
  await one.all();
  clock.jump(hour + 60 * second);
  await one.all();
  expect(await ledger()).toEqual(before);
  clock.jump(hour);
  await one.all();
  expect(await ledger()).toEqual([...before, '3 Schedule Pending']);
});

it.each([2, 30, 24 * 365])(
  'is due in time again when a clock was %d hours ahead, and nothing runs twice',
  async (ahead) => {
    const { clock, node, finish, ledger, routines, rows } = await openWorld();
    const one = node();
    clock.jump(hour);
    await one.all();
    await finish();
    clock.jump(ahead * hour);
    await one.all();
    await finish();
    clock.jump(-ahead * hour);
    await one.all();
    for (let at = 2; at <= 4; at++) {
      clock.jump(hour);
      await one.all();
      await finish();
    }
    const ran = (await ledger()).filter((row) => row.endsWith('Succeeded'));
    expect(ran.slice(0, 4).map((row) => Number(row.split(' ')[0]))).toEqual([1, 2, 3, 4]);
    expect(new Set(ran.map((row) => row.split(' ')[0])).size).toBe(ran.length);
    // What it did last is told, too.
    const [newest] = await rows.find({}, { sort: { seq: -1 }, limit: 1 }).toArray();
    expect((await routines.findOne({ _id: 1 }))?.lastSeq).toBe(newest?.seq);
  },
);

it('ends when a clock that was ahead is set right in the middle of it', async () => {
  const { clock, node, rows } = await openWorld({ cronExpression: '* * * * *' });
  clock.jump(30 * 24 * hour);
  const one = node();
  const all = one.all();
  await expect.poll(() => rows.countDocuments({})).toBeGreaterThan(0);
  clock.jump(-30 * 24 * hour);
  await all;
  expect(await rows.countDocuments({})).toBeLessThan(30 * 24 * 60);
  await one.all();
  clock.jump(60 * second);
  await one.all();
  expect(await rows.find({ dueAt: new Date(clock.now()) }).toArray()).toMatchObject([{ outcomeId: 'Pending' }]);
});

it('enters what was missed within a month, not of ten years', async () => {
  const { clock, node, ledger } = await openWorld();
  clock.jump(10 * 365 * 24 * hour);
  await node().all();
  const rows = await ledger();
  expect(rows).toHaveLength(31 * 24);
  expect(rows.at(-1)).toBe(`${10 * 365 * 24} Schedule Pending`);
});

it('covers nothing by a schedule that was changed meanwhile', async () => {
  const { clock, node, routines } = await openWorld();
  clock.jump(hour);
  const old = (await routines.findOne({ _id: 1 })) as RoutineDoc;
  const coveredTo = new Date(clock.now() + 10 * hour);
  await routines.updateOne({ _id: 1 }, { $set: { coveredTo, scheduleVersion: 2 } });
  await node().cover(old);
  expect(await routines.findOne({ _id: 1 })).toMatchObject({ coveredTo, scheduleVersion: 2 });
});

it('skips what is in quiet hours, also what is caught up in them', async () => {
  // From the start on it is quiet for two hours by the clocks of UTC.
  const clock = new SimulatedClock();
  clock.jump(hour - (clock.now() % hour));
  const text = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const quietHoursJson = JSON.stringify({ from: text(clock.now()), to: text(clock.now() + 2 * hour + 60 * second) });
  const world = await openWorld({ quietHoursJson });
  for (let at = 0; at < 3; at++) {
    world.clock.jump(hour);
    await world.node().all();
    await world.finish();
  }
  expect(await world.ledger()).toEqual([
    '1 Schedule SkippedQuietHours',
    '2 Schedule SkippedQuietHours',
    '3 Schedule Succeeded',
  ]);
});

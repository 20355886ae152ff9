// Questions by a clock that was ahead: their timeouts come in the time that they were given, once.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import * as spec from './collections.ts';
import { mendTimeouts } from './escalation-timeouts.ts';

const [minute, year] = [60_000, 365 * 86_400_000];

it('a question waits as long as it was to wait, not until a wrong clock’s time has come', async () => {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  const escalations = db.collection(spec.escalations);
  const ask = (_id: number, waitMs: number | null, more: object = {}) => {
    const timeoutAt = waitMs === null ? null : clock.now() + waitMs;
    return escalations.insertOne({
      _id,
      version: 1,
      closed: false,
      createdAt: clock.now(),
      timeoutAt,
      ...more,
    } as never);
  };
  clock.jump(10 * year);
  await ask(1, 20 * minute);
  await ask(2, null);
  await ask(3, minute, { closed: true });
  clock.jump(-10 * year);
  await ask(4, 2 * year);
  const others = await escalations.find({ _id: { $gt: 1 } }).toArray();
  expect(await mendTimeouts({ db, clock })).toBe(1);
  const timeoutAt = clock.now() + 20 * minute;
  await clock.advance(minute);
  expect(await mendTimeouts({ db, clock })).toBe(0);
  expect(await escalations.findOne({ _id: 1 })).toMatchObject({ timeoutAt, version: 2 });
  expect(await escalations.find({ _id: { $gt: 1 } }).toArray()).toEqual(others);
});

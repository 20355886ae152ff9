// A clock that is years ahead, and set right later: nothing young is deleted, and no duty is held until then.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { silentLogger as log } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createBelievedTime } from './believed-time.ts';
import { asOnlyNode } from './duty.ts';
import { createRetention } from './retention.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const tenYears = 3650 * day;

function world() {
  const clock = new SimulatedClock();
  return { clock, db: openTestDb(undefined, clock) };
}

it('a clock that jumped ahead by years is believed only when it stayed so for most of an hour', async () => {
  const { clock, db } = world();
  const believed = createBelievedTime({ db, clock, log });
  const began = await believed();
  expect(began).toBe(clock.now());
  clock.jump(tenYears);
  await clock.advance(10 * minute);
  expect(await believed()).toBe(began + 10 * minute);
  // Another process, as after a restart, has its own patience.
  const next = createBelievedTime({ db, clock, log });
  expect(await next()).toBe(began);
  await clock.advance(hour);
  expect([await believed(), await next()]).toEqual([clock.now(), clock.now()]);
});

it('a clock that is set right again, and time that only passes, are believed at once', async () => {
  const { clock, db } = world();
  const believed = createBelievedTime({ db, clock, log });
  await believed();
  clock.jump(tenYears);
  await believed();
  clock.jump(-tenYears);
  expect(await believed()).toBe(clock.now());
  clock.jump(-day);
  expect(await believed()).toBe(clock.now());
  await clock.advance(40 * day);
  expect(await believed()).toBe(clock.now());
});

it('retention deletes nothing by a clock that was wrong for less than an hour', async () => {
  const { clock, db } = world();
  const asked: number[] = [];
  const rule = {
    name: 'things',
    keptMs: day,
    async *prune(before: number) {
      asked.push(before);
      yield 0;
    },
  };
  const retention = createRetention({
    ...{ db, clock, log, nodeId: 'a', rules: () => [rule] },
    believedTime: createBelievedTime({ db, clock, log }),
  });
  await retention.run();
  clock.jump(tenYears);
  await retention.run();
  clock.jump(-tenYears);
  await retention.close();
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...asked)).toBeLessThanOrEqual(clock.now() - day);
});

it('a duty whose holder died with a clock that was ahead is free; one of a clock minutes ahead is not', async () => {
  const { clock, db } = world();
  const by = (owner: string) => ({ db, clock, owner });
  const never = new Promise<void>(() => {});
  const done = async () => {};
  const begin = (owner: string, name: string) =>
    new Promise<void>((resolve) => {
      void asOnlyNode(by(owner), name, () => {
        resolve();
        return never;
      });
    });
  clock.jump(tenYears);
  await begin('dead', 'a');
  clock.jump(-tenYears);
  expect(await asOnlyNode(by('alive'), 'a', done)).toBe(true);
  clock.jump(5 * minute);
  await begin('ahead', 'b');
  clock.jump(-5 * minute);
  expect(await asOnlyNode(by('alive'), 'b', done)).toBe(false);
});

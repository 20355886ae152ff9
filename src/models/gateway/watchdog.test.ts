import { expect, it } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createWatchdog } from './watchdog.ts';

const watch = () => {
  const clock = new SimulatedClock();
  const expired: number[] = [];
  return { clock, expired, dog: createWatchdog(clock, (limit) => expired.push(limit)) };
};

it('expires after the limit of the current wait', async () => {
  const { clock, expired, dog } = watch();
  dog.wait(100);
  await clock.advance(99);
  expect(expired).toEqual([]);
  await clock.advance(1);
  expect(expired).toEqual([100]);
});

it('starts anew with each wait, also with a shorter limit', async () => {
  const { clock, expired, dog } = watch();
  dog.wait(100);
  await clock.advance(90);
  dog.wait(100);
  await clock.advance(90);
  dog.wait(10);
  await clock.advance(9);
  expect(expired).toEqual([]);
  await clock.advance(1);
  expect(expired).toEqual([10]);
});

it('does not count the time of the consumer, nor anything after the end', async () => {
  const { clock, expired, dog } = watch();
  dog.wait(100);
  dog.rest();
  await clock.advance(1_000);
  dog.wait(100);
  await clock.advance(50);
  dog.stop();
  await clock.advance(1_000);
  expect(expired).toEqual([]);
  expect(clock.nextDue()).toBeNull();
});

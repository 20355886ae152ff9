// Events of a moment share one read, and a read that a change overtakes is not kept.
import { expect, it } from 'vitest';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createReadyMatchers } from './ready-matchers.ts';

function open() {
  const reads: ((found: string[]) => void)[] = [];
  const clock = new SimulatedClock();
  const ready = createReadyMatchers(
    { clock, signals: null },
    () => new Promise<string[]>((resolve) => reads.push(resolve)),
  );
  return { reads, clock, ready };
}

it('reads once for all who ask meanwhile, and knows it then', async () => {
  const { reads, ready } = open();
  const asked = [ready.read(1), ready.read(1)];
  expect(ready.known(1)).toBeUndefined();
  expect(reads).toHaveLength(1);
  reads[0]?.(['one']);
  expect(await Promise.all(asked)).toEqual([['one'], ['one']]);
  expect(ready.known(1)).toEqual(['one']);
});

it('answers with a read that a change overtakes, but reads anew for the next', async () => {
  const { reads, ready } = open();
  const early = ready.read(1);
  ready.changed(1);
  const late = ready.read(1);
  expect(reads).toHaveLength(2);
  reads[1]?.(['one', 'new']);
  expect(await late).toEqual(['one', 'new']);
  reads[0]?.(['one']);
  expect(await early).toEqual(['one']);
  expect(ready.known(1)).toEqual(['one', 'new']);
});

it('keeps no read that a change overtook, though nobody asked anew', async () => {
  const { reads, ready } = open();
  const early = ready.read(1);
  ready.changed(1);
  reads[0]?.(['one']);
  expect(await early).toEqual(['one']);
  expect(ready.known(1)).toBeUndefined();
});

it('tells everybody of a read that fails, and reads again', async () => {
  const clock = new SimulatedClock();
  let isDown = true;
  const ready = createReadyMatchers({ clock, signals: null }, async () => {
    if (isDown) throw new Error('down');
    return ['one'];
  });
  const told = await Promise.allSettled([ready.read(1), ready.read(1)]);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await ready.read(1)).toEqual(['one']);
});

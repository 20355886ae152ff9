import { expect, it } from 'vitest';
import { roomOf } from './free-space.ts';

it.each([
  ['plenty', 200e9, 100e9, 'Healthy', '200.0 GB'],
  ['enough on a small disk', 1e9, 9e9, 'Healthy', '1.0 GB'],
  ['less than a gigabyte', 999_999_999, 1e9, 'Degraded', '999 MB'],
  ['little of a large disk', 20e9, 1980e9, 'Degraded', '20.0 GB'],
  ['a hundred megabytes', 100e6, 0, 'Degraded', '100 MB'],
  ['less than that', 99_999_999, 0, 'Unhealthy', '99 MB'],
  ['nothing', 0, 48e6, 'Unhealthy', '0 MB'],
])('%s', (_, free, used, state, text) => {
  expect(roomOf({ free, used })).toMatchObject({ state, free: text });
});

it('knows what part is used, also of a disk of nothing', () => {
  expect([roomOf({ free: 1e9, used: 2e9 }).usedPercent, roomOf({ free: 0, used: 0 }).usedPercent]).toEqual([66.7, 0]);
});

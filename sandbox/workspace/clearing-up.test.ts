// The lock of the server that clears up a disk: of one that died it stands for an hour, whatever its clock was.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { Workspaces } from './workspaces.ts';

test.each([
  ['half an hour ago', -1_800_000, null],
  ['two hours ago', -7_200_000, 'done'],
  ['by a clock that was years ahead', 315_360_000_000, 'done'],
])('a lock that was taken %s', async (_, ago, expected) => {
  const directory = await mkdtemp(join(tmpdir(), 'rivulet-lock-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const clock = new SimulatedClock();
  await writeFile(join(directory, 'clearing-up'), String(clock.now() + ago));
  const workspaces = new Workspaces({ directory, clock } as never);
  expect(await workspaces.alone(async () => 'done')).toBe(expected);
});

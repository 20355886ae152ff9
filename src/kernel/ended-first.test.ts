import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { endedFirst } from './ended-first.ts';

it.skipIf(platform() !== 'linux')('has a helper ended before its server', async () => {
  const helper = spawn('cat', { stdio: 'pipe' });
  onTestFinished(() => void helper.kill());
  await once(helper, 'spawn');
  const score = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
  const own = score(process.pid);
  await endedFirst(helper.pid as number);
  expect([score(helper.pid as number), score(process.pid)]).toEqual([1000, own]);
});

it('is no failure of a helper that has ended', async () => {
  await endedFirst(2 ** 22 + 1);
});

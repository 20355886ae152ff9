import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { namelessUsage, sameNamespace } from './open-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rivulet-open-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test.skipIf(process.platform !== 'linux')(
  'files without a name count once, and only where they are asked for',
  async () => {
    // Another process: tests beside this one have files without names of their own.
    const script = `exec 3<>gone 4<gone 5>stays; head -c 1000000 /dev/zero >&3; rm gone; echo ready; exec sleep 60`;
    const child = spawn('sh', ['-c', script], { cwd: root });
    const pid = child.pid as number;
    try {
      await new Promise((ready) => child.stdout.once('data', ready));
      const counted = await namelessUsage([pid, pid], [root]);
      expect(counted.files).toBe(1);
      expect(counted.bytes).toBeGreaterThanOrEqual(1_000_000);
      expect(await namelessUsage([pid], ['/proc'])).toEqual({ bytes: 0, files: 0 });
    } finally {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
    }
    expect(await namelessUsage([pid, 2 ** 30], [root])).toEqual({ bytes: 0, files: 0 });
  },
);

test.skipIf(process.platform !== 'linux')('of a process of this namespace no other is taken', async () => {
  const child = spawn('sleep', ['30']);
  expect(await sameNamespace(child.pid as number)).toEqual([]);
  expect(await sameNamespace(2 ** 30)).toEqual([]);
  child.kill('SIGKILL');
});

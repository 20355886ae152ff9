import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs';
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
    const path = join(root, 'gone');
    const descriptors = [openSync(path, 'w+'), openSync(path, 'r'), openSync(join(root, 'stays'), 'w')];
    writeSync(descriptors[0] as number, Buffer.alloc(1_000_000));
    unlinkSync(path);
    const counted = await namelessUsage([process.pid, process.pid], [root]);
    expect(counted.files).toBeGreaterThanOrEqual(1);
    expect(counted.bytes).toBeGreaterThanOrEqual(1_000_000);
    expect(await namelessUsage([process.pid], ['/proc'])).toEqual({ bytes: 0, files: 0 });
    expect(await namelessUsage([2 ** 30], [root])).toEqual({ bytes: 0, files: 0 });
    for (const descriptor of descriptors) closeSync(descriptor);
    const after = await namelessUsage([process.pid], [root]);
    expect(counted.bytes - after.bytes).toBeGreaterThanOrEqual(1_000_000);
  },
);

test.skipIf(process.platform !== 'linux')('of a process of this namespace no other is taken', async () => {
  const child = spawn('sleep', ['30']);
  expect(await sameNamespace(child.pid as number)).toEqual([]);
  expect(await sameNamespace(2 ** 30)).toEqual([]);
  child.kill('SIGKILL');
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fewAtOnce, isDiskFailure, syncFiles, syncTree } from './sync-files.ts';

it('passes over what is gone, and waits for no pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-sync-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'file'), 'text');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('/nowhere', join(folder, 'link'));
  await syncFiles(['file', 'pipe', 'link', 'gone', '.'].map((name) => join(folder, name)));
  await syncTree(folder);
  await expect(syncTree(join(folder, 'gone'))).rejects.toThrow('ENOENT');
});

it('does few at once, all of them, and tells of a failure', async () => {
  let now = 0;
  let most = 0;
  const done: number[] = [];
  const work = async (item: number) => {
    most = Math.max(most, ++now);
    await null;
    await null;
    now--;
    done.push(item);
  };
  const items = Array.from({ length: 30 }, (_, at) => at);
  await fewAtOnce(items, work);
  expect([most, done.sort((a, b) => a - b)]).toEqual([4, items]);
  const failure = Object.assign(new Error('the disk is broken'), { code: 'EIO' });
  await expect(fewAtOnce(items, () => Promise.reject(failure))).rejects.toBe(failure);
  expect([isDiskFailure(failure), isDiskFailure(Object.assign(new Error(), { code: 'EINVAL' }))]).toEqual([
    true,
    false,
  ]);
});

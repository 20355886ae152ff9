import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskUsage } from './disk-usage.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rivulet-usage-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('files count with their length, sparse ones too, and links are not followed', async () => {
  mkdirSync(join(root, 'a/b'), { recursive: true });
  writeFileSync(join(root, 'a/b/sparse'), '');
  truncateSync(join(root, 'a/b/sparse'), 5_000_000);
  symlinkSync('/usr', join(root, 'link'));
  const { bytes, files } = await diskUsage(root);
  expect(files).toBe(4);
  expect(bytes).toBeGreaterThanOrEqual(5_000_000);
  expect(bytes).toBeLessThan(5_200_000);
});

test('counting stops once the limit is passed, and a missing directory is empty', async () => {
  for (let index = 0; index < 20; index++) writeFileSync(join(root, `${index}`), 'x');
  expect((await diskUsage(root, { bytes: 1e9, files: 5 })).files).toBe(6);
  expect(await diskUsage(join(root, 'none'))).toEqual({ bytes: 0, files: 0 });
});

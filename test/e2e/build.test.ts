// A build that cannot work where the checkout is says so in a line.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** What a build says in a folder of this name, which it must refuse before it looks at any source. */
function refusalIn(name: string, prepare: (folder: string) => void): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'rivulet-build-')), name);
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }));
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  copyFileSync('scripts/build.mjs', join(folder, 'scripts/build.mjs'));
  prepare(folder);
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/build.mjs')], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr;
}

it.each(['a #1', 'what?'])('names a folder that Vite cannot build in: %s', (name) => {
  expect(refusalIn(name, () => undefined)).toContain(name);
});

it('says that it cannot write', () => {
  const said = refusalIn('checkout', (folder) => writeFileSync(join(folder, 'dist'), ''));
  expect(said).toMatch(/write here \(EEXIST.*npm run build/);
});

// The copy of a binary for an older glibc: the names that it asks for, and that it loads.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Uws } from './load.ts';
import { loadForOlderGlibc, withOlderNames } from './older-glibc.ts';

const folder = dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
const linux = (arch: string) => join(folder, `uws_linux_${arch}_${process.versions.modules}.node`);

/** There is none for a Node that is newer than the package. */
const hasBinaries = existsSync(linux('x64'));

describe.runIf(hasBinaries)('withOlderNames', () => {
  it.each(['x64', 'arm64'])('leaves no need of glibc 2.38 on %s, and the rest as it is', async (arch) => {
    const original = await readFile(linux(arch));
    const changed = withOlderNames(original);
    expect(changed.length).toBe(original.length);
    const differing = changed.filter((byte, at) => byte !== original[at]).length;
    // Two or three names with their versions, and one flag: a byte or two each.
    expect(differing).toBeGreaterThan(4);
    expect(differing).toBeLessThan(14);
    expect(withOlderNames(changed).equals(changed)).toBe(true);
  });

  it.each([
    ['macOS', 'uws_darwin_arm64_115.node'],
    ['nothing', 'package.json'],
  ])('refuses what is for %s', async (_, file) => {
    const binary = await readFile(join(folder, file));
    expect(() => withOlderNames(binary)).toThrow('not a binary for Linux');
  });
});

describe.runIf(hasBinaries && process.platform === 'linux')('loadForOlderGlibc', () => {
  it('loads the binary of this platform, and leaves no file behind', async () => {
    const own = await mkdtemp(join(tmpdir(), 'rivulet-test-'));
    const { App } = await loadForOlderGlibc<Uws>(linux(process.arch), own);
    expect(App).toBeTypeOf('function');
    expect(await readdir(own)).toEqual([]);
    await rm(own, { recursive: true });
  });

  it('names the folder where nothing can be loaded', async () => {
    const why = /for glibc before 2.38 does not load from \/nowhere \(TMPDIR\): ENOENT/;
    await expect(loadForOlderGlibc(linux(process.arch), '/nowhere')).rejects.toThrow(why);
  });

  it('rejects what is no binary', async () => {
    await expect(loadForOlderGlibc(join(folder, 'package.json'))).rejects.toThrow('not a binary');
  });
});

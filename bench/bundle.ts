// Builds a program as `npm start` builds the server, for figures that hold there: tsx's loader costs every closure a call.
import { readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** What `npm start` tells Node. */
export function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** The built file of a program of the benchmarks, in a new folder of its own from where it finds its packages. */
export async function bundle(program: string): Promise<string> {
  const outdir = join(root, 'bench/.cache', relative(import.meta.dirname, program).replace(/\.ts$/, ''));
  rmSync(outdir, { recursive: true, force: true });
  const options = JSON.parse(readFileSync(join(root, 'scripts/server-bundle.json'), 'utf8')) as BuildOptions;
  await build({ absWorkingDir: root, entryPoints: [program], outdir, ...options });
  return join(outdir, basename(program).replace(/\.ts$/, '.js'));
}

// Remembers what files looked like when git stored them, so that only what changed since is read again.
import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file's look, and the object that holds its content. */
export type KnownFile = readonly [fingerprint: string, id: string];

const fileIn = (gitDir: string) => join(gitDir, 'rivulet-files');
/** Two changes within this time, ns, may bear the same mark. */
const coarsestClock = 1_000_000_000n;

/** Changes with whatever a process does to a file: nobody can set the change time back. */
export const fingerprintOf = ({ size, mtimeNs, ctimeNs, ino, mode }: BigIntStats): string =>
  [size, mtimeNs, ctimeNs, ino, mode].map((part) => part.toString(36)).join('-');

export interface KnownFiles {
  /** Object of a file that looks like this; undefined when it has to be read. */
  find(path: string, fingerprint: string): string | undefined;
  /** Replaces everything that is remembered; what changed just now is left out, as it may change again unseen. */
  replace(files: Iterable<{ path: string; stats: BigIntStats; id: string }>): Promise<void>;
  forget(): Promise<void>;
}

/** What is remembered in a git dir. Nobody else may use it meanwhile. */
export async function openKnownFiles(gitDir: string): Promise<KnownFiles> {
  const file = fileIn(gitDir);
  const now = await fileSystemTime(gitDir);
  const known = new Map<string, KnownFile>(await readKnown(file));
  return {
    find: (path, fingerprint) => {
      const found = known.get(path);
      return found?.[0] === fingerprint ? found[1] : undefined;
    },
    replace: async (files) => {
      const kept: [string, KnownFile][] = [];
      let hasNew = false;
      for (const { path, stats, id } of files) {
        if (stats.ctimeNs > now - coarsestClock) continue;
        const fingerprint = fingerprintOf(stats);
        kept.push([path, [fingerprint, id]]);
        hasNew ||= known.get(path)?.[0] !== fingerprint;
      }
      if (!hasNew && kept.length === known.size) return;
      await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    forget: async () => {
      known.clear();
      await rm(file, { force: true });
    },
  };
}

async function readKnown(file: string): Promise<[string, KnownFile][]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as [string, KnownFile][];
  } catch {
    // Missing, or cut off: everything is read once more.
    return [];
  }
}

/** The time that the disk puts on changes, ns; the disk may be another machine's. */
async function fileSystemTime(folder: string): Promise<bigint> {
  const probe = join(folder, `draft-${randomUUID()}`);
  await writeFile(probe, '');
  const { ctimeNs } = await stat(probe, { bigint: true });
  await rm(probe, { force: true });
  return ctimeNs;
}

// The folders of sites: each build has one of its own, and one small file says which is shown.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncFiles, syncTree } from '../kernel/sync-files.ts';

const pointer = 'current.json';

export interface SiteFolders {
  /** The folder that is shown; null before the first build. */
  current(projectId: number): Promise<string | null>;
  /** A folder for a new build, which nobody sees before `publish`. */
  begin(projectId: number, buildId: number): Promise<string>;
  /** Shows a finished build from now on, in one step: a reader sees all of the old one or all of the new one. */
  publish(projectId: number, folder: string): Promise<void>;
  /** Removes what builds have left that were not finished. */
  discard(folder: string): Promise<void>;
}

/** @param root - the data folder's `sites` */
export function createSiteFolders(root: string): SiteFolders {
  const of = (projectId: number) => join(root, String(projectId));
  const nameOf = async (projectId: number): Promise<string | null> => {
    const text = await readFile(join(of(projectId), pointer), 'utf8').catch(() => null);
    return text === null ? null : (JSON.parse(text) as { build: string }).build;
  };
  return {
    async current(projectId) {
      const name = await nameOf(projectId);
      return name === null ? null : join(of(projectId), 'builds', name);
    },
    async begin(projectId, buildId) {
      // Not the id alone: a build that is tried again must not meet what the first attempt has left.
      const folder = join(of(projectId), 'builds', `${buildId}-${randomUUID().slice(0, 8)}`);
      await mkdir(folder, { recursive: true });
      return folder;
    },
    async publish(projectId, folder) {
      const build = basename(folder);
      const before = await nameOf(projectId);
      const next = join(of(projectId), `${pointer}.${randomUUID()}`);
      await syncTree(folder);
      await writeFile(next, JSON.stringify({ build }), { flush: true });
      await rename(next, join(of(projectId), pointer));
      await syncFiles([of(projectId)]);
      // Somebody may be reading the one before.
      await tidy(of(projectId), [build, before]);
    },
    discard: (folder) => rm(folder, { recursive: true, force: true }),
  };
}

/** Removes the folders of earlier builds, and of such as were never finished. */
async function tidy(site: string, keep: readonly (string | null)[]): Promise<void> {
  const all = await readdir(join(site, 'builds')).catch(() => []);
  for (const name of all)
    if (!keep.includes(name)) await rm(join(site, 'builds', name), { recursive: true, force: true });
  const left = (await readdir(site)).filter((name) => name.startsWith(`${pointer}.`));
  for (const name of left) await rm(join(site, name), { force: true });
}

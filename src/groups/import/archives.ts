// Uploaded archives on the disk of this server, each until it is read.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFiles } from '../../kernel/sync-files.ts';

/** Milliseconds after which an archive that no import knows of is what a dead upload has left. */
const orphanMs = 60 * 60_000;

export function createArchives(dataDir: string) {
  const folder = join(dataDir, 'imports');
  const pathOf = (name: string) => join(folder, name);
  return {
    pathOf,
    has: (name: string) => existsSync(pathOf(name)),
    /** Takes an uploaded file over; answers its name here. */
    async take(path: string): Promise<string> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${randomUUID()}.archive`;
      // The upload may lie on another disk.
      await rename(path, pathOf(name)).catch(() => copyFile(path, pathOf(name)));
      await syncFiles([pathOf(name), folder]);
      return name;
    },
    async digest(path: string): Promise<string> {
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      return hash.digest('base64url');
    },
    /** A folder for what is unpacked while the archive is read; empty at first. */
    async scratch(name: string): Promise<string> {
      const path = pathOf(`${name}.parts`);
      await rm(path, { recursive: true, force: true });
      await mkdir(path, { recursive: true, mode: 0o700 });
      return path;
    },
    async remove(name: string): Promise<void> {
      for (const path of [pathOf(name), pathOf(`${name}.parts`)]) await rm(path, { recursive: true, force: true });
    },
    /** Removes what is no import's, once it is old enough not to be on its way to one. */
    async sweep(now: number, isKnown: (name: string) => Promise<boolean>): Promise<void> {
      for (const name of await readdir(folder).catch(() => [])) {
        const found = await stat(pathOf(name)).catch(() => null);
        if (!found || now - found.mtimeMs < orphanMs) continue;
        if (!(await isKnown(name.replace(/\.parts$/, '')))) await rm(pathOf(name), { recursive: true, force: true });
      }
    },
  };
}
export type Archives = ReturnType<typeof createArchives>;

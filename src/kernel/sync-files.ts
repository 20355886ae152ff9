// Waits for the disk, so that a power failure does not take away what was told as done.
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files at once: the threads that wait for the disk do other work of the server, too. */
const atOnce = 4;

/** Neither a link that took a file's place is followed, nor a pipe waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Resolves when files and folders are on the disk as they are now. What cannot be opened is passed over. */
export async function syncFiles(paths: Iterable<string>): Promise<void> {
  const waiting = new Set<Promise<void>>();
  for (const path of paths) {
    const syncing = syncFile(path).finally(() => waiting.delete(syncing));
    waiting.add(syncing);
    if (waiting.size === atOnce) await Promise.race(waiting);
  }
  await Promise.all(waiting);
}

/** The same of a folder with everything in it, which nobody else changes meanwhile. */
export async function syncTree(folder: string): Promise<void> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = all.filter((one) => one.isFile() || one.isDirectory()).map((one) => join(one.parentPath, one.name));
  await syncFiles([...paths, folder]);
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, flags).catch(() => null);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

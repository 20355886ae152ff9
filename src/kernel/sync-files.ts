// Waits for the disk, so that a power failure does not take away what was told as done.
import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files at once: the threads that wait for the disk do other work of the server, too. */
const atOnce = 4;

/** Neither a link that took a file's place is followed, nor a pipe waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Codes of a disk that did not keep something. Others say that a file system has no sync for such files, as folders. */
const failures: readonly unknown[] = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'];
export const isDiskFailure = (error: unknown): boolean => failures.includes((error as NodeJS.ErrnoException).code);

/** Resolves when files and folders are on the disk as they are now. What cannot be opened is passed over. */
export const syncFiles = (paths: Iterable<string>): Promise<void> => fewAtOnce(paths, syncFile);

/** The same of a folder with everything in it, which nobody else changes meanwhile. */
export async function syncTree(folder: string): Promise<void> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = all.filter((one) => one.isFile() || one.isDirectory()).map((one) => join(one.parentPath, one.name));
  await syncFiles([...paths, folder]);
}

/** Does for each of several files what waits for the disk. Rejects with the first failure. */
export async function fewAtOnce<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const inTurn = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, inTurn));
}

/** `syncFiles` of one. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, flags).catch(() => null);
  try {
    await handle?.sync();
  } catch (error) {
    if (isDiskFailure(error)) throw error;
  } finally {
    await handle?.close();
  }
}

/** The same at once, for what a start waits for. */
export function syncFileNow(path: string): void {
  let opened: number;
  try {
    opened = openSync(path, flags);
  } catch {
    return;
  }
  try {
    fsyncSync(opened);
  } catch (error) {
    if (isDiskFailure(error)) throw error;
  } finally {
    closeSync(opened);
  }
}

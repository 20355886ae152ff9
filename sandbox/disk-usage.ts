// Measures a directory tree without following links.
import { constants } from 'node:fs';
import { chmod, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';

export interface DiskUsage {
  bytes: number;
  files: number;
}

/** Open without reading: works on a folder whose permission bits shut out its own owner. Linux only. */
const O_PATH = 0o10000000;

/**
 * Space and number of entries under a directory. A file counts with its length or its blocks, whichever is more, so
 * that neither sparse nor tiny files are free. Stops early once `limits` are passed.
 */
export async function diskUsage(root: string, limits?: DiskUsage): Promise<DiskUsage> {
  const total: DiskUsage = { bytes: 0, files: 0 };
  const pending = [root];
  const isOver = () => limits !== undefined && (total.bytes > limits.bytes || total.files > limits.files);
  for (let directory = pending.pop(); directory !== undefined && !isOver(); directory = pending.pop()) {
    const entries = await openFolder(directory);
    if (!entries) continue;
    for await (const entry of entries) {
      const path = join(directory, entry.name);
      const found = await lstat(path).catch(() => null);
      if (!found) continue;
      total.files += 1;
      total.bytes += Math.max(found.isFile() ? found.size : 0, found.blocks * 512);
      if (found.isDirectory()) pending.push(path);
      if (isOver()) break;
    }
  }
  return total;
}

async function openFolder(path: string) {
  try {
    return await opendir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return null;
  }
  // A folder closed to its owner would hide what is in it from the quota.
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => null);
  try {
    if (handle) await chmod(`/proc/self/fd/${handle.fd}`, 0o700);
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
  return opendir(path).catch(() => null);
}

// Disk usage of a directory tree, measured without following links, at any depth and permission.
import { statfs } from 'node:fs/promises';
import { Descent, look, namesIn } from './descent.ts';

export interface DiskUsage {
  bytes: number;
  files: number;
}

/** Whether the usage exceeds one of the limits. */
export const isPast = (used: DiskUsage, limits: DiskUsage): boolean =>
  used.bytes > limits.bytes || used.files > limits.files;

/**
 * Space and number of entries under a directory. A file counts with its length or its blocks, whichever is more, so
 * that neither sparse nor tiny files are free. Stops early once `limits` are passed.
 */
export async function diskUsage(root: string, limits?: DiskUsage): Promise<DiskUsage> {
  const total: DiskUsage = { bytes: 0, files: 0 };
  const isOver = () => limits !== undefined && isPast(total, limits);
  const descent = await Descent.open(root, { needs: 0o500 });
  if (!descent) return total;
  try {
    /** Folders still to be measured, level by level. */
    const pending: Buffer[][] = [await countFolder(descent, total, isOver)];
    while (!isOver()) {
      const next = pending.at(-1)?.pop();
      if (next !== undefined) {
        if (await descent.down(next)) pending.push(await countFolder(descent, total, isOver));
        continue;
      }
      pending.pop();
      // The tree changed during the count; the next count will be complete.
      if (pending.length === 0 || !(await descent.up())) break;
    }
  } finally {
    await descent.close();
  }
  return total;
}

/** Adds the usage of one folder; returns the names of its folders. */
async function countFolder(descent: Descent, total: DiskUsage, isOver: () => boolean): Promise<Buffer[]> {
  const folders: Buffer[] = [];
  for await (const name of namesIn(descent)) {
    const found = await look(descent, name);
    if (!found) continue;
    total.files += 1;
    total.bytes += Math.max(found.isFile() ? found.size : 0, found.blocks * 512);
    if (found.isDirectory()) folders.push(name);
    if (isOver()) break;
  }
  return folders;
}

/** Free space on a directory's disk, for all users; infinite where the disk does not report it. */
export async function diskRoom(directory: string): Promise<DiskUsage> {
  const found = await statfs(directory).catch(() => null);
  const isCounted = found !== null && found.files > 0;
  return {
    bytes: found ? found.bavail * found.bsize : Number.POSITIVE_INFINITY,
    files: isCounted ? found.ffree : Number.POSITIVE_INFINITY,
  };
}

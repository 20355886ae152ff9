// Measures a directory tree as the disk has it, without following links: whatever its depth, names and permissions.
import { statfs } from 'node:fs/promises';
import { Descent, look, namesIn } from './descent.ts';

export interface DiskUsage {
  bytes: number;
  files: number;
}

/** Whether more is used than some limits allow. */
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
      // A tree that moves while it is measured is measured again next time.
      if (pending.length === 0 || !(await descent.up())) break;
    }
  } finally {
    await descent.close();
  }
  return total;
}

/** Adds what one folder holds; the names of its folders. */
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

/** What is left on the disk of a directory, for everybody; without end where the disk does not tell. */
export async function diskRoom(directory: string): Promise<DiskUsage> {
  const found = await statfs(directory).catch(() => null);
  const isCounted = found !== null && found.files > 0;
  return {
    bytes: found ? found.bavail * found.bsize : Number.POSITIVE_INFINITY,
    files: isCounted ? found.ffree : Number.POSITIVE_INFINITY,
  };
}

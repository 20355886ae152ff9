// Deletes a tree that an agent could write: any depth, any names, folders that are closed to their owner.
import { lstat, rmdir, unlink } from 'node:fs/promises';
import { Descent, look, namesIn } from './descent.ts';

/** Limit of passes over a tree that is written to meanwhile. */
const rounds = 3;
const gone = ['ENOENT', 'ENOTDIR'];

/** Deletes a file or a folder with its content; a missing one is fine. Throws the system's errors. */
export async function deleteTree(path: string): Promise<void> {
  for (let round = 1; ; round++) {
    const found = await lstat(path).catch(() => null);
    if (!found) return;
    try {
      if (!found.isDirectory()) return await unlink(path);
      await empty(path);
      return await rmdir(path);
    } catch (error) {
      if (round === rounds) throw error;
    }
  }
}

async function empty(path: string): Promise<void> {
  const descent = await Descent.open(path, { needs: 0o700 });
  if (!descent) return;
  try {
    const entered: Buffer[] = [];
    /** Folders still to be deleted, level by level. */
    const pending: Buffer[][] = [await deleteFiles(descent)];
    for (;;) {
      const next = pending.at(-1)?.pop();
      if (next === undefined) {
        pending.pop();
        const left = entered.pop();
        if (left === undefined) return;
        if (!(await descent.up())) throw new Error('The tree is being moved while it is deleted.');
        await rmdir(descent.at(left)).catch(unlessGone);
      } else if (await descent.down(next)) {
        entered.push(next);
        pending.push(await deleteFiles(descent));
      }
    }
  } finally {
    await descent.close();
  }
}

/** Deletes everything but folders; returns the names of the folders. */
async function deleteFiles(descent: Descent): Promise<Buffer[]> {
  const folders: Buffer[] = [];
  for await (const name of namesIn(descent)) {
    if ((await look(descent, name))?.isDirectory()) folders.push(name);
    else await unlink(descent.at(name)).catch(unlessGone);
  }
  return folders;
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (!gone.includes(error.code ?? '')) throw error;
}

// Applies a tree to a worktree in use, through safe paths and never with `git checkout`.
import { constants } from 'node:fs';
import { lchown, lstat, open, rm, rmdir, symlink } from 'node:fs/promises';
import { deleteTree } from '../disk/delete-tree.ts';
import type { SandboxUser } from '../user.ts';
import { openBlobs } from './blobs.ts';
import { type GitPlace, git, gitFields } from './git.ts';
import { atPath, type Spot } from './inside.ts';
import { syncInside } from './sync-inside.ts';

/** Target state of one file. */
export interface Change {
  path: string;
  mode: string;
  id: string;
}

const linkMode = '120000';
const submoduleMode = '160000';
const executableMode = '100755';
const noMode = '000000';

/** Writes the differences of two trees and sets the index. Call it while the sandbox is paused. */
export async function applyTree(
  place: Required<Pick<GitPlace, 'workTree'>> & GitPlace,
  user: SandboxUser,
  from: string,
  to: string,
): Promise<void> {
  const fields = await gitFields(place, ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]);
  const changes: Change[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode = '', , id = ''] = fields[index]?.split(' ') ?? [];
    if (mode !== submoduleMode) changes.push({ path: fields[index + 1] as string, mode, id });
  }
  // Deletions first: a file may make way for a folder.
  for (const change of changes) if (change.mode === noMode) await removeFile(place.workTree, change.path);
  await writeFiles(
    place,
    user,
    changes.filter(({ mode }) => mode !== noMode),
  );
  await git(place, ['read-tree', to]);
}

/** Writes files from the store into a worktree, piece by piece. */
export async function writeFiles(
  place: Required<Pick<GitPlace, 'workTree'>> & GitPlace,
  user: SandboxUser,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const blobs = openBlobs(place);
  try {
    const written: string[] = [];
    for (const change of changes) {
      const content = await blobs.read(change.id);
      if (!content) continue;
      await writeFile(place.workTree, user, change, content);
      if (change.mode !== linkMode) written.push(change.path);
    }
    await syncInside(place.workTree, written);
  } finally {
    blobs.close();
  }
}

async function removeFile(root: string, path: string): Promise<void> {
  const parts = path.split('/');
  await atPath(root, parts, async (spot) => {
    const found = await lstat(spot.path).catch(() => null);
    if (found && !found.isDirectory()) await rm(spot.path, { force: true });
  }).catch(() => {});
  // Git knows no empty folders: those that the deletion emptied go too.
  for (let end = parts.length - 1; end > 0; end--) {
    const isGone = await atPath(root, parts.slice(0, end), (spot) => rmdir(spot.path)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

async function writeFile(
  root: string,
  user: SandboxUser,
  change: Change,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const write = async (spot: Spot) => {
    const found = await lstat(spot.path).catch(() => null);
    if (found) await deleteTree(spot.path);
    if (change.mode === linkMode) {
      const target: Uint8Array[] = [];
      for await (const piece of content) target.push(piece);
      await symlink(Buffer.concat(target), spot.path);
    } else {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const handle = await open(spot.path, flags, change.mode === executableMode ? 0o755 : 0o644);
      try {
        for await (const piece of content) await handle.writeFile(piece);
      } finally {
        await handle.close();
      }
    }
    if (user.isDedicated) await lchown(spot.path, user.uid, user.gid);
  };
  await atPath(root, change.path.split('/'), write, { making: { user } });
}

// Changing a workspace: write, delete, move.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import { syncFiles } from '../../src/kernel/sync-files.ts';
import type { FileInfo } from '../../src/ports/files.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import type { SandboxUser } from '../user.ts';
import { etagOf, fileInfo } from './file-info.ts';
import { atPath, notFound, pathParts, type Spot, writableParts } from './inside.ts';
import { describe } from './read-files.ts';

export interface FilesOptions {
  /** Host directory of the workspace. */
  root: string;
  /** Host directory on the same file system where files are until they are whole; nobody but the server sees it. */
  drafts: string;
  user: SandboxUser;
  /** Largest file that may be written. */
  fileBytes: number;
  /** Bytes that may still be added; asked before every write. */
  room: () => Promise<number>;
}

export interface WriteOptions {
  /** Write only if the file is still this one; `*` for any existing file. */
  expectedEtag?: string;
  /** Refuse when something is there already. */
  createsOnly?: boolean;
}

export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Writes a whole file at once: readers see the old one or the new one. Missing folders are made. */
export async function writeFile(
  options: FilesOptions,
  path: string,
  content: FileContent,
  write: WriteOptions,
): Promise<FileInfo> {
  const { root, drafts, user } = options;
  const parts = writableParts(path);
  const room = Math.min(await options.room(), options.fileBytes);
  const roomNow = options.room;
  const replace = (spot: Spot) => replaceFile(spot, content, { ...write, room, roomNow, drafts, user, parts });
  return atPath(root, parts, replace, { making: { user } });
}

/** Deletes a file, a link or a folder; a folder with something in it only with `isRecursive`. */
export async function removeFile(root: string, path: string, isRecursive: boolean): Promise<void> {
  const parts = pathParts(path);
  if (parts.length === 0) throw new Fault('VALIDATION_FAILED', 'The workspace itself can’t be deleted this way.');
  await atPath(root, parts, (spot) => removeSpot(spot, parts, isRecursive));
}

/** Moves or renames. Throws Fault CONFLICT when the target exists, unless `overwrites` a file. */
export async function moveFile(
  { root, user }: FilesOptions,
  from: string,
  to: string,
  overwrites: boolean,
): Promise<FileInfo> {
  const source = writableParts(from);
  const target = writableParts(to);
  return atPath(root, source, (spot) =>
    atPath(root, target, (place) => moveSpot(spot, place, source, target, overwrites), { making: { user } }),
  );
}

const draftPrefix = 'draft-';

/** Deletes what writers that died left in `drafts`: whatever nobody has written to since `before`, ms. */
export async function removeDrafts(drafts: string, before: number): Promise<void> {
  for (const name of await readdir(drafts).catch(() => [])) {
    if (!name.startsWith(draftPrefix)) continue;
    const path = join(drafts, name);
    const found = await lstat(path).catch(() => null);
    if (found && found.mtimeMs < before) await deleteTree(path);
  }
}

interface Replacement extends WriteOptions {
  room: number;
  roomNow: () => Promise<number>;
  drafts: string;
  user: SandboxUser;
  parts: string[];
}

async function replaceFile(
  spot: Spot,
  content: FileContent,
  { room, roomNow, drafts, user, parts, expectedEtag, createsOnly }: Replacement,
): Promise<FileInfo> {
  const shownPath = parts.join('/');
  const old = await lstat(spot.path, { bigint: true }).catch(() => null);
  if (old && !old.isFile()) {
    throw new Fault('CONFLICT', `“${shownPath}” is a folder or a link.`, {
      hint: 'Choose another name or delete it first.',
    });
  }
  if (createsOnly && old)
    throw new Fault('CONFLICT', `“${shownPath}” exists already.`, { hint: 'Choose another name.' });
  if (expectedEtag !== undefined && !(old && (expectedEtag === '*' || expectedEtag === etagOf(old)))) {
    throw new Fault('PRECONDITION_FAILED', `“${shownPath}” has changed meanwhile.`, {
      hint: 'Read it again and repeat the change on the new content.',
    });
  }
  const temporary = join(drafts, `${draftPrefix}${randomUUID()}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, 0o600);
  try {
    await writeAll(handle, content, room + Number(old?.size ?? 0), roomNow);
    await handle.chmod(old ? Number(old.mode) & 0o777 : 0o644);
    if (user.isDedicated) await handle.chown(user.uid, user.gid);
    await handle.sync();
    await rename(temporary, spot.path);
    await syncFiles([`${spot.folder}/.`]);
    const stats = await handle.stat({ bigint: true });
    return fileInfo(shownPath, stats, false);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

/** Between two looks at the room that is left. */
const checkedBytes = 16 * 1024 * 1024;

async function writeAll(handle: FileHandle, content: FileContent, room: number, roomNow: () => Promise<number>) {
  let most = room;
  const chunks =
    typeof content === 'string' ? [Buffer.from(content)] : content instanceof Uint8Array ? [content] : content;
  let used = 0;
  let checkedAt = 0;
  for await (const chunk of chunks) {
    used += chunk.length;
    if (used - checkedAt > checkedBytes) {
      // Others write at the same time.
      checkedAt = used;
      most = Math.min(most, used + (await roomNow()));
    }
    if (used > most) {
      throw new Fault('QUOTA_EXCEEDED', 'The file does not fit into the workspace.', {
        hint: 'Delete files or raise the workspace’s quota.',
      });
    }
    await handle.writeFile(chunk);
  }
}

async function removeSpot(spot: Spot, parts: string[], isRecursive: boolean): Promise<void> {
  const found = await lstat(spot.path).catch(() => null);
  if (!found) throw notFound(parts);
  if (!found.isDirectory()) return unlink(spot.path);
  if (isRecursive)
    return deleteTree(spot.path).catch((error: unknown) => {
      throw new Fault('CONFLICT', 'The folder is being written to.', {
        hint: 'Pause the run and try again.',
        cause: error,
      });
    });
  await rmdir(spot.path).catch(() => {
    throw new Fault('CONFLICT', `The folder “${parts.join('/')}” is not empty.`, { hint: 'Delete it with recursive.' });
  });
}

async function moveSpot(spot: Spot, place: Spot, from: string[], to: string[], overwrites: boolean): Promise<FileInfo> {
  const source = await lstat(spot.path).catch(() => null);
  if (!source) throw notFound(from);
  const existing = await lstat(place.path).catch(() => null);
  if (existing && !(overwrites && existing.isFile() && source.isFile())) {
    throw new Fault('CONFLICT', `“${to.join('/')}” exists already.`, {
      hint: 'Choose another name or overwrite the file.',
    });
  }
  await rename(spot.path, place.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL') throw error;
    throw new Fault('CYCLE_DETECTED', 'A folder can’t be moved into itself.', { hint: 'Choose another target.' });
  });
  await syncFiles([`${place.folder}/.`]);
  const info = await describe(place.path, to.join('/'));
  if (!info) throw notFound(to);
  return info;
}

// Copies a folder that others write to meanwhile: vanished files are left out, and no link leads outside.
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupEntry } from './manifest.ts';

export interface CopiedTree {
  entries: BackupEntry[];
  skipped: string[];
}

interface Copying extends CopiedTree {
  /** Paths that are copied. */
  known: Set<string>;
}

interface Place {
  /** Absolute path of the data folder and of the copy. */
  from: string;
  to: string;
  skips: (path: string) => boolean;
}

/**
 * Copies everything below `from`. In a git store references go before the objects that they name, so that the copy
 * lacks none: objects are never changed, and only old ones are removed.
 */
export async function copyTree(place: Place): Promise<CopiedTree> {
  const copied: Copying = { entries: [], skipped: [], known: new Set() };
  const pending: string[] = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = await namesIn(place, folder, copied);
    // The stack is walked from its end. Objects are walked twice: some may move into a pack in between.
    const isStore = names.includes('refs') && names.includes('objects');
    const ordered = isStore ? ['objects', 'objects', ...names.filter((name) => name !== 'objects')] : names;
    for (const name of ordered) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!place.skips(path) && (await copyEntry(place, path, copied))) pending.push(path);
    }
  }
  const { entries, skipped } = copied;
  return { entries, skipped };
}

async function namesIn({ from }: Place, folder: string, copied: CopiedTree): Promise<string[]> {
  try {
    return (await readdir(join(from, folder))).sort();
  } catch (error) {
    miss(copied, folder, error);
    return [];
  }
}

/** Copies one entry; true for a folder, whose content is still to be copied. */
async function copyEntry({ from, to }: Place, path: string, copied: Copying): Promise<boolean> {
  try {
    const stats = await lstat(join(from, path));
    const about = { path, mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid };
    const isKnown = copied.known.has(path);
    copied.known.add(path);
    if (isKnown) return stats.isDirectory();
    if (stats.isDirectory()) {
      await mkdir(join(to, path), { recursive: true, mode: 0o700 });
      copied.entries.push({ ...about, kind: 'folder' });
      return true;
    }
    if (stats.isSymbolicLink()) {
      const target = await readlink(join(from, path));
      await symlink(target, join(to, path));
      copied.entries.push({ ...about, kind: 'link', target });
    } else if (stats.isFile()) {
      copied.entries.push({ ...about, kind: 'file', ...(await copyFile(join(from, path), join(to, path), stats)) });
    }
  } catch (error) {
    miss(copied, path, error);
  }
  return false;
}

/** Reports a file that was not copied; one that vanished meanwhile is no loss. A target that can't be written fails the copy. */
function miss(copied: CopiedTree, path: string, error: unknown): void {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EEXIST', 'EFBIG'].includes(code)) throw error;
  if (code !== 'ENOENT') copied.skipped.push(`${path}: ${message}`);
}

async function copyFile(source: string, target: string, { mtimeMs }: Stats) {
  const input = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await requireSamePlace(input, source);
    const output = await open(target, 'wx', 0o600);
    try {
      return { ...(await pump(input, output)), modifiedAt: mtimeMs };
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
  }
}

/** Checks the path of an open file: an agent may replace a folder above it by a link at any moment. */
async function requireSamePlace(input: FileHandle, source: string): Promise<void> {
  const real = await readlink(`/proc/self/fd/${input.fd}`).catch(() => source);
  if (real !== source) throw new Error('it was moved while it was copied');
}

const chunkBytes = 1 << 18;

async function pump(input: FileHandle, output: FileHandle): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await input.read(buffer, 0, chunkBytes, bytes);
    if (bytesRead === 0) break;
    const part = buffer.subarray(0, bytesRead);
    hash.update(part);
    await output.writeFile(part);
    bytes += bytesRead;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Size and digest of a file. */
export async function measureFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const input = await open(path, 'r');
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of input.createReadStream({ highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    hash.update(part);
    bytes += part.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

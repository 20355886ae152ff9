// The files of a workspace, for people and tools: list, read, write, delete, move; never outside.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import { createTextSplitter } from '../output/text.ts';
import type { SandboxUser } from '../user.ts';
import { etagOf, type FileInfo, fileInfo, looksBinary, mimeTypeOf } from './file-info.ts';
import { atPath, notFound, pathParts, type Spot, writableParts } from './inside.ts';
import { walk } from './walk.ts';

export interface FilesOptions {
  /** Host directory of the workspace. */
  root: string;
  user: SandboxUser;
  /** Largest file that may be written. */
  fileBytes: number;
  /** Bytes that may still be added; asked before every write. */
  room: () => Promise<number>;
}

/** Fits `AgentRunFileContent`, with the ETag beside it. */
export interface FileText {
  path: string;
  sizeBytes: number;
  isBinary: boolean;
  truncated: boolean;
  /** Null for binary files. */
  text: string | null;
  etag: string;
  modifiedAtUtc: string;
}

/** A file opened for download. The body must be read to its end or returned. */
export interface FileBytes {
  path: string;
  sizeBytes: number;
  mimeType: string;
  etag: string;
  /** First and last byte sent; the whole file when no range was asked for. */
  range: { start: number; end: number };
  body: AsyncGenerator<Uint8Array>;
}

export interface WriteOptions {
  /** Write only if the file is still this one; `*` for any existing file. */
  expectedEtag?: string;
  /** Refuse when something is there already. */
  createsOnly?: boolean;
}

export interface ListOptions {
  path?: string;
  isRecursive?: boolean;
  /** Keeps paths that match, e.g. `src/*.ts`. */
  glob?: string;
  /** Most entries, 5,000 when absent. */
  limit?: number;
}

export type Files = ReturnType<typeof createFiles>;

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const readChunk = 64 * 1024;
const mebibyte = 1024 * 1024;

/** Files of one workspace. All methods throw Faults: NOT_FOUND, VALIDATION_FAILED, FORBIDDEN, CONFLICT and what they name. */
export function createFiles(options: FilesOptions) {
  const { root, user } = options;

  return {
    /** Entries under a folder, in order of names. */
    list: async ({ path = '', isRecursive = false, glob, limit = 5000 }: ListOptions = {}): Promise<FileInfo[]> => {
      const parts = pathParts(path);
      const pattern = glob === undefined ? null : globPattern(glob);
      return atPath(
        root,
        parts,
        async (spot) => {
          if (!(await lstat(spot.path).catch(() => null))?.isDirectory()) throw notFound(parts);
          const found: FileInfo[] = [];
          for await (const entry of walk(spot.path, parts.join('/'), { isRecursive })) {
            if (entry.kind === 'link' || (pattern && !pattern.test(entry.path))) continue;
            const info = await describe(entry.at, entry.path);
            if (info) found.push(info);
            if (found.length >= limit) break;
          }
          return found;
        },
        { followsLast: true },
      );
    },

    /** One file or folder. */
    info: async (path: string): Promise<FileInfo> => {
      const parts = pathParts(path);
      return atPath(
        root,
        parts,
        async (spot) => {
          const info = await describe(spot.path, parts.join('/'));
          if (!info) throw notFound(parts);
          return info;
        },
        { followsLast: true },
      );
    },

    /** A file as text, cut after `maxBytes` (1 MiB) at the end of a character; no text for binary files. */
    readText: (path: string, maxBytes = mebibyte): Promise<FileText> =>
      withFile(path, async (handle, shownPath) => {
        const stats = await handle.stat({ bigint: true });
        const isBinary = await looksBinary(handle);
        const size = Number(stats.size);
        const bytes = isBinary ? null : await readUpTo(handle, Math.min(size, maxBytes));
        const truncated = !isBinary && size > maxBytes;
        const splitter = createTextSplitter();
        const text = bytes && (splitter.write(bytes)?.text ?? '') + (truncated ? '' : (splitter.end()?.text ?? ''));
        return {
          path: shownPath,
          sizeBytes: size,
          isBinary,
          truncated,
          text,
          etag: etagOf(stats),
          modifiedAtUtc: new Date(Number(stats.mtimeMs)).toISOString(),
        };
      }),

    /** Opens a file for download, whole or in part. `end` is inclusive. Throws Fault BAD_REQUEST (416) for a range outside. */
    openBytes: async (path: string, range?: { start?: number; end?: number }): Promise<FileBytes> => {
      const { handle, shownPath } = await openFile(path);
      try {
        const stats = await handle.stat({ bigint: true });
        const size = Number(stats.size);
        const asked = resolveRange(size, range);
        const mimeType = mimeTypeOf(shownPath, await looksBinary(handle));
        const body = readRange(handle, asked);
        return { path: shownPath, sizeBytes: size, mimeType, etag: etagOf(stats), range: asked, body };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    /** Writes a whole file at once: readers see the old one or the new one. Missing folders are made. */
    write: async (
      path: string,
      content: string | Uint8Array | AsyncIterable<Uint8Array>,
      write: WriteOptions = {},
    ): Promise<FileInfo> => {
      const parts = writableParts(path);
      const room = Math.min(await options.room(), options.fileBytes);
      const replaced = (spot: Spot) => replaceFile(spot, content, { ...write, room, user, parts });
      return atPath(root, parts, replaced, { making: { user } });
    },

    /** Deletes a file, a link or a folder; a folder with something in it only with `isRecursive`. */
    remove: async (path: string, { isRecursive = false } = {}): Promise<void> => {
      const parts = pathParts(path);
      if (parts.length === 0) throw new Fault('VALIDATION_FAILED', 'The workspace itself can’t be deleted this way.');
      await atPath(root, parts, (spot) => removeSpot(spot, parts, isRecursive));
    },

    /** Moves or renames. Throws Fault CONFLICT when the target exists, unless `overwrites` a file. */
    move: async (from: string, to: string, { overwrites = false } = {}): Promise<FileInfo> => {
      const source = writableParts(from);
      const target = writableParts(to);
      return atPath(root, source, (spot) =>
        atPath(root, target, (place) => moveSpot(spot, place, source, target, overwrites), { making: { user } }),
      );
    },
  };

  async function openFile(path: string): Promise<{ handle: FileHandle; shownPath: string }> {
    const parts = pathParts(path);
    return atPath(
      root,
      parts,
      async (spot) => {
        const handle = await open(spot.path, readFlags).catch(() => null);
        if (!handle) throw notFound(parts);
        if ((await handle.stat()).isFile()) return { handle, shownPath: parts.join('/') };
        await handle.close();
        throw new Fault('VALIDATION_FAILED', `“${parts.join('/')}” is no file.`, { hint: 'List the folder instead.' });
      },
      { followsLast: true },
    );
  }

  async function withFile<Result>(path: string, work: (handle: FileHandle, path: string) => Promise<Result>) {
    const { handle, shownPath } = await openFile(path);
    try {
      return await work(handle, shownPath);
    } finally {
      await handle.close();
    }
  }
}

async function describe(at: string, path: string): Promise<FileInfo | null> {
  const stats = await lstat(at, { bigint: true }).catch(() => null);
  if (!stats || stats.isSymbolicLink()) return null;
  if (!stats.isFile()) return stats.isDirectory() ? fileInfo(path, stats, false) : null;
  const handle = await open(at, readFlags).catch(() => null);
  try {
    return fileInfo(path, stats, handle ? await looksBinary(handle) : false);
  } finally {
    await handle?.close();
  }
}

async function readUpTo(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await handle.read(buffer, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}

function resolveRange(size: number, range: { start?: number; end?: number } | undefined) {
  if (!range) return { start: 0, end: size - 1 };
  // `bytes=-5` asks for the last five.
  const start = range.start ?? Math.max(0, size - (range.end ?? 0));
  const end = range.start === undefined ? size - 1 : Math.min(range.end ?? size - 1, size - 1);
  if (start >= 0 && start <= end) return { start, end };
  throw new Fault('BAD_REQUEST', `The file has ${size} bytes; that range is outside.`, {
    status: 416,
    hint: 'Ask for a range within the file.',
  });
}

async function* readRange(handle: FileHandle, { start, end }: { start: number; end: number }) {
  try {
    for (let at = start; at <= end; ) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.alloc(Math.min(readChunk, end - at + 1)),
        0,
        undefined,
        at,
      );
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead) as Uint8Array;
    }
  } finally {
    await handle.close();
  }
}

interface Replacement extends WriteOptions {
  room: number;
  user: SandboxUser;
  parts: string[];
}

async function replaceFile(
  spot: Spot,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  { room, user, parts, expectedEtag, createsOnly }: Replacement,
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
  const temporary = join(spot.folder, `.rivulet-${randomUUID()}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, 0o600);
  try {
    await writeAll(handle, content, room + Number(old?.size ?? 0));
    await handle.chmod(old ? Number(old.mode) & 0o777 : 0o644);
    if (user.isDedicated) await handle.chown(user.uid, user.gid);
    await rename(temporary, spot.path);
    const stats = await handle.stat({ bigint: true });
    return fileInfo(shownPath, stats, false);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, content: string | Uint8Array | AsyncIterable<Uint8Array>, room: number) {
  const chunks =
    typeof content === 'string' ? [Buffer.from(content)] : content instanceof Uint8Array ? [content] : content;
  let used = 0;
  for await (const chunk of chunks) {
    used += chunk.length;
    if (used > room) {
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
  if (isRecursive) return removeTree(spot.path);
  await rmdir(spot.path).catch(() => {
    throw new Fault('CONFLICT', `The folder “${parts.join('/')}” is not empty.`, { hint: 'Delete it with recursive.' });
  });
}

/** Like `rm -r`, but through descriptors, so that a folder swapped for a link is not followed. */
async function removeTree(path: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    for await (const entry of walkAll(path)) {
      if (entry.kind === 'folder') await removeTree(entry.at);
      else await rm(entry.at, { force: true });
    }
    if (
      await rmdir(path).then(
        () => true,
        () => false,
      )
    )
      return;
  }
  throw new Fault('CONFLICT', 'The folder is being written to.', { hint: 'Pause the run and try again.' });
}

/** Every entry of one folder; the prefix keeps even a `.git` from being passed over. */
const walkAll = (path: string) => walk(path, '-', { isRecursive: false });

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
  const info = await describe(place.path, to.join('/'));
  if (!info) throw notFound(to);
  return info;
}

/** `**` crosses folders, `*` and `?` don't. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|[*?]|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

// Reading a workspace: lists, texts and downloads.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { Fault } from '../../src/kernel/fault.ts';
import { globMatcher } from '../../src/kernel/patterns.ts';
import type { FileInfo, FileText } from '../../src/ports/files.ts';
import { createTextSplitter } from '../output/text.ts';
import { etagOf, fileInfo, looksBinary, mimeTypeOf } from './file-info.ts';
import { atPath, notFound, pathParts, type Spot } from './inside.ts';
import { walk } from './walk.ts';

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

export interface ListOptions {
  path?: string;
  isRecursive?: boolean;
  /** Keeps paths that match, e.g. `src/*.ts`; `**` crosses folders. */
  glob?: string;
  /** Most entries, 5,000 when absent. */
  limit?: number;
}

/** `start` alone goes to the end; `end` alone asks for the last bytes, as in HTTP. */
export interface ByteRange {
  start?: number;
  end?: number;
}

const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const readChunk = 64 * 1024;
const mebibyte = 1024 * 1024;
const followed = { followsLast: true };

/** Entries under a folder, in order of names. */
export async function listFiles(root: string, options: ListOptions = {}): Promise<FileInfo[]> {
  const { path = '', isRecursive = false, glob, limit = 5000 } = options;
  const parts = pathParts(path);
  const isWanted = glob === undefined ? null : globMatcher(glob);
  const collect = async ({ path: folder, isRoot }: Spot) => {
    if (!(await lstat(folder).catch(() => null))?.isDirectory()) throw notFound(parts);
    const found: FileInfo[] = [];
    for await (const entry of walk(folder, parts.join('/'), { isRecursive, isRoot })) {
      if (entry.kind === 'link' || (isWanted && !isWanted(entry.path))) continue;
      const info = await describe(entry.at, entry.path);
      if (info) found.push(info);
      if (found.length >= limit) break;
    }
    return found;
  };
  return atPath(root, parts, collect, followed);
}

/** One file or folder. */
export async function fileAt(root: string, path: string): Promise<FileInfo> {
  const parts = pathParts(path);
  const info = await atPath(root, parts, (spot) => describe(spot.path, parts.join('/')), followed);
  if (!info) throw notFound(parts);
  return info;
}

/** A file as text, cut after `maxBytes` at the end of a character; no text for binary files. */
export async function readText(root: string, path: string, maxBytes = mebibyte): Promise<FileText> {
  const { handle, shownPath } = await openFile(root, path);
  try {
    const stats = await handle.stat({ bigint: true });
    const isBinary = await looksBinary(handle);
    const size = Number(stats.size);
    const bytes = isBinary ? null : await readUpTo(handle, Math.min(size, maxBytes));
    const truncated = !isBinary && size > maxBytes;
    const splitter = createTextSplitter();
    const text = bytes && (splitter.write(bytes)?.text ?? '') + (truncated ? '' : (splitter.end()?.text ?? ''));
    const modifiedAtUtc = new Date(Number(stats.mtimeMs)).toISOString();
    return { path: shownPath, sizeBytes: size, isBinary, truncated, text, modifiedAtUtc };
  } finally {
    await handle.close();
  }
}

/** Opens a file for download, whole or in part. `end` is inclusive. Throws Fault BAD_REQUEST (416) for a range outside. */
export async function openBytes(root: string, path: string, range?: ByteRange): Promise<FileBytes> {
  const { handle, shownPath } = await openFile(root, path);
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
}

/** Name, size and times of an entry; null for links and for what is neither file nor folder. */
export async function describe(at: string, path: string): Promise<FileInfo | null> {
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

async function openFile(root: string, path: string): Promise<{ handle: FileHandle; shownPath: string }> {
  const parts = pathParts(path);
  const shownPath = parts.join('/');
  const handle = await atPath(root, parts, (spot) => open(spot.path, readFlags).catch(() => null), followed);
  if (!handle) throw notFound(parts);
  if ((await handle.stat()).isFile()) return { handle, shownPath };
  await handle.close();
  throw new Fault('VALIDATION_FAILED', `“${shownPath}” is no file.`, { hint: 'List the folder instead.' });
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

function resolveRange(size: number, range: ByteRange | undefined) {
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

/** Bytes of a handle, which is closed at the end, or when the reader leaves, even before the first byte. */
function readRange(handle: FileHandle, range: { start: number; end: number }): AsyncGenerator<Uint8Array> {
  const bytes = chunksOf(handle, range);
  const leave = bytes.return.bind(bytes);
  // A generator that has not begun would end without its `finally`.
  bytes.return = async (value) => {
    await handle.close();
    return leave(value);
  };
  return bytes;
}

async function* chunksOf(
  handle: FileHandle,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  try {
    for (let at = start; at <= end; ) {
      const chunk = Buffer.alloc(Math.min(readChunk, end - at + 1));
      const { bytesRead } = await handle.read(chunk, 0, undefined, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

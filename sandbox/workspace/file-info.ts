// File info: type, ETag and whether it is text.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import mime from 'mime';
import type { FileInfo } from '../../src/ports/files.ts';

/** Number of bytes searched for a NUL, which marks a binary file: git's own rule. */
const sniffedBytes = 8000;

export async function looksBinary(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0);
  return buffer.subarray(0, bytesRead).includes(0);
}

/** ETag from the change time, which no process can set back, the inode and the size. */
export function etagOf(stats: BigIntStats): string {
  return `"${stats.ctimeNs.toString(36)}-${stats.ino.toString(36)}-${stats.size.toString(36)}"`;
}

export function fileInfo(path: string, stats: BigIntStats, isBinary: boolean): FileInfo {
  const isDirectory = stats.isDirectory();
  return {
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    isDirectory,
    sizeBytes: isDirectory ? 0 : Number(stats.size),
    mimeType: isDirectory ? null : mimeTypeOf(path, isBinary),
    isBinary,
    etag: isDirectory ? null : etagOf(stats),
    modifiedAtUtc: new Date(Number(stats.mtimeMs)).toISOString(),
  };
}

export function mimeTypeOf(path: string, isBinary: boolean): string {
  const guessed = mime.getType(path);
  // The registry maps `.ts` to a video format.
  if (guessed && !(guessed.startsWith('video/') && !isBinary)) return guessed;
  return isBinary ? 'application/octet-stream' : 'text/plain';
}

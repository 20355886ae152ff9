// The files of a workspace, for people and tools: list, read, write, delete, move; never outside.
import { type ByteRange, fileAt, type ListOptions, listFiles, openBytes, readText } from './read-files.ts';
import { syncInside } from './sync-inside.ts';
import {
  type FileContent,
  type FilesOptions,
  moveFile,
  removeFile,
  type WriteOptions,
  writeFile,
} from './write-files.ts';

export type Files = ReturnType<typeof createFiles>;

/**
 * Files of one workspace. All methods throw Faults: NOT_FOUND, VALIDATION_FAILED, FORBIDDEN, CONFLICT and what they
 * name.
 */
export function createFiles(options: FilesOptions) {
  const { root } = options;
  return {
    /** Entries under a folder, in order of names. */
    list: (wanted?: ListOptions) => listFiles(root, wanted),
    /** Info of one file or folder. */
    info: (path: string) => fileAt(root, path),
    /** A file as text, cut after `maxBytes` (1 MiB) at the end of a character; no text for binary files. */
    readText: (path: string, maxBytes?: number) => readText(root, path, maxBytes),
    /** Opens a file for download, whole or in part. Throws Fault BAD_REQUEST (416) for a range outside. */
    openBytes: (path: string, range?: ByteRange) => openBytes(root, path, range),
    /** Waits until files that a program has written are on the disk. */
    sync: (paths: Iterable<string>) => syncInside(root, paths),
    /** Writes a whole file at once. Throws Fault QUOTA_EXCEEDED, PRECONDITION_FAILED. */
    write: (path: string, content: FileContent, write: WriteOptions = {}) => writeFile(options, path, content, write),
    /** Deletes a file, a link or a folder; a folder that is not empty only with `isRecursive`. */
    remove: (path: string, { isRecursive = false } = {}) => removeFile(root, path, isRecursive),
    /** Moves or renames. Throws Fault CONFLICT when the target exists, unless `overwrites` a file. */
    move: (from: string, to: string, { overwrites = false } = {}) => moveFile(options, from, to, overwrites),
  };
}

// Makes a folder and tries whether files can be made in it, before anything relies on that.
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Makes a folder and those above it where they are missing, its owner's alone. @throws Error where it cannot be used */
export function requireUsableFolder(folder: string): void {
  make(folder);
  requireWritable(folder);
}

/** Makes a folder in it and takes it away: permissions alone do not say what a file system takes. @throws Error */
export const requireWritable = (folder: string): void => rmdirSync(mkdtempSync(join(folder, '.writable-')));

/**
 * Makes one folder after the other. Node's own `recursive` tries for ever where a file system says that a folder in
 * one which is there can't be found, as /proc does.
 */
function make(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) make(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

/** @throws Error where a file stands in its place */
function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw new Error(`${path} is no folder`);
  return found !== undefined;
}

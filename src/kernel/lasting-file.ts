// A file that is made once. From the moment that it is there, it is whole, and a power failure does not take it away.
import { randomUUID } from 'node:crypto';
import { closeSync, constants, copyFileSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Makes a file that its owner alone can read, unless it is there. */
export function makeLastingFile(file: string, text: string): void {
  const draft = join(dirname(file), `.${basename(file)}-${randomUUID()}`);
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    try {
      linkSync(draft, file);
    } catch (error) {
      if (isThere(error)) return;
      copyOf(draft, file);
    }
    syncFolder(dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** For shared volumes without hard links. */
function copyOf(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
    sync(file);
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

const isThere = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EEXIST';

function sync(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** The names in a folder. Some systems refuse it, and keep names without being asked. */
function syncFolder(folder: string): void {
  try {
    sync(folder);
  } catch {}
}

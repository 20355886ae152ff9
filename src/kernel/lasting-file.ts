// A file that is made once. From the moment that it is there, it is whole, and a power failure does not take it away.
import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFileNow } from './sync-files.ts';

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
    syncFileNow(dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** For shared volumes without hard links. */
function copyOf(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
    syncFileNow(file);
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

const isThere = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EEXIST';

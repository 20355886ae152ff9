// Restricts the data folder to the server's own user, since it holds secrets of all tenants.
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../kernel/logger.ts';

const others = 0o077;

/**
 * Closes the folder and the files in it to other users of the machine. What can't be closed is named in a warning: the
 * folder may belong to somebody else, or its file system knows no permissions. `level` is that of what was closed: files
 * that were made just now, in a closed folder, are no news.
 */
export function closeDataFolder(folder: string, log: Logger, level: 'info' | 'debug' = 'info'): void {
  const closed: string[] = [];
  const open: string[] = [];
  for (const [path, mode] of [[folder, 0o700] as const, ...filesIn(folder)]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || (found.mode & others) === 0) continue;
    (close(path, mode) ? closed : open).push(path);
  }
  if (closed.length > 0)
    log[level]({ paths: closed }, 'other users of this machine could read parts of the data folder: closed to them');
  if (open.length > 0)
    log.warn(
      { paths: open },
      'other users of this machine can read parts of the data folder, secrets among them, and its permissions can not be changed: give it to the user of the server (chown) or choose another folder (RIVULET_DATA)',
    );
}

/** Files in the folder itself: the database with its log, the secret. Folders below are protected by its permissions. */
function filesIn(folder: string): [string, number][] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [join(folder, name), 0o600]);
}

function close(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode);
    return (lstatSync(path).mode & others) === 0;
  } catch {
    return false;
  }
}

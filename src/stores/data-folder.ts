// Restricts the data folder to the server's own user, since it holds secrets of all tenants.
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMade, isNobodys } from '../kernel/data-names.ts';
import type { Logger } from '../kernel/logger.ts';

const others = 0o077;

/**
 * Closes the folder and the server's files in it to other users of the machine. A folder with other things in it stays
 * as it is, since a mistyped name may be that of a folder of the system. What stays open is named in a warning. `level`
 * is that of what was closed: files that were made just now, in a closed folder, are no news.
 */
export function closeDataFolder(
  folder: string,
  log: Logger,
  { level = 'info', chmod = chmodSync }: { level?: 'info' | 'debug'; chmod?: typeof chmodSync } = {},
): void {
  const closed: string[] = [];
  const open: string[] = [];
  const entries = readdirSync(folder, { withFileTypes: true });
  const foreign = entries.map(({ name }) => name).filter((name) => !isMade(name) && !isNobodys(name));
  // Folders below are protected by the permissions of the folder itself.
  const files = entries.filter((entry) => entry.isFile() && isMade(entry.name)).map(({ name }) => join(folder, name));
  const closing: [string, number][] = files.map((path) => [path, 0o600]);
  if (foreign.length === 0) closing.unshift([folder, 0o700]);
  else if (isOpen(folder))
    log.warn(
      { path: folder, others: foreign.slice(0, 10) },
      'the data folder has other things in it, so its permissions are left as they are, and other users of this machine can read parts of it: name a folder of its own (RIVULET_DATA)',
    );
  for (const [path, mode] of closing) if (isOpen(path)) (close(path, mode, chmod) ? closed : open).push(path);
  if (closed.length > 0)
    log[level]({ paths: closed }, 'other users of this machine could read parts of the data folder: closed to them');
  if (open.length > 0)
    log.warn(
      { paths: open },
      'other users of this machine can read parts of the data folder, secrets among them, and its permissions can not be changed: give it to the user of the server (chown) or choose another folder (RIVULET_DATA)',
    );
}

const isOpen = (path: string) => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & others) !== 0;

function close(path: string, mode: number, chmod: typeof chmodSync): boolean {
  try {
    chmod(path, mode);
    return !isOpen(path);
  } catch {
    return false;
  }
}

// Restores a backup into an empty data folder, checked as a whole before anything is in place.
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  cp,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Database from 'libsql';
import { isNobodys, isUnfinishedRestore, unfinishedRestore } from '../../kernel/data-names.ts';
import { Fault } from '../../kernel/fault.ts';
import { syncFiles, syncTree } from '../../kernel/sync-files.ts';
import { measureFile } from './copy-tree.ts';
import {
  type BackupEntry,
  type BackupManifest,
  contentFolder,
  damaged,
  databaseFile,
  readManifest,
} from './manifest.ts';

interface Request {
  backup: string;
  /** Data folder; absent, or without any file. */
  dataFolder: string;
}

/**
 * Restores a backup. The files are brought into a folder within the data folder, and moved to their places when all of
 * them are right. The data folder may be a mount of its own, with others below it.
 *
 * @throws Fault NOT_FOUND, CONFLICT for backups that are none or damaged, and for a data folder that is not empty,
 * STORE_UNAVAILABLE when it cannot be written
 */
export async function restore({ backup, dataFolder }: Request): Promise<BackupManifest> {
  const manifest = readManifest(resolve(backup));
  const place = resolve(dataFolder);
  await requireEmpty(place);
  const isNew = (await mkdir(place, { recursive: true, mode: 0o700 }).catch(rethrowAs(place))) !== undefined;
  const draft = await mkdtemp(join(place, unfinishedRestore)).catch(rethrowAs(place));
  let isMoving = false;
  try {
    const content = join(resolve(backup), contentFolder);
    for (const entry of manifest.entries) await bring(entry, content, draft);
    if (manifest.store === 'embedded') checkDatabase(join(draft, databaseFile));
    await movePointers(manifest, draft, place);
    // Where a power failure leaves some of the files in place, it leaves the draft, too.
    await syncFiles([draft, place]);
    isMoving = true;
    await moveInto(draft, place);
    for (const entry of manifest.entries) await dress(entry, place);
    // A volume may be somebody else's: the server closes its files, and says what stays open.
    await chmod(place, 0o700).catch(() => undefined);
    await syncTree(place);
    // Last: no server starts beside it.
    await rm(draft, { recursive: true });
    await syncFiles([place, dirname(place)]);
    return manifest;
  } catch (error) {
    if (isMoving) await takeBack(manifest, place);
    await rm(draft, { recursive: true, force: true });
    if (isNew) await rmdir(place).catch(() => undefined);
    return rethrowAs(place)(error);
  }
}

const rethrowAs = (place: string) => (cause: unknown) => {
  if (cause instanceof Fault) throw cause;
  throw new Fault('STORE_UNAVAILABLE', `The backup could not be restored: ${(cause as Error).message}`, {
    hint: `Check that this user may write in ${place}, and that it has room for all of the backup.`,
    cause,
  });
};

async function requireEmpty(place: string): Promise<void> {
  const holds = await holdsFiles(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return false;
    throw new Fault('CONFLICT', `${place} can't be used: ${error.message}`, { hint: 'Name a folder in RIVULET_DATA.' });
  });
  if (!holds) return;
  if ((await readdir(place)).some(isUnfinishedRestore))
    throw new Fault('CONFLICT', `A restore into ${place} broke off, or is still at work.`, {
      hint: 'Empty the folder, then restore again.',
    });
  throw new Fault('CONFLICT', `${place} is not empty.`, {
    hint: 'A backup is restored into an empty folder: move the old one away, or name another in RIVULET_DATA.',
  });
}

/** Whether a folder has more than what file systems leave, and folders without any file: volumes come with them. */
async function holdsFiles(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (isNobodys(entry.name)) continue;
    if (!entry.isDirectory() || isUnfinishedRestore(entry.name)) return true;
    if (await holdsFiles(join(folder, entry.name))) return true;
  }
  return false;
}

/** Moves what is in a folder into another. Folders that are there already stay: others may be mounted at them. */
async function moveInto(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && existsSync(target)) await moveInto(source, target);
    else await rename(source, target).catch((error) => copyElsewhere(error, source, target));
  }
}

/** Of what another file system is mounted at; the draft keeps its own until it is removed. */
function copyElsewhere(error: NodeJS.ErrnoException, source: string, target: string): Promise<void> {
  if (error.code !== 'EXDEV') throw error;
  return cp(source, target, { recursive: true, verbatimSymlinks: true });
}

/** Removes what has been moved, the inner first; of folders those that nothing else is in. */
async function takeBack({ entries }: BackupManifest, place: string): Promise<void> {
  for (const { path, kind } of entries.toReversed()) {
    const gone = kind === 'folder' ? rmdir(join(place, path)) : rm(join(place, path), { force: true });
    await gone.catch(() => undefined);
  }
}

async function bring(entry: BackupEntry, content: string, draft: string): Promise<void> {
  const path = join(draft, entry.path);
  if (!path.startsWith(`${draft}/`)) throw damaged(`${entry.path} leads out of it`);
  if (entry.kind === 'folder') {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (entry.kind === 'link') {
    await symlink(entry.target ?? '', path);
    return;
  }
  await copyFile(join(content, entry.path), path).catch((cause) => {
    throw (cause as NodeJS.ErrnoException).code === 'ENOENT' ? damaged(`${entry.path} is missing`, cause) : cause;
  });
  const { bytes, sha256 } = await measureFile(path);
  if (bytes !== entry.bytes || sha256 !== entry.sha256) throw damaged(`${entry.path} is not what was written`);
}

function checkDatabase(path: string): void {
  const db = new Database(path);
  try {
    const [answer] = db.prepare('PRAGMA quick_check(1)').raw(true).get() as [string];
    if (answer !== 'ok') throw damaged(`${databaseFile}: ${answer}`);
  } finally {
    db.close();
  }
}

/** The files in which git names absolute paths: of a worktree its store, and of the store its worktrees. */
const pointer = /^sandbox\/(.*\/)?(\.git|worktrees\/[^/]+\/gitdir)$/;
const longestPointer = 8192;

async function movePointers({ entries, dataFolder }: BackupManifest, draft: string, place: string): Promise<void> {
  if (dataFolder === place) return;
  for (const { path, kind, bytes = 0 } of entries) {
    if (kind !== 'file' || bytes > longestPointer || !pointer.test(path)) continue;
    const text = await readFile(join(draft, path), 'utf8');
    const moved = text.replace(/^(gitdir: )?(.*)/, (all, start: string | undefined, named: string) =>
      named.startsWith(`${dataFolder}/`) ? `${start ?? ''}${place}${named.slice(dataFolder.length)}` : all,
    );
    if (moved !== text) await writeFile(join(draft, path), moved);
  }
}

/** Restores owner, permissions and time; the owner only where this process may change it. */
async function dress({ path, kind, mode, uid, gid, modifiedAt }: BackupEntry, draft: string): Promise<void> {
  const file = join(draft, path);
  if (process.getuid?.() === 0) await lchown(file, uid, gid);
  if (kind === 'link') return;
  await chmod(file, mode);
  if (modifiedAt !== undefined) await utimes(file, new Date(), new Date(modifiedAt));
}

// Restores a backup into an empty data folder, checked as a whole before anything is in place.
import {
  chmod,
  copyFile,
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
  /** Data folder; must be absent or empty. */
  dataFolder: string;
}

/**
 * Restores a backup. The data folder is made beside its place and moved there when all of it is right.
 *
 * @throws Fault NOT_FOUND, CONFLICT for backups that are none or damaged, and for a data folder that is not empty,
 * STORE_UNAVAILABLE when it cannot be written
 */
export async function restore({ backup, dataFolder }: Request): Promise<BackupManifest> {
  const manifest = readManifest(resolve(backup));
  const place = resolve(dataFolder);
  await requireEmpty(place);
  await mkdir(dirname(place), { recursive: true }).catch(rethrowAs(place));
  const draft = await mkdtemp(`${place}.restoring-`).catch(rethrowAs(place));
  try {
    const content = join(resolve(backup), contentFolder);
    for (const entry of manifest.entries) await bring(entry, content, draft);
    if (manifest.store === 'embedded') checkDatabase(join(draft, databaseFile));
    await movePointers(manifest, draft, place);
    await syncTree(draft);
    for (const entry of manifest.entries) await dress(entry, draft);
    await chmod(draft, 0o700);
    await rmdir(place).catch(() => undefined);
    await rename(draft, place);
    await syncFiles([dirname(place)]);
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    return rethrowAs(place)(error);
  }
}

const rethrowAs = (place: string) => (cause: unknown) => {
  if (cause instanceof Fault) throw cause;
  throw new Fault('STORE_UNAVAILABLE', `The backup could not be restored: ${(cause as Error).message}`, {
    hint: `Check that this user may write in ${dirname(place)}, and that it has room for all of the backup.`,
    cause,
  });
};

async function requireEmpty(place: string): Promise<void> {
  const names = await readdir(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Fault('CONFLICT', `${place} can't be used: ${error.message}`, { hint: 'Name a folder in RIVULET_DATA.' });
  });
  if (names.length === 0) return;
  throw new Fault('CONFLICT', `${place} is not empty.`, {
    hint: 'A backup is restored into an empty folder: move the old one away, or name another in RIVULET_DATA.',
  });
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

// Takes a backup of a data folder, also while a server works on it.
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { Fault } from '../../kernel/fault.ts';
import { syncFiles, syncTree } from '../../kernel/sync-files.ts';
import { lockFolder } from '../embedded/lock.ts';
import { checkWal } from '../embedded/wal-guard.ts';
import { copyTree, measureFile } from './copy-tree.ts';
import { type BackupEntry, type BackupManifest, contentFolder, databaseFile, writeManifest } from './manifest.ts';

interface Request {
  dataFolder: string;
  /** Folder of the backup; must be absent or empty. */
  target: string;
  /** The documents are in a MongoDB, which has tools of its own for its backups. */
  withoutDatabase: boolean;
  /** The secret comes from the environment, so that there is none in the folder. */
  secretElsewhere: boolean;
  version: string;
  now: number;
}

/** Files of the running process, and a database that was moved, not of the data; the database is copied separately. */
const ofProcesses =
  /^(rivulet\.(db|db-wal|db-shm|db-journal|db-synced|db\.moved|db\.moved-wal|lock|lock-journal|pid)|sandbox\/(docker|bwrap))$/;

/**
 * Writes a backup into `target`: everything that was acknowledged before the call is in it.
 *
 * @throws Fault NOT_FOUND without data, CONFLICT when the target is not empty or lies within the data,
 * STORE_UNAVAILABLE when the disk is full or the database can't be read
 */
export async function backUp(request: Request): Promise<BackupManifest> {
  const dataFolder = await realpath(request.dataFolder).catch(() => request.dataFolder);
  requireData(request, dataFolder);
  const target = resolve(request.target);
  await makeEmpty(target, dataFolder);
  const content = join(target, contentFolder);
  try {
    await mkdir(content, { mode: 0o700 });
    // The documents first: they name files, which are copied after them and so are there.
    const database = request.withoutDatabase ? [] : [await copyDatabase(dataFolder, content)];
    const { entries, skipped } = await copyTree({
      from: dataFolder,
      to: content,
      skips: (path) => ofProcesses.test(path),
    });
    const manifest: BackupManifest = {
      format: 1,
      version: request.version,
      createdAtUtc: new Date(request.now).toISOString(),
      dataFolder,
      store: request.withoutDatabase ? 'mongodb' : 'embedded',
      entries: [...database, ...entries],
      skipped,
    };
    await syncTree(content);
    await writeManifest(target, manifest);
    await syncFiles([target]);
    return manifest;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('STORE_UNAVAILABLE', `The backup could not be written: ${(cause as Error).message}`, {
      hint: `Check that ${target} has room for all of ${dataFolder}, then take the backup into another empty folder.`,
      cause,
    });
  }
}

function requireData({ withoutDatabase, secretElsewhere }: Request, dataFolder: string): void {
  const hint = 'Name the folder of the server in RIVULET_DATA, as it has it.';
  if (!withoutDatabase && !existsSync(join(dataFolder, databaseFile)))
    throw new Fault('NOT_FOUND', `There is no data of Rivulet in ${dataFolder}.`, { hint });
  if (!secretElsewhere && !existsSync(join(dataFolder, 'secret')))
    throw new Fault('NOT_FOUND', `There is no secret in ${dataFolder}, without which a backup is of no use.`, {
      hint: 'Set RIVULET_SECRET as for the server.',
    });
}

/** @throws Fault CONFLICT */
async function makeEmpty(target: string, dataFolder: string): Promise<void> {
  const inside = relative(dataFolder, target);
  if (inside === '' || !inside.startsWith('..'))
    throw new Fault('CONFLICT', 'A backup within the data folder would be lost with it.', {
      hint: 'Name a folder elsewhere, best on another disk.',
    });
  const names = await mkdir(target, { recursive: true, mode: 0o700 })
    .then(() => readdir(target))
    .catch((cause: Error) => {
      throw new Fault('CONFLICT', `${target} cannot be written as a folder: ${cause.message}`, {
        hint: 'Name a new folder in a place where this user may write.',
        cause,
      });
    });
  if (names.length > 0)
    throw new Fault('CONFLICT', `${target} is not empty.`, { hint: 'Name a new folder for each backup.' });
}

/** Locks the data folder, unless a server holds it. */
function lockIfFree(dataFolder: string): (() => void) | null {
  try {
    return lockFolder(dataFolder);
  } catch {
    return null;
  }
}

/** Copies one consistent state of the database, in one read transaction beside writers. */
async function copyDatabase(dataFolder: string, content: string): Promise<BackupEntry> {
  const path = join(content, databaseFile);
  const original = join(dataFolder, databaseFile);
  const unlock = lockIfFree(dataFolder);
  if (unlock) checkWal(original);
  // A writer that closes last moves the log into the database: if the server is killed meanwhile, its next start would
  // miss the log. A reader leaves it alone.
  const source = new Database(`${pathToFileURL(original)}?mode=ro`);
  try {
    source.pragma('busy_timeout = 10000');
    source.prepare('VACUUM INTO ?').run(path);
  } catch (cause) {
    throw new Fault('STORE_UNAVAILABLE', `The database could not be copied: ${(cause as Error).message}`, {
      hint: 'Check that the target has room; a damaged database is restored from an earlier backup.',
      cause,
    });
  } finally {
    source.close();
    unlock?.();
  }
  const file = await open(path, 'r+');
  try {
    await file.chmod(0o600);
    const { uid, gid } = await file.stat();
    return { path: databaseFile, kind: 'file', mode: 0o600, uid, gid, ...(await measureFile(path)) };
  } finally {
    await file.close();
  }
}

// Check that nodes which share a store also share the folder with the files of runs.
import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import { type Db, defineCollection, type Entity } from '../ports/db.ts';

interface SharedFolder extends Entity {
  _id: string;
  /** Content of the folder's marker file. */
  id: string;
}

export const sharedFolderSpec = defineCollection<SharedFolder>({ name: 'shared_folders' });

const marker = 'folder-id';

interface Deps {
  db: Db;
  /** Folder of the workspaces. */
  directory: string;
  log: Logger;
}

/**
 * The first node writes the id of its folder into the store; every other node compares. Resolves to a health check that
 * reports a different folder on this node.
 */
export async function checkWorkspaceFolder({ db, directory, log }: Deps) {
  const id = await folderId(directory);
  const folders = db.collection(sharedFolderSpec);
  const first = await folders.findOneAndUpdate(
    { _id: 'workspaces' },
    { $setOnInsert: { id } },
    { upsert: true, returnDocument: 'after' },
  );
  const isShared = first === null || first.id === id;
  const problem = new Fault('NOT_CONFIGURED', `The workspaces in ${directory} are not those of the other nodes.`, {
    hint: `Nodes that share MONGODB_URI must share this folder, e.g. as one volume: else the files of a run are gone when another node takes it over. Where this folder shall be the one from now on, write ${first?.id} into its file ${marker}.`,
  });
  if (!isShared) log.warn({ directory, hint: problem.hint }, problem.message);
  return {
    name: 'workspaces',
    required: false,
    check: async () => {
      if (!isShared) throw problem;
      return directory;
    },
  };
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Id of the folder; the first node writes it atomically. */
async function folderId(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, marker);
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    // Some shared volumes have no hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      await copyFile(draft, file, constants.COPYFILE_EXCL).catch(unlessThere);
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

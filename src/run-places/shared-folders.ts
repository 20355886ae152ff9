// Checks that nodes which share a store also share the folders that hold what each of them shows.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../kernel/fault.ts';
import { makeLastingFile } from '../kernel/lasting-file.ts';
import type { Logger } from '../kernel/logger.ts';
import { type Db, defineCollection, type Entity } from '../ports/db.ts';

interface SharedFolder extends Entity {
  _id: string;
  /** Content of the folder's marker file. */
  id: string;
}

export const sharedFolderSpec = defineCollection<SharedFolder>({ name: 'shared_folders' });

const marker = 'folder-id';

/** Folders below the data folder that are one for all nodes, by their names in the store, and what happens otherwise. */
const folders = [
  ['workspaces', 'sandbox/workspaces', 'the files of a run are gone when another node takes it over'],
  ['output', 'sandbox/output', 'what commands of a run print is shown by the node alone that runs them'],
  ['sites', 'sites', 'the site of a project is shown by the node alone that has built it'],
] as const;

/** Their paths. */
export const sharedFolders: readonly string[] = folders.map(([, path]) => path);

interface Deps {
  db: Db;
  dataDir: string;
  log: Logger;
}

/**
 * The first node writes the ids of its folders into the store; every other node compares. Resolves to health checks that
 * report the folders of this node which are others.
 */
export async function checkSharedFolders({ db, dataDir, log }: Deps) {
  const stored = db.collection(sharedFolderSpec);
  const check = async ([name, path, otherwise]: (typeof folders)[number]) => {
    const directory = join(dataDir, path);
    const id = await folderId(directory);
    const first = await stored.findOneAndUpdate(
      { _id: name },
      { $setOnInsert: { id } },
      { upsert: true, returnDocument: 'after' },
    );
    const isShared = first === null || first.id === id;
    const problem = new Fault('NOT_CONFIGURED', `The folder ${directory} is not that of the other nodes.`, {
      hint: `Nodes that share MONGODB_URI must share this folder, e.g. as one volume: else ${otherwise}. Where this folder shall be the one from now on, write ${first?.id} into its file ${marker}.`,
    });
    if (!isShared) log.warn({ directory, hint: problem.hint }, problem.message);
    return {
      name,
      required: false,
      check: async () => {
        if (!isShared) throw problem;
        return directory;
      },
    };
  };
  const checks = [];
  for (const folder of folders) checks.push(await check(folder));
  return checks;
}

/** Id of the folder; the first node writes it atomically. */
async function folderId(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, marker);
  makeLastingFile(file, `${randomUUID()}\n`);
  return (await readFile(file, 'utf8')).trim();
}

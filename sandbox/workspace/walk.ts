// Walks a workspace through descriptors: what it names is inside, whatever the agent does meanwhile.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { Fault } from '../../src/kernel/fault.ts';
import { Descent, look } from '../disk/descent.ts';

export interface WalkEntry {
  /** Relative to the workspace, with slashes. */
  path: string;
  name: string;
  kind: 'file' | 'folder' | 'link';
  /** Path to use at once, without following; valid until the walk goes on. */
  at: string;
}

export interface WalkOptions {
  isRecursive: boolean;
  /** The folder is the workspace itself, whatever the prefix; an empty prefix says so too. */
  isRoot?: boolean;
  /** Whether a folder is gone into, asked after it was named; every one when absent. */
  isEntered?: (folder: WalkEntry) => boolean;
  /** Permissions that closed folders are given, see `Descent`. */
  needs?: number;
}

/** Longer ones can't be opened by anybody, so nothing is named behind them. */
const longestPath = 4096;

/** Entries under a folder in order of names, folders before what is in them. The repository's `.git` is left out. */
export async function* walk(folder: string, prefix: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const descent = await Descent.open(folder, options.needs === undefined ? {} : { needs: options.needs });
  if (!descent) return;
  try {
    const levels = [{ path: prefix, entries: await entriesOf(descent), next: 0 }];
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const dirent = level.entries[level.next++];
      if (!dirent) {
        levels.pop();
        if (levels.length > 0 && !(await descent.up())) throw moving();
        continue;
      }
      const path = level.path === '' ? dirent.name : `${level.path}/${dirent.name}`;
      const isPointer = dirent.name === '.git' && levels.length === 1 && (options.isRoot || prefix === '');
      if (isPointer || path.length > longestPath) continue;
      const kind = await kindOf(dirent, descent);
      if (!kind) continue;
      const entry = { path, name: dirent.name, kind, at: descent.at(dirent.name) as string };
      yield entry;
      const isWanted = kind === 'folder' && options.isRecursive && (options.isEntered?.(entry) ?? true);
      if (isWanted && (await descent.down(dirent.name)))
        levels.push({ path, entries: await entriesOf(descent), next: 0 });
    }
  } finally {
    await descent.close();
  }
}

const moving = () =>
  new Fault('CONFLICT', 'The folders are being moved while they are read.', { hint: 'Pause the run and try again.' });

async function entriesOf(descent: Descent): Promise<Dirent[]> {
  const entries = await readdir(descent.here, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Null for pipes, sockets and devices: nothing to read there. */
async function kindOf(entry: Dirent, descent: Descent): Promise<WalkEntry['kind'] | null> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()) return null;
  // Some file systems don't tell types in listings.
  const found = await look(descent, entry.name);
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : found?.isSymbolicLink() ? 'link' : null;
}

// Walks a workspace through descriptors: what it names is inside, whatever the agent does meanwhile.
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface WalkEntry {
  /** Relative to the workspace, with slashes. */
  path: string;
  kind: 'file' | 'folder' | 'link';
  /** Path to use at once, without following; valid until the walk goes on. */
  at: string;
}

export interface WalkOptions {
  isRecursive: boolean;
  /** Folders that are named but not entered. */
  isSkipped?: (name: string) => boolean;
}

/** Entries under a folder in order of names, folders before what is in them. The repository's `.git` is left out. */
export async function* walk(folder: string, prefix: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    () => null,
  );
  if (!handle) return;
  try {
    const here = through(handle, folder);
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (prefix === '' && entry.name === '.git') continue;
      const kind = await kindOf(entry, join(here, entry.name));
      if (!kind) continue;
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      const at = join(here, entry.name);
      yield { path, kind, at };
      if (kind === 'folder' && options.isRecursive && !options.isSkipped?.(entry.name)) yield* walk(at, path, options);
    }
  } finally {
    await handle.close();
  }
}

function through(handle: FileHandle, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
}

/** Null for pipes, sockets and devices: nothing to read there. */
async function kindOf(entry: Dirent, path: string): Promise<WalkEntry['kind'] | null> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()) return null;
  // Some file systems don't tell types in listings.
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : found?.isSymbolicLink() ? 'link' : null;
}

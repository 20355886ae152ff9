// Lists what of a workspace is work to be kept: all that is tracked, and all else that nothing tells to ignore.
import { type BigIntStats, constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { IndexEntry } from './git.ts';
import { createIgnoring, ignoreFileBytes, parseIgnore } from './ignore.ts';
import { type WalkEntry, walk } from './walk.ts';

export interface WorkFile {
  path: string;
  kind: 'file' | 'link';
  stats: BigIntStats;
}

export interface WorkFiles {
  files: WorkFile[];
  /** Left out, though they are work: too large, too deep, unreadable, or with a name that git refuses. */
  skipped: string[];
  /** The look ended at its bounds: what comes later in the walk is missing. */
  isCut: boolean;
}

/** A look that may end early, and that opens no folder which its owner has closed. */
export interface LookBounds {
  entries: number;
  /** Asked now and then. */
  isOver(): boolean;
}

export const submoduleMode = '160000';

/** Folders that tools fill and nobody reviews; never entered when they are not tracked. */
const rebuilt = ['node_modules', '__pycache__', '.venv', '.mypy_cache', '.pytest_cache'];
/** Git reads no deeper trees. */
const mostLevels = 500;
/** What the system takes, with the NUL at the end. */
const longestPath = 4095;
/** Entries between two chances for everybody else. */
const turn = 500;

/** Looks through a workspace. Call it while the sandbox stands still. */
export async function listWork(
  workTree: string,
  tracked: ReadonlyMap<string, IndexEntry>,
  fileBytes: number,
  bounds: LookBounds | null = null,
): Promise<WorkFiles> {
  const work: WorkFiles = { files: [], skipped: [], isCut: false };
  const ignoring = createIgnoring();
  const trackedFolders = foldersOf(tracked.keys());
  /** The ignored folder that the walk is in, since something in it is tracked. */
  let ignored: string | null = null;
  const isIgnored = (entry: WalkEntry): boolean => {
    if (ignored !== null && entry.path.startsWith(`${ignored}/`)) return true;
    ignored = null;
    const isFolder = entry.kind === 'folder';
    return (isFolder && rebuilt.includes(entry.name)) || ignoring.isIgnored({ ...entry, isFolder });
  };
  const isEntered = (entry: WalkEntry): boolean => {
    if (isRepository(entry) || tracked.get(entry.path)?.mode === submoduleMode) return false;
    if (isIgnored(entry)) {
      if (!trackedFolders.has(entry.path)) return false;
      ignored ??= entry.path;
    }
    if (entry.path.split('/', mostLevels + 1).length <= mostLevels) return true;
    work.skipped.push(entry.path);
    return false;
  };
  ignoring.enter('', await rulesIn(workTree));
  let count = 0;
  const needs = bounds ? {} : { needs: 0o500 };
  for await (const entry of walk(workTree, '', { isRecursive: true, isEntered, ...needs })) {
    if (++count % turn === 0) await setImmediate();
    work.isCut = bounds !== null && (count > bounds.entries || (count % turn === 0 && bounds.isOver()));
    if (work.isCut) break;
    if (entry.kind === 'folder') {
      if (!isRepository(entry)) ignoring.enter(entry.path, await rulesIn(entry.at));
    } else if (!isRepository(entry) && (tracked.has(entry.path) || !isIgnored(entry))) {
      await addFile(work, workTree, { path: entry.path, kind: entry.kind }, entry.at, fileBytes);
    }
  }
  return work;
}

async function addFile(
  work: WorkFiles,
  workTree: string,
  { path, kind }: Pick<WorkFile, 'path' | 'kind'>,
  at: string,
  fileBytes: number,
): Promise<void> {
  const stats = await lstat(at, { bigint: true }).catch(() => null);
  if (!stats) return;
  const isTooLong = Buffer.byteLength(join(workTree, path)) > longestPath;
  if (isTooLong || stats.size > fileBytes || (kind === 'link' && isModules(path))) work.skipped.push(path);
  else work.files.push({ path, kind, stats });
}

/** Every folder that has something tracked in it. */
function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

/** Names that git takes for a repository on some file system, and refuses on all. */
const isRepository = ({ name }: { name: string }) =>
  name.split('\\').some((part) => /^(?:\.git|git~1)[ .]*(?::|$)/i.test(part));

/** Git refuses links in the place of this file. */
const isModules = (path: string) =>
  /^(?:\.gitmodules|gitmod~\d|gi7eba~\d)[ .]*(?::|$)/i.test(path.slice(path.lastIndexOf('/') + 1));

/** The rules of a folder's own file; none when it has none, or a link in its place. */
async function rulesIn(folder: string) {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(join(folder, '.gitignore'), flags).catch(() => null);
  if (!handle) return [];
  try {
    if (!(await handle.stat()).isFile()) return [];
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ignoreFileBytes), 0, ignoreFileBytes, 0);
    return parseIgnore(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await handle.close();
  }
}

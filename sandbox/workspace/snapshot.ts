// Turns a worktree into a git tree without trusting anything in it: no hooks, no filters, no nested repositories.
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GitPlace, git, gitFields, gitLine } from './git.ts';
import { walk } from './walk.ts';

export interface Snapshot {
  /** Object id of the tree. */
  tree: string;
  /** Paths left out because they are larger than a file may be. */
  skipped: string[];
}

/** Folders that tools fill and nobody reviews; never entered when they are not tracked. */
const rebuilt = ['node_modules', '__pycache__', '.venv', '.mypy_cache', '.pytest_cache'];

/** Reads the worktree into the index of `place` and writes its tree. Call it while the sandbox stands still. */
export async function snapshot(
  place: Required<Pick<GitPlace, 'workTree'>> & GitPlace,
  fileBytes: number,
): Promise<Snapshot> {
  const exclude = rebuilt.map((name) => `--exclude=${name}/`);
  const submodules = new Set(await gitlinks(place));
  const changed = await gitFields(place, ['ls-files', '-z', '--modified', '--deleted']);
  const others = await gitFields(place, ['ls-files', '-z', '--others', '--exclude-standard', ...exclude]);
  // Git names a repository inside the workspace as one folder; its files are the agent's work like any other.
  const nested = others.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const paths = [...changed, ...others.filter((path) => !path.endsWith('/'))].filter((path) => !submodules.has(path));
  for (const folder of nested) paths.push(...(await nestedFiles(place.workTree, folder)));
  const { present, gone, skipped } = await sort(place.workTree, [...new Set(paths)], fileBytes);
  const update = (paths: string[], ...options: string[]) =>
    git(place, ['update-index', ...options, '-z', '--stdin'], { input: paths.join('\0') });
  if (gone.length > 0) await update(gone, '--force-remove');
  if (present.length > 0) await update(present, '--add', '--replace');
  return { tree: await gitLine(place, ['write-tree']), skipped };
}

async function nestedFiles(workTree: string, folder: string): Promise<string[]> {
  const isSkipped = (name: string) => name === '.git' || rebuilt.includes(name);
  const files: string[] = [];
  for await (const entry of walk(join(workTree, folder), folder, { isRecursive: true, isSkipped })) {
    if (entry.kind !== 'folder' && !/(^|\/)\.git$/.test(entry.path)) files.push(entry.path);
  }
  return files;
}

/** Tells what git can take from what is gone, by our own look: a path behind a link is not the workspace's. */
async function sort(workTree: string, paths: string[], fileBytes: number) {
  const sorted = { present: [] as string[], gone: [] as string[], skipped: [] as string[] };
  const folders = new Map<string, Promise<boolean>>();
  const isRealFolder = (folder: string): Promise<boolean> => {
    if (folder === '.') return Promise.resolve(true);
    const known = folders.get(folder);
    if (known) return known;
    const answer = isRealFolder(dirname(folder)).then(
      async (isReal) => isReal && ((await lstat(join(workTree, folder)).catch(() => null))?.isDirectory() ?? false),
    );
    folders.set(folder, answer);
    return answer;
  };
  for (const path of paths) {
    const found = (await isRealFolder(dirname(path))) ? await lstat(join(workTree, path)).catch(() => null) : null;
    if (!found || found.isDirectory()) sorted.gone.push(path);
    else if (found.isSymbolicLink() || (found.isFile() && found.size <= fileBytes)) sorted.present.push(path);
    else sorted.skipped.push(path);
  }
  return sorted;
}

/** Submodules of the repository the workspace came from: kept as they are. */
async function gitlinks(place: GitPlace): Promise<string[]> {
  const entries = await gitFields(place, ['ls-files', '-z', '--stage']);
  return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

// Checkout of a new worktree: filled before any sandbox can see it, then given to its user.
import { chmod, lchown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFiles, syncTree } from '../../src/kernel/sync-files.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import type { SandboxUser } from '../user.ts';
import { type Change, writeFiles } from './apply-tree.ts';
import { type GitPlace, git, indexEntries } from './git.ts';
import { walk } from './walk.ts';

export interface NewWorktree {
  /** Directory of the store. */
  store: string;
  key: string;
  branch: string;
  /** Path at which the worktree appears. */
  tree: string;
  user: SandboxUser;
}

/** Git directory of a worktree, with index and HEAD: in the store, out of the agent's reach. */
export const worktreeGitDir = (store: string, key: string) => join(store, 'worktrees', key);

/** Checks a branch out into a directory that doesn't exist yet. */
export async function checkOut({ store, key, branch, tree, user }: NewWorktree): Promise<void> {
  const gitDir = worktreeGitDir(store, key);
  const draft = `${tree}.new`;
  const trees = dirname(tree);
  await mkdir(trees, { recursive: true });
  // The sandbox's user may pass through to its own tree, but not list the others'.
  for (const folder of [dirname(trees), trees]) await chmod(folder, 0o711);
  await deleteTree(draft);
  await mkdir(draft, { mode: 0o700 });
  await attach({ store, key, branch, tree });
  await fill({ gitDir, workTree: draft, indexFile: join(gitDir, 'draft-check-out') }, branch, user);
  await writeFile(join(draft, '.git'), `gitdir: ${gitDir}\n`, { mode: 0o644 });
  if (user.isDedicated) {
    for await (const entry of walk(draft, '', { isRecursive: true })) await lchown(entry.at, user.uid, user.gid);
    await lchown(draft, user.uid, user.gid);
  }
  await syncTree(draft);
  await rename(draft, tree);
  await syncFiles([trees]);
}

/** Fills the worktree. Git would obey attributes that an agent committed, so those files are written afterwards. */
async function fill(place: Required<GitPlace>, branch: string, user: SandboxUser): Promise<void> {
  await git(place, ['read-tree', `refs/heads/${branch}`]);
  const attributes: Change[] = [];
  for (const [path, { mode, id }] of await indexEntries(place))
    if (/(^|\/)\.gitattributes$/i.test(path)) attributes.push({ path, mode, id });
  const input = attributes.map(({ path }) => path).join('\0');
  if (input !== '') await git(place, ['update-index', '--force-remove', '-z', '--stdin'], { input });
  await git(place, ['checkout-index', '--all', '--force', '--quiet'], { work: 'large' });
  await writeFiles(place, user, attributes);
  await rm(place.indexFile, { force: true });
}

/** Creates the git directory of a worktree, with the index of its branch. */
export async function attach({ store, key, branch, tree }: Omit<NewWorktree, 'user'>): Promise<void> {
  const gitDir = worktreeGitDir(store, key);
  await layOutGitDir(gitDir, branch, tree);
  await git({ gitDir, workTree: tree }, ['read-tree', `refs/heads/${branch}`]);
}

/** Creates a linked worktree by hand: `git worktree add` would check out where a sandbox may already have access. */
async function layOutGitDir(gitDir: string, branch: string, tree: string): Promise<void> {
  await mkdir(gitDir, { recursive: true });
  const files = {
    HEAD: `ref: refs/heads/${branch}\n`,
    commondir: '../..\n',
    gitdir: `${join(tree, '.git')}\n`,
    locked: 'kept by the server\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(gitDir, name), text, { flush: true });
  await syncFiles([gitDir, dirname(gitDir)]);
}

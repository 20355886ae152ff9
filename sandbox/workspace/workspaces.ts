// All workspaces of a server: stores, worktrees on their branches, quotas and how long they are kept.
import { chmod, lchown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { sandboxUser } from '../user.ts';
import { git, requireGit } from './git.ts';
import { type GitStore, gitStore, mainBranch } from './store.ts';
import { walk } from './walk.ts';
import { createWorkspace, type Workspace, type WorkspaceQuota } from './workspace.ts';

export interface WorkspacesOptions {
  /** Directory of the server's own. */
  directory: string;
  clock: Clock;
  quota?: Partial<WorkspaceQuota>;
}

export interface OpenOptions {
  /** Name of the store, e.g. `project-7`; made empty when it doesn't exist. */
  store: string;
  /** Unique over all stores and stable, e.g. `run-42`. */
  key: string;
  /** Branch, workspace key or commit to start from: a parent's branch for a child; `main` when absent. */
  from?: string;
  quota?: Partial<WorkspaceQuota>;
}

const mebibyte = 1024 * 1024;
const defaultQuota: WorkspaceQuota = { bytes: 1024 * mebibyte, files: 200_000, fileBytes: 256 * mebibyte };

export type Workspaces = ReturnType<typeof createWorkspaces>;

/** The review branch of a workspace. */
export const branchOf = (key: string) => `review/${key}`;

export function createWorkspaces({ directory, clock, quota }: WorkspacesOptions) {
  const stores = join(directory, 'stores');
  const trees = join(directory, 'trees');
  const treeOf = (key: string) => join(trees, name(key));
  const store = (key: string): GitStore => gitStore(join(stores, `${name(key)}.git`));
  /** Two openings of one workspace at once must not check it out twice. */
  const opening = new Map<string, Promise<Workspace>>();

  async function open({ store: storeName, key, from = mainBranch, quota: own }: OpenOptions): Promise<Workspace> {
    await requireGit();
    const home = store(storeName);
    if (!(await home.exists())) await home.create();
    const branch = branchOf(name(key));
    const tree = treeOf(key);
    let baseSha = await home.getMark(`base/${key}`);
    const tip = await home.head(branch);
    if (!baseSha || !tip) {
      baseSha = (await home.head(from)) ?? (await home.head(branchOf(from))) ?? (await home.resolve(from));
      if (!baseSha) throw new Fault('NOT_FOUND', `There is no branch or commit ${from}.`, { hint: 'Use main.' });
      await home.setMark(`base/${key}`, baseSha);
      await home.setBranch(branch, baseSha);
    }
    const isThere = await stat(tree).then(
      () => true,
      () => false,
    );
    if (!isThere) await checkOut(home, key, branch, tree);
    return createWorkspace({
      key,
      store: home,
      directory: tree,
      branch,
      baseSha,
      user: sandboxUser(key),
      quota: { ...defaultQuota, ...quota, ...own },
    });
  }

  /** Fills a new directory before any sandbox can see it, then gives it to its user. */
  async function checkOut(home: GitStore, key: string, branch: string, tree: string): Promise<void> {
    const draft = `${tree}.new`;
    const gitDir = join(home.directory, 'worktrees', key);
    await mkdir(trees, { recursive: true });
    // The sandbox's user passes through to its own tree, and sees no list of the others'.
    await chmod(directory, 0o711);
    await chmod(trees, 0o711);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    // A linked worktree, laid out by hand because `git worktree add` would check out with the server's settings.
    await mkdir(gitDir, { recursive: true });
    await writeFile(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`);
    await writeFile(join(gitDir, 'commondir'), '../..\n');
    await writeFile(join(gitDir, 'gitdir'), `${join(tree, '.git')}\n`);
    await writeFile(join(gitDir, 'locked'), 'kept by the server\n');
    const place = { gitDir, workTree: draft };
    await git(place, ['read-tree', `refs/heads/${branch}`]);
    await git(place, ['checkout-index', '--all', '--force', '--quiet']);
    await writeFile(join(draft, '.git'), `gitdir: ${gitDir}\n`, { mode: 0o644 });
    const user = sandboxUser(key);
    if (user.isDedicated) {
      for await (const entry of walk(draft, '', { isRecursive: true })) await lchown(entry.at, user.uid, user.gid);
      await lchown(draft, user.uid, user.gid);
    }
    await rename(draft, tree);
  }

  return {
    /** Throws Fault NOT_CONFIGURED, with the cure, when the server has no usable git. */
    requireGit: () => requireGit(),

    store,

    /** Opens a workspace, making its store, branch and worktree where they are missing. */
    open: (options: OpenOptions): Promise<Workspace> => {
      const known = opening.get(options.key);
      if (known) return known;
      const opened = open(options).finally(() => opening.delete(options.key));
      opening.set(options.key, opened);
      return opened;
    },

    /** Deletes a worktree; its branch stays, and `open` checks it out again. */
    removeTree: async (storeName: string, key: string): Promise<void> => {
      const tree = treeOf(key);
      await rm(`${tree}.gone`, { recursive: true, force: true });
      await rename(tree, `${tree}.gone`).catch(() => {});
      await rm(`${tree}.gone`, { recursive: true, force: true });
      await rm(join(store(storeName).directory, 'worktrees', name(key)), { recursive: true, force: true });
    },

    /** Deletes the branch and base of a workspace whose worktree is removed. */
    forget: async (storeName: string, key: string): Promise<void> => {
      const home = store(storeName);
      if (!(await home.exists())) return;
      await home.deleteBranch(branchOf(name(key)));
      await home.deleteMark(`base/${key}`);
    },

    /** Deletes a store with everything in it. Remove its worktrees first. */
    removeStore: (storeName: string) => rm(store(storeName).directory, { recursive: true, force: true }),

    /** Keys of worktrees whose folder nobody has touched for so long and that `isKept` does not claim. */
    stale: async (olderThanMs: number, isKept: (key: string) => boolean): Promise<string[]> => {
      const keys: string[] = [];
      for (const key of await readdir(trees).catch(() => [])) {
        const found = await stat(join(trees, key)).catch(() => null);
        if (found && !isKept(key) && clock.now() - found.mtimeMs > olderThanMs) keys.push(key);
      }
      return keys;
    },
  };
}

/** Keys become names of folders and branches. */
function name(key: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,47}$/.test(key)) return key;
  throw new Fault('VALIDATION_FAILED', `“${key}” is no workspace key.`, {
    hint: 'Use lower-case letters, digits and dashes.',
  });
}

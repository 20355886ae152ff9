// The worktree of one run on its review branch: files, checkpoints, diff, merge and restore.
import { rm } from 'node:fs/promises';
import { Fault } from '../../src/kernel/fault.ts';
import { type DiskUsage, diskUsage } from '../disk-usage.ts';
import type { SandboxUser } from '../user.ts';
import { applyTree } from './apply-tree.ts';
import { worktreeGitDir } from './check-out.ts';
import type { Author } from './commits.ts';
import { type Diff, type DiffOptions, diffTrees } from './diff.ts';
import { createFiles, type Files } from './files.ts';
import { git } from './git.ts';
import { pathParts } from './inside.ts';
import type { MergeOutcome } from './merge.ts';
import { snapshot } from './snapshot.ts';
import type { GitStore } from './store.ts';

/** Runs work while the workspace's sandbox stands still: `Sandbox.whilePaused`. */
export type Hold = <Result>(work: () => Promise<Result>) => Promise<Result>;

const unheld: Hold = (work) => work();

export interface WorkspaceQuota {
  bytes: number;
  files: number;
  fileBytes: number;
}

export interface WorkspaceOptions {
  key: string;
  store: GitStore;
  directory: string;
  branch: string;
  baseSha: string;
  user: SandboxUser;
  quota: WorkspaceQuota;
}

export interface Checkpoint {
  /** Tip of the branch now. */
  sha: string;
  /** False when nothing had changed, so that there is no new commit. */
  isNew: boolean;
  /** Paths left out because they are too large. */
  skipped: string[];
}

export interface Workspace {
  readonly key: string;
  /** Host directory; `reviewWorktreePath` of a run and /workspace of its sandbox. */
  readonly directory: string;
  readonly branch: string;
  readonly baseSha: string;
  readonly user: SandboxUser;
  readonly store: GitStore;
  readonly files: Files;
  head(): Promise<string>;
  usage(): Promise<DiskUsage>;
  /** Commits everything on the review branch. Throws Fault QUOTA_EXCEEDED when the workspace is over its quota. */
  checkpoint(message: string, author: Author, hold?: Hold): Promise<Checkpoint>;
  /** What changed since the base, uncommitted changes included. */
  diff(options?: DiffOptions, hold?: Hold): Promise<Diff>;
  /** Merges a commit, such as a finished child's head, into this branch and its files; own changes are committed first. */
  merge(theirs: string, message: string, author: Author, hold?: Hold): Promise<MergeOutcome>;
  /** Brings the files back to a commit, as a new commit; uncommitted changes are lost. */
  restore(sha: string, author: Author, hold?: Hold): Promise<Checkpoint>;
}

/** A workspace over a worktree that exists. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { key, store, directory, branch, baseSha, user, quota } = options;
  const place = { gitDir: worktreeGitDir(store.directory, key), workTree: directory };
  const usage = () => diskUsage(directory);
  const room = async () => Math.max(0, quota.bytes - (await usage()).bytes);
  const head = async () => {
    const sha = await store.head(branch);
    if (!sha) throw new Fault('NOT_FOUND', `The review branch ${branch} is gone.`, { hint: 'Start a new run.' });
    return sha;
  };
  /** One change of the index at a time. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn: Hold = (work) => {
    const turn = queue.then(work);
    queue = turn.catch(() => {});
    return turn;
  };

  async function commit(message: string, author: Author): Promise<Checkpoint> {
    const used = await usage();
    if (used.bytes > quota.bytes || used.files > quota.files) {
      throw new Fault('QUOTA_EXCEEDED', 'The workspace is over its quota, so nothing was committed.', {
        hint: 'Delete files from it or raise its quota.',
      });
    }
    const { tree, skipped } = await snapshot(place, quota.fileBytes);
    const parent = await head();
    if (tree === (await store.treeOf(parent))) return { sha: parent, isNew: false, skipped };
    const sha = await store.commitTree(tree, [parent], message, author);
    await store.setBranch(branch, sha, parent);
    return { sha, isNew: true, skipped };
  }

  return {
    key,
    directory,
    branch,
    baseSha,
    user,
    store,
    files: createFiles({ root: directory, user, fileBytes: quota.fileBytes, room }),
    head,
    usage,
    checkpoint: (message, author, hold = unheld) => inTurn(() => hold(() => commit(message, author))),
    diff: (wanted = {}, hold = unheld) =>
      inTurn(async () => {
        // An index of its own: looking must not stage anything.
        const indexFile = `${place.gitDir}/review.index`;
        const ownIndex = { ...place, indexFile };
        const path = wanted.path === undefined ? '' : pathParts(wanted.path).join('/');
        try {
          await git(ownIndex, ['read-tree', await head()]);
          const { tree } = await hold(() => snapshot(ownIndex, quota.fileBytes));
          const { path: _, ...rest } = wanted;
          return await diffTrees(store.place, baseSha, tree, path === '' ? rest : { ...rest, path });
        } finally {
          await rm(indexFile, { force: true });
        }
      }),
    merge: (theirs, message, author, hold = unheld) =>
      inTurn(() =>
        hold(async () => {
          const { sha: before } = await commit('Save work before a merge', author);
          const outcome = await store.merge(branch, theirs, message, author);
          if (outcome.status === 'merged') await applyTree(place, user, before, outcome.sha);
          return outcome;
        }),
      ),
    restore: (sha, author, hold = unheld) =>
      inTurn(() =>
        hold(async () => {
          const wanted = await store.resolve(sha);
          if (!wanted) throw new Fault('NOT_FOUND', `There is no commit ${sha}.`, { hint: 'List the snapshots.' });
          const { tree: now, skipped } = await snapshot(place, quota.fileBytes);
          const tree = await store.treeOf(wanted);
          await applyTree(place, user, now, tree);
          const parent = await head();
          if (tree === (await store.treeOf(parent))) return { sha: parent, isNew: false, skipped };
          const restored = await store.commitTree(tree, [parent], `Restore ${wanted.slice(0, 12)}`, author);
          await store.setBranch(branch, restored, parent);
          return { sha: restored, isNew: true, skipped };
        }),
      ),
  };
}

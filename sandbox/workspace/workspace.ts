// The worktree of one run on its review branch: files, checkpoints, diff, merge and restore.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import type { FilesDiff } from '../../src/ports/files.ts';
import { type DiskUsage, diskUsage } from '../disk/disk-usage.ts';
import type { SandboxUser } from '../user.ts';
import { applyTree } from './apply-tree.ts';
import { worktreeGitDir } from './check-out.ts';
import type { Author } from './commits.ts';
import { type DiffOptions, diffTrees } from './diff.ts';
import { createFiles, type Files } from './files.ts';
import { git } from './git.ts';
import { pathParts } from './inside.ts';
import type { MergeOutcome } from './merge.ts';
import { snapshot } from './snapshot.ts';
import type { GitStore } from './store.ts';
import { completeMove, moveFiles } from './unfinished-merge.ts';

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
  /** Works on the workspace's index one after the other; shared by everybody who has this workspace open. */
  inTurn: Hold;
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
  diff(options?: DiffOptions, hold?: Hold): Promise<FilesDiff>;
  /** Merges a commit, such as a finished child's head, into this branch and its files; own changes are committed first. */
  merge(theirs: string, message: string, author: Author, hold?: Hold): Promise<MergeOutcome>;
  /** Brings the files back to a commit, as a new commit; uncommitted changes are lost. */
  restore(sha: string, author: Author, hold?: Hold): Promise<Checkpoint>;
}

/** A workspace over a worktree that exists. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { key, store, directory, branch, baseSha, user, quota, inTurn } = options;
  const usage = () => diskUsage(directory);
  // What is being written counts as well.
  const room = async () => {
    const [files, drafts] = await Promise.all([usage(), diskUsage(placeOf(options).gitDir)]);
    return Math.max(0, quota.bytes - files.bytes - drafts.bytes);
  };
  const changed = (work: () => Promise<Checkpoint>, hold: Hold = unheld) => inTurn(() => hold(work));
  return {
    key,
    directory,
    branch,
    baseSha,
    user,
    store,
    files: createFiles({ root: directory, drafts: placeOf(options).gitDir, user, fileBytes: quota.fileBytes, room }),
    head: () => headOf(options),
    usage,
    checkpoint: (message, author, hold) => changed(() => commit(options, message, author), hold),
    diff: (wanted = {}, hold = unheld) => inTurn(() => diff(options, wanted, hold)),
    merge: (theirs, message, author, hold = unheld) =>
      inTurn(() => hold(() => merge(options, theirs, message, author))),
    restore: (sha, author, hold) => changed(() => restore(options, sha, author), hold),
  };
}

/** Completes what a server that died in the middle of a merge had begun; call it before the workspace is used. */
export const recover = (options: WorkspaceOptions): Promise<void> =>
  completeMove({ ...options, place: placeOf(options) });

/** Works one after the other, whatever becomes of each. */
export function createQueue(): Hold {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

const placeOf = ({ key, store, directory }: WorkspaceOptions) => ({
  gitDir: worktreeGitDir(store.directory, key),
  workTree: directory,
});

async function headOf({ store, branch }: WorkspaceOptions): Promise<string> {
  const sha = await store.head(branch);
  if (sha) return sha;
  throw new Fault('NOT_FOUND', `The review branch ${branch} is gone.`, { hint: 'Start a new run.' });
}

async function commit(options: WorkspaceOptions, message: string, author: Author): Promise<Checkpoint> {
  const { quota, directory } = options;
  const used = await diskUsage(directory);
  if (used.bytes > quota.bytes || used.files > quota.files) {
    throw new Fault('QUOTA_EXCEEDED', 'The workspace is over its quota, so nothing was committed.', {
      hint: 'Delete files from it or raise its quota.',
    });
  }
  await requireStoreRoom(options);
  const before = await stat(directory);
  const { tree, skipped } = await snapshot(placeOf(options), quota.fileBytes);
  const after = await stat(directory).catch(() => null);
  // Else files that another server removes during the snapshot would be committed as deleted.
  if (after?.ino !== before.ino)
    throw new Fault('CONFLICT', 'The worktree was removed meanwhile.', { hint: 'Try again: it is checked out anew.' });
  return { ...(await advance(options, tree, message, author)), skipped };
}

/** How many times the quota of a workspace its store may hold: the history of all that share it, compressed. */
const storeFactor = 4;

async function requireStoreRoom({ store, quota }: WorkspaceOptions): Promise<void> {
  const most = quota.bytes * storeFactor;
  if ((await store.bytes()) <= most) return;
  throw new Fault('QUOTA_EXCEEDED', `The history of the workspace takes more than ${most} bytes.`, {
    hint: 'Work in a new workspace, or raise the quota.',
  });
}

/** Moves the branch on to a tree, unless it is there already. */
async function advance(options: WorkspaceOptions, tree: string, message: string, author: Author) {
  const { store, branch } = options;
  const parent = await headOf(options);
  if (tree === (await store.treeOf(parent))) return { sha: parent, isNew: false };
  const sha = await store.commitTree(tree, [parent], message, author);
  await store.setBranch(branch, sha, parent);
  return { sha, isNew: true };
}

async function diff(options: WorkspaceOptions, { path: wanted, ...rest }: DiffOptions, hold: Hold): Promise<FilesDiff> {
  const { store, baseSha, quota } = options;
  const place = placeOf(options);
  // An index of its own: looking must not stage anything.
  const own = { ...place, indexFile: join(place.gitDir, 'review.index') };
  const path = wanted === undefined ? '' : pathParts(wanted).join('/');
  await requireStoreRoom(options);
  try {
    await git(own, ['read-tree', await headOf(options)]);
    const { tree } = await hold(() => snapshot(own, quota.fileBytes));
    return await diffTrees(store.place, baseSha, tree, path === '' ? rest : { ...rest, path });
  } finally {
    await rm(own.indexFile, { force: true });
  }
}

async function merge(
  options: WorkspaceOptions,
  theirs: string,
  message: string,
  author: Author,
): Promise<MergeOutcome> {
  const { sha: before } = await commit(options, 'Save work before a merge', author);
  const outcome = await options.store.mergeCommits(before, theirs, message, author);
  if (outcome.status === 'merged')
    await moveFiles({ ...options, place: placeOf(options) }, { from: before, to: outcome.sha });
  return outcome;
}

async function restore(options: WorkspaceOptions, sha: string, author: Author): Promise<Checkpoint> {
  const { store, user, quota } = options;
  const wanted = await store.resolve(sha);
  if (!wanted) throw new Fault('NOT_FOUND', `There is no commit ${sha}.`, { hint: 'List the snapshots.' });
  const { tree: now, skipped } = await snapshot(placeOf(options), quota.fileBytes);
  const tree = await store.treeOf(wanted);
  await applyTree(placeOf(options), user, now, tree);
  return { ...(await advance(options, tree, `Restore ${wanted.slice(0, 12)}`, author)), skipped };
}

// The bare git store of a project or workspace: the branches of its runs, and marks that outlive them.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Author,
  branchRef,
  commitTree,
  containsCommit,
  logBetween,
  moveBranch,
  resolveCommit,
} from './commits.ts';
import { type CloneSource, defaultFetchQuota, type FetchQuota, removeAbandoned } from './fetch.ts';
import { type GitPlace, git, gitLine } from './git.ts';
import { mergeCommits, mergeIntoBranch } from './merge.ts';
import { cloneStore, createStore, followOrigin, type Origin } from './new-store.ts';

export type GitStore = ReturnType<typeof gitStore>;

/** Git's own threshold, which other calls switch off; the call ends when the work has. */
const collecting = { 'gc.auto': '6700', 'gc.autoDetach': 'false', 'gc.pruneExpire': '1.day.ago' };
/** Loose objects that take more than this are packed, however few they are. */
const looseBytes = 64 * 1024 * 1024;

async function objectSizes(place: GitPlace): Promise<{ all: number; loose: number }> {
  const text = await gitLine(place, ['count-objects', '-v']);
  const bytesOf = (name: string) => 1024 * Number(new Map(text.split('\n').map(pair)).get(name) ?? 0);
  const loose = bytesOf('size');
  return { all: loose + bytesOf('size-pack') + bytesOf('size-garbage'), loose };
}

const pair = (line: string) => line.split(': ') as [string, string];

/** Opens a store in its directory, which `create` or `clone` makes first. */
export function gitStore(directory: string, quota: FetchQuota = defaultFetchQuota) {
  const place: GitPlace = { gitDir: directory };
  const markRef = (name: string) => `refs/rivulet/${name}`;
  return {
    directory,
    place,
    exists: () =>
      access(join(directory, 'HEAD')).then(
        () => true,
        () => false,
      ),
    /** An empty store with one empty commit on `main`. */
    create: () => createStore(directory),
    /** A store with one branch of a remote repository, as `main`. */
    clone: (source: CloneSource) => cloneStore(directory, { quota, ...source }),
    /** The newest of a branch elsewhere, to begin from. */
    follow: (origin: Origin) => followOrigin(directory, origin, quota),

    /** The commit that a name stands for; null when there is none. */
    resolve: (name: string) => resolveCommit(place, name),
    treeOf: (commit: string) => gitLine(place, ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`]),
    /** Makes a commit; no branch moves. */
    commitTree: (tree: string, parents: string[], message: string, author: Author) =>
      commitTree(place, tree, parents, message, author),
    contains: (descendant: string, ancestor: string) => containsCommit(place, descendant, ancestor),
    /** Commits of `to` that `from` lacks, newest first. */
    log: (from: string, to: string, limit = 200) => logBetween(place, from, to, limit),

    /** Commit at the tip of a branch; null when there is no such branch. */
    head: (branch: string) => resolveCommit(place, branchRef(branch)),
    /** Moves a branch; with `expected`, only from that commit (Fault CONFLICT otherwise). */
    setBranch: (branch: string, sha: string, expected?: string) => moveBranch(place, branch, sha, expected),
    deleteBranch: (branch: string) => git(place, ['update-ref', '-d', branchRef(branch)]),
    /** Merges two commits into a new one; no branch moves. */
    mergeCommits: (ours: string, theirs: string, message: string, author: Author) =>
      mergeCommits(place, ours, theirs, message, author),
    /** Merges a commit into a branch that no workspace has checked out; conflicts change nothing and are listed. */
    merge: (into: string, theirs: string, message: string, author: Author) =>
      mergeIntoBranch(place, into, theirs, message, author),

    /** A name for a commit that keeps it from being collected, e.g. a run's base. */
    getMark: (name: string) => resolveCommit(place, markRef(name)),
    setMark: (name: string, sha: string) => git(place, ['update-ref', markRef(name), sha]),
    deleteMark: (name: string) => git(place, ['update-ref', '-d', markRef(name)]),

    /** What the objects take on the disk, packed, loose and left over. */
    bytes: async () => (await objectSizes(place)).all,
    /** Packs the store when it has many or large loose objects, and removes what nothing has led to for a day. */
    collect: async (now: number) => {
      await removeAbandoned(directory, now);
      const { loose } = await objectSizes(place);
      const config = { ...collecting, ...(loose > looseBytes ? { 'gc.auto': '1' } : {}) };
      await git(place, ['gc', '--auto', '--quiet'], { work: 'large', config });
    },
  };
}

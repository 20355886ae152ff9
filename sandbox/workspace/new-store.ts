// How a git store comes to be: empty, or as a clone; and how it follows a repository elsewhere.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import { syncFiles, syncTree } from '../../src/kernel/sync-files.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { branchRef, commitTree, containsCommit, mainBranch, moveBranch, resolveCommit } from './commits.ts';
import { type CloneSource, draftEnding, type FetchQuota, fetchInto } from './fetch.ts';
import { type GitPlace, git, gitLine, requireGit } from './git.ts';

/** A branch of a repository elsewhere that a store follows. */
export interface Origin {
  url: string;
  branch: string | null;
  /** Checks the URL against the policy on outgoing requests, each time before it is asked. Throws a Fault. */
  check: () => Promise<CloneSource>;
}

const server = { name: 'Rivulet', email: 'server@rivulet.invalid' };

/**
 * Makes a store beside its place and moves it there whole, so that neither a crash nor a power failure leaves one that is
 * half made.
 */
async function build(directory: string, fill: (draft: string) => Promise<unknown>): Promise<void> {
  const draft = `${directory}.${randomUUID()}${draftEnding}`;
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await git(null, ['init', '--bare', '--quiet', `--initial-branch=${mainBranch}`, '--template=', draft]);
    await fill(draft);
    await syncTree(draft);
    await rename(draft, directory).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster: theirs is as good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    await syncFiles([dirname(directory)]);
  } finally {
    await deleteTree(draft);
  }
}

/** Makes an empty store with one empty commit on `main`. */
export async function createStore(directory: string): Promise<void> {
  await requireGit();
  await build(directory, async (draft) => {
    const place = { gitDir: draft };
    const tree = await gitLine(place, ['hash-object', '-w', '-t', 'tree', '--stdin']);
    await git(place, ['update-ref', branchRef(mainBranch), await commitTree(place, tree, [], 'Begin', server)]);
  });
}

/**
 * Makes a store with one branch of a remote repository as `main`. Throws Fault VALIDATION_FAILED for a URL that is not
 * https, CONNECTOR_ERROR when git can't get it, QUOTA_EXCEEDED when it is too much; then nothing is left.
 */
export async function cloneStore(directory: string, source: CloneSource): Promise<void> {
  await requireGit();
  if (!URL.canParse(source.url) || new URL(source.url).protocol !== 'https:') {
    throw new Fault('VALIDATION_FAILED', 'Only https repositories can be cloned.', { hint: 'Give an https URL.' });
  }
  if (await stat(directory).catch(() => null)) {
    throw new Fault('CONFLICT', 'This workspace has files already.', { hint: 'Clone into a new workspace.' });
  }
  await build(directory, (draft) => fetchInto(draft, source));
}

/**
 * Fetches a branch of a repository into a store, and brings `main` to it where that loses nothing. While the repository
 * can't be reached, what was fetched of it last stands. Throws a Fault while nothing was.
 *
 * @returns the commit to begin from: the branch's tip, or that of `main` when it has the branch and more
 */
export async function followOrigin(
  directory: string,
  { url, branch, check }: Origin,
  quota: FetchQuota,
): Promise<string> {
  const place = { gitDir: directory };
  const name = createHash('sha256').update(`${url} ${branch}`).digest('hex').slice(0, 16);
  const mark = `refs/rivulet/origin/${name}`;
  const failure = await check()
    .then((source) => fetchInto(directory, { quota, ...source, ...(branch ? { branch } : {}) }, mark))
    .then(
      () => null,
      (error: unknown) => error,
    );
  const [theirs, ours] = await Promise.all([resolveCommit(place, mark), resolveCommit(place, branchRef(mainBranch))]);
  if (theirs === null) throw failure ?? new Error('nothing was fetched');
  if (ours === null || ours === theirs) return theirs;
  if (await containsCommit(place, ours, theirs)) return ours;
  if ((await isBeginning(place, ours)) || (await containsCommit(place, theirs, ours)))
    // Somebody else may have moved it meanwhile, which the next run sees.
    await moveBranch(place, mainBranch, theirs, ours).catch(() => {});
  return theirs;
}

/** Whether a commit is the empty one that a store begins with. */
async function isBeginning(place: GitPlace, sha: string): Promise<boolean> {
  const [commits, files] = await Promise.all([
    gitLine(place, ['rev-list', '--count', '--end-of-options', sha]),
    gitLine(place, ['ls-tree', '--end-of-options', sha]),
  ]);
  return commits === '1' && files === '';
}

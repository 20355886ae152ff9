// Commits and branches of a git store.
import { Fault } from '../../src/kernel/fault.ts';
import { type GitPlace, git, gitLine } from './git.ts';

export interface Author {
  name: string;
  email: string;
}

export interface LogEntry {
  sha: string;
  author: string;
  atUtc: string;
  subject: string;
}

export const mainBranch = 'main';
export const branchRef = (branch: string) => `refs/heads/${branch}`;

/** Commit that a name resolves to; null when there is none. */
export async function resolveCommit(place: GitPlace, name: string): Promise<string | null> {
  const answer = await git(place, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], {
    accept: [0, 1, 128],
  });
  return answer.code === 0 ? answer.stdout.toString().trim() : null;
}

/** Creates a commit of a tree; no branch moves. */
export function commitTree(
  place: GitPlace,
  tree: string,
  parents: string[],
  message: string,
  author: Author,
): Promise<string> {
  return gitLine(place, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
    input: message,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    },
  });
}

/** Whether a commit is an ancestor of another, or equal to it. */
export async function containsCommit(place: GitPlace, descendant: string, ancestor: string): Promise<boolean> {
  const answer = await git(place, ['merge-base', '--is-ancestor', ancestor, descendant], { accept: [0, 1] });
  return answer.code === 0;
}

/** Moves a branch; with `expected`, only from that commit (Fault CONFLICT otherwise). */
export async function moveBranch(place: GitPlace, branch: string, sha: string, expected?: string): Promise<void> {
  await git(place, ['update-ref', branchRef(branch), sha, ...(expected ? [expected] : [])]).catch((error) => {
    throw new Fault('CONFLICT', `The branch ${branch} has moved meanwhile.`, { hint: 'Try again.', cause: error });
  });
}

/** Commits of `to` that `from` lacks, newest first. */
export async function logBetween(place: GitPlace, from: string, to: string, limit: number): Promise<LogEntry[]> {
  const format = '--format=%H%x00%an%x00%aI%x00%s';
  const text = await gitLine(place, ['log', format, `--max-count=${limit}`, '--end-of-options', `${from}..${to}`]);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [sha = '', author = '', at = '', subject = ''] = line.split('\0');
      return { sha, author, atUtc: new Date(at).toISOString(), subject };
    });
}

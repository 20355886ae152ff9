// Merges commits within a git store, without a worktree.
import { Fault } from '../../src/kernel/fault.ts';
import { type Author, branchRef, commitTree, containsCommit, moveBranch, resolveCommit } from './commits.ts';
import { type GitPlace, git, requireGit } from './git.ts';

export type MergeOutcome =
  | { status: 'merged'; sha: string }
  | { status: 'up-to-date'; sha: string }
  | { status: 'conflicts'; conflicts: { path: string; reason: string }[] };

/** The version that brought `merge-tree --write-tree`. */
const minorVersion = 38;

/**
 * Merges two commits into a new one; no branch moves. Conflicts make nothing and are listed. Throws Fault NOT_CONFIGURED
 * with a git older than 2.38.
 */
export async function mergeCommits(
  place: GitPlace,
  ours: string,
  theirs: string,
  message: string,
  author: Author,
): Promise<MergeOutcome> {
  await requireGit(minorVersion);
  if (await containsCommit(place, ours, theirs)) return { status: 'up-to-date', sha: ours };
  const answer = await git(place, ['merge-tree', '--write-tree', '--name-only', '-z', '--messages', ours, theirs], {
    accept: [0, 1],
  });
  const fields = answer.stdout.toString().split('\0');
  if (answer.code === 1) return { status: 'conflicts', conflicts: readConflicts(fields) };
  return { status: 'merged', sha: await commitTree(place, fields[0] as string, [ours, theirs], message, author) };
}

/** Merges a commit into a branch that nobody has checked out. Throws Fault NOT_FOUND without such a branch. */
export async function mergeIntoBranch(
  place: GitPlace,
  branch: string,
  theirs: string,
  message: string,
  author: Author,
): Promise<MergeOutcome> {
  const ours = await resolveCommit(place, branchRef(branch));
  if (!ours) throw new Fault('NOT_FOUND', `There is no branch ${branch}.`, { hint: 'Name an existing branch.' });
  const outcome = await mergeCommits(place, ours, theirs, message, author);
  if (outcome.status === 'merged') await moveBranch(place, branch, outcome.sha, ours);
  return outcome;
}

/** After the tree: conflicted paths, an empty field, then `<count> paths… type message` for each message. */
function readConflicts(fields: string[]): { path: string; reason: string }[] {
  const end = fields.indexOf('', 1);
  const paths = fields.slice(1, end);
  const reasons = new Map<string, string>();
  for (let at = end + 1; at < fields.length && fields[at]; ) {
    const count = Number(fields[at]);
    const named = fields.slice(at + 1, at + 1 + count);
    const type = fields[at + 1 + count] ?? '';
    const text = (fields[at + 2 + count] ?? '').trim();
    if (type.startsWith('CONFLICT')) for (const path of named) reasons.set(path, text);
    at += count + 3;
  }
  return [...new Set(paths)].map((path) => ({ path, reason: reasons.get(path) ?? 'Both sides changed it.' }));
}

// The bare git store of a project or workspace: branches of its runs, merges between them, and where they came from.
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import { type GitPlace, git, gitFields, gitLine, requireGit } from './git.ts';

export interface Author {
  name: string;
  email: string;
}

/** Where a store's first commit comes from. */
export interface CloneSource {
  /** An https URL that the caller has checked against its policy on outgoing requests. */
  url: string;
  branch?: string;
  /** Value of the Authorization header, e.g. `Bearer …`. */
  authorization?: string;
}

export type MergeOutcome =
  | { status: 'merged'; sha: string }
  | { status: 'up-to-date'; sha: string }
  | { status: 'conflicts'; conflicts: { path: string; reason: string }[] };

const server: Author = { name: 'Rivulet', email: 'server@rivulet.invalid' };
export const mainBranch = 'main';
const cloneTimeoutMs = 600_000;

export type GitStore = ReturnType<typeof gitStore>;

/** Opens a store in its directory, which `create` or `clone` makes first. */
export function gitStore(directory: string) {
  const place: GitPlace = { gitDir: directory };
  const branchRef = (branch: string) => `refs/heads/${branch}`;

  const resolve = async (name: string) => {
    const answer = await git(place, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], {
      accept: [0, 1, 128],
    });
    return answer.code === 0 ? answer.stdout.toString().trim() : null;
  };

  const commitTree = (tree: string, parents: string[], message: string, author: Author) =>
    gitLine(place, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
      input: message,
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
      },
    });

  return {
    directory,
    place,
    resolve,
    commitTree,

    exists: () =>
      access(join(directory, 'HEAD')).then(
        () => true,
        () => false,
      ),

    /** An empty store with one empty commit on `main`. */
    create: async (): Promise<string> => {
      await requireGit();
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await git(null, ['init', '--bare', '--quiet', `--initial-branch=${mainBranch}`, '--template=', directory]);
      const tree = await gitLine(place, ['hash-object', '-w', '-t', 'tree', '--stdin']);
      const sha = await commitTree(tree, [], 'Begin', server);
      await git(place, ['update-ref', branchRef(mainBranch), sha]);
      return sha;
    },

    /** A store with one branch of a remote repository, as `main`. Throws Fault CONNECTOR_ERROR when git can't get it. */
    clone: async ({ url, branch, authorization }: CloneSource): Promise<string> => {
      await requireGit();
      if (new URL(url).protocol !== 'https:') {
        throw new Fault('VALIDATION_FAILED', 'Only https repositories can be cloned.', { hint: 'Give an https URL.' });
      }
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        await git(null, ['init', '--bare', '--quiet', `--initial-branch=${mainBranch}`, '--template=', directory]);
        const source = branch ? `refs/heads/${branch}` : 'HEAD';
        await git(
          place,
          ['fetch', '--quiet', '--no-tags', '--end-of-options', url, `${source}:${branchRef(mainBranch)}`],
          {
            protocols: ['https'],
            timeoutMs: cloneTimeoutMs,
            // Through the environment: arguments of a process are for everybody to see.
            env: authorization
              ? {
                  GIT_CONFIG_COUNT: '1',
                  GIT_CONFIG_KEY_0: 'http.extraHeader',
                  GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
                }
              : {},
          },
        );
      } catch (error) {
        await rm(directory, { recursive: true, force: true });
        if (error instanceof Fault) throw error;
        throw new Fault('CONNECTOR_ERROR', 'The repository could not be cloned.', {
          hint: 'Check the URL, the branch and the connector’s credentials.',
          cause: error,
        });
      }
      return (await resolve(branchRef(mainBranch))) as string;
    },

    /** Commit at the tip of a branch; null when there is no such branch. */
    head: (branch: string) => resolve(branchRef(branch)),

    /** Whether a commit is another's ancestor, or the same. */
    contains: async (descendant: string, ancestor: string) =>
      (await git(place, ['merge-base', '--is-ancestor', ancestor, descendant], { accept: [0, 1] })).code === 0,

    /** Moves a branch; with `expected`, only from that commit (Fault CONFLICT otherwise). */
    setBranch: async (branch: string, sha: string, expected?: string) => {
      await git(place, ['update-ref', branchRef(branch), sha, ...(expected ? [expected] : [])]).catch((error) => {
        throw new Fault('CONFLICT', `The branch ${branch} has moved meanwhile.`, { hint: 'Try again.', cause: error });
      });
    },

    deleteBranch: (branch: string) => git(place, ['update-ref', '-d', branchRef(branch)]),

    /** A name for a commit that keeps it from being collected, e.g. a run's base. */
    getMark: (name: string) => resolve(`refs/rivulet/${name}`),
    setMark: (name: string, sha: string) => git(place, ['update-ref', `refs/rivulet/${name}`, sha]),
    deleteMark: (name: string) => git(place, ['update-ref', '-d', `refs/rivulet/${name}`]),

    treeOf: (commit: string) => gitLine(place, ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`]),

    /** Commits of a branch that its base lacks, newest first. */
    log: async (from: string, to: string, limit = 200) => {
      const format = '--format=%H%x00%an%x00%aI%x00%s';
      const text = await gitLine(place, ['log', format, `--max-count=${limit}`, '--end-of-options', `${from}..${to}`]);
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [sha = '', author = '', at = '', subject = ''] = line.split('\0');
          return { sha, author, atUtc: new Date(at).toISOString(), subject };
        });
    },

    /**
     * Merges the commit `theirs` into a branch without a worktree. Conflicts change nothing and are listed.
     * Throws Fault NOT_CONFIGURED with a git older than 2.38.
     */
    merge: async (into: string, theirs: string, message: string, author: Author): Promise<MergeOutcome> => {
      await requireGit(38);
      const ours = await resolve(branchRef(into));
      if (!ours) throw new Fault('NOT_FOUND', `There is no branch ${into}.`);
      const isContained = await git(place, ['merge-base', '--is-ancestor', theirs, ours], { accept: [0, 1] });
      if (isContained.code === 0) return { status: 'up-to-date', sha: ours };
      const answer = await git(place, ['merge-tree', '--write-tree', '--name-only', '-z', '--messages', ours, theirs], {
        accept: [0, 1],
      });
      const fields = answer.stdout.toString().split('\0');
      if (answer.code === 1) return { status: 'conflicts', conflicts: readConflicts(fields) };
      const sha = await commitTree(fields[0] as string, [ours, theirs], message, author);
      await git(place, ['update-ref', branchRef(into), sha, ours]);
      return { status: 'merged', sha };
    },

    /** Removes what no branch or mark leads to any more. */
    collect: () => git(place, ['gc', '--quiet', '--prune=now'], { timeoutMs: cloneTimeoutMs }),

    branches: () => gitFields(place, ['for-each-ref', '--format=%(refname:short)%00', 'refs/heads']),
  };
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

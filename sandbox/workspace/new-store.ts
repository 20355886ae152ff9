// How a git store comes to be: empty, or as a clone.
import { mkdir, rm } from 'node:fs/promises';
import { Fault } from '../../src/kernel/fault.ts';
import { branchRef, commitTree, mainBranch, resolveCommit } from './commits.ts';
import { git, gitLine, requireGit } from './git.ts';

/** Where a store's first commit comes from. */
export interface CloneSource {
  /** An https URL that the caller has checked against its policy on outgoing requests. */
  url: string;
  branch?: string;
  /** Value of the Authorization header, e.g. `Bearer …`. */
  authorization?: string;
}

const server = { name: 'Rivulet', email: 'server@rivulet.invalid' };
const cloneTimeoutMs = 600_000;

async function init(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await git(null, ['init', '--bare', '--quiet', `--initial-branch=${mainBranch}`, '--template=', directory]);
}

/** An empty store with one empty commit on `main`; returns that commit. */
export async function createStore(directory: string): Promise<string> {
  await requireGit();
  await init(directory);
  const place = { gitDir: directory };
  const tree = await gitLine(place, ['hash-object', '-w', '-t', 'tree', '--stdin']);
  const sha = await commitTree(place, tree, [], 'Begin', server);
  await git(place, ['update-ref', branchRef(mainBranch), sha]);
  return sha;
}

/**
 * A store with one branch of a remote repository as `main`; returns its newest commit. Throws Fault VALIDATION_FAILED for
 * a URL that is not https, CONNECTOR_ERROR when git can't get it; then nothing is left.
 */
export async function cloneStore(directory: string, source: CloneSource): Promise<string> {
  await requireGit();
  if (!URL.canParse(source.url) || new URL(source.url).protocol !== 'https:') {
    throw new Fault('VALIDATION_FAILED', 'Only https repositories can be cloned.', { hint: 'Give an https URL.' });
  }
  await rm(directory, { recursive: true, force: true });
  try {
    await init(directory);
    await fetchInto(directory, source);
    return (await resolveCommit({ gitDir: directory }, branchRef(mainBranch))) as string;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    if (error instanceof Fault) throw error;
    throw new Fault('CONNECTOR_ERROR', 'The repository could not be cloned.', {
      hint: 'Check the URL, the branch and the connector’s credentials.',
      cause: error,
    });
  }
}

async function fetchInto(directory: string, { url, branch, authorization }: CloneSource): Promise<void> {
  const refs = `${branch ? branchRef(branch) : 'HEAD'}:${branchRef(mainBranch)}`;
  // Through the environment: arguments of a process are for everybody to see.
  const credentials = authorization && {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
  };
  await git({ gitDir: directory }, ['fetch', '--quiet', '--no-tags', '--end-of-options', url, refs], {
    protocols: ['https'],
    timeoutMs: cloneTimeoutMs,
    env: credentials || {},
  });
}

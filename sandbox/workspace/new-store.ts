// How a git store comes to be: empty, or as a clone.
import { randomUUID } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { Fault } from '../../src/kernel/fault.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { branchRef, commitTree, mainBranch } from './commits.ts';
import { git, gitLine, requireGit } from './git.ts';

/** Where a store's first commit comes from. */
export interface CloneSource {
  /** An https URL that the caller has checked against its policy on outgoing requests. */
  url: string;
  branch?: string;
  /** Where the URL's host was found; git connects there and looks nothing up. */
  at?: { host: string; port: number; address: string };
  /** Value of the Authorization header, e.g. `Bearer …`. */
  authorization?: string;
}

const server = { name: 'Rivulet', email: 'server@rivulet.invalid' };

/** Makes a store beside its place and moves it there whole, so that a crash leaves none that is half made. */
async function build(directory: string, fill: (draft: string) => Promise<unknown>): Promise<void> {
  const draft = `${directory}.${randomUUID()}.new`;
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await git(null, ['init', '--bare', '--quiet', `--initial-branch=${mainBranch}`, '--template=', draft]);
    await fill(draft);
    await rename(draft, directory).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster: theirs is as good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
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
 * https, CONNECTOR_ERROR when git can't get it; then nothing is left.
 */
export async function cloneStore(directory: string, source: CloneSource): Promise<void> {
  await requireGit();
  if (!URL.canParse(source.url) || new URL(source.url).protocol !== 'https:') {
    throw new Fault('VALIDATION_FAILED', 'Only https repositories can be cloned.', { hint: 'Give an https URL.' });
  }
  if (await stat(directory).catch(() => null)) {
    throw new Fault('CONFLICT', 'This workspace has files already.', { hint: 'Clone into a new workspace.' });
  }
  await build(directory, (draft) => fetchInto(draft, source)).catch((error: unknown) => {
    if (error instanceof Fault) throw error;
    throw new Fault('CONNECTOR_ERROR', 'The repository could not be cloned.', {
      hint: 'Check the URL, the branch and the connector’s credentials.',
      cause: error,
    });
  });
}

async function fetchInto(directory: string, { url, branch, at, authorization }: CloneSource): Promise<void> {
  const refs = `${branch ? branchRef(branch) : 'HEAD'}:${branchRef(mainBranch)}`;
  // Through the environment: arguments of a process are for everybody to see.
  const credentials = authorization && {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
  };
  await git({ gitDir: directory }, ['fetch', '--quiet', '--no-tags', '--end-of-options', url, refs], {
    protocols: ['https'],
    ...(at ? { config: { 'http.curloptResolve': `${at.host}:${at.port}:${bracketed(at.address)}` } } : {}),
    work: 'large',
    env: credentials || {},
  });
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

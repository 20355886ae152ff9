// Fetches a branch of a repository elsewhere into a store: what arrives waits apart until it is whole and within its quota.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { diskUsage, isPast } from '../disk/disk-usage.ts';
import { branchRef, mainBranch } from './commits.ts';
import { git, gitLine } from './git.ts';

/** What one fetch may take. */
export interface FetchQuota {
  bytes: number;
  /** Of the clock. */
  seconds: number;
}

/** Where a store's first commit comes from. */
export interface CloneSource {
  /** An https URL that the caller has checked against its policy on outgoing requests. */
  url: string;
  branch?: string;
  /** Where the URL's host was found; git connects there and looks nothing up. */
  at?: { host: string; port: number; address: string };
  /** Value of the Authorization header, e.g. `Basic …`. */
  authorization?: string;
  /** Plain http too, where the operator says so. */
  allowsHttp?: boolean;
  quota?: FetchQuota;
}

const mebibyte = 1024 * 1024;
export const defaultFetchQuota: FetchQuota = { bytes: 1024 * mebibyte, seconds: 600 };

/** Beginning of the folders in a store where something arrives. */
const incoming = 'incoming-';
/** End of the names of stores that are being made. */
export const draftEnding = '.new';
/** End of the names of git's locks, which no ref may have. */
const lockEnding = '.lock';
/** Milliseconds between two looks at what has arrived. */
const lookEveryMs = 100;
/** Milliseconds after which nobody fetches into such a folder any more, or holds a lock. */
const abandonedAfterMs = 3_600_000;

/**
 * Fetches the branch, or what the repository opens with, as the ref `into` of a store. Nothing is left of a fetch that
 * fails. Throws Fault QUOTA_EXCEEDED past the quota, CONNECTOR_ERROR otherwise.
 *
 * @param into - the ref that the branch becomes, whatever it was
 */
export async function fetchInto(directory: string, source: CloneSource, into = branchRef(mainBranch)): Promise<void> {
  const draft = join(directory, `${incoming}${randomUUID()}`);
  const ref = branchRef(mainBranch);
  try {
    await git(null, ['init', '--bare', '--quiet', '--template=', draft]);
    await mkdir(join(draft, 'objects', 'info'), { recursive: true });
    // What the store has is neither asked for nor sent again.
    await writeFile(join(draft, 'objects', 'info', 'alternates'), '../../objects\n');
    await fetchWithin(draft, source, ref);
    const sha = await gitLine({ gitDir: draft }, ['rev-parse', '--verify', '--end-of-options', ref]);
    await moveObjects(join(draft, 'objects'), join(directory, 'objects'));
    await git({ gitDir: directory }, ['update-ref', into, sha]);
  } catch (error) {
    throw notFetched(error, source);
  } finally {
    await deleteTree(draft);
  }
}

/**
 * Deletes what servers that died left in a store, in the middle of a fetch or with the lock of a ref, or of a clone beside
 * the stores.
 */
export async function removeAbandoned(directory: string, now: number): Promise<void> {
  const here = await readdir(directory).catch(() => []);
  const refs = await readdir(join(directory, 'refs'), { recursive: true }).catch(() => []);
  const drafts = here.filter((name) => name.startsWith(incoming) || name.endsWith(draftEnding));
  const locks = [...here, ...refs.map((name) => join('refs', name))].filter((name) => name.endsWith(lockEnding));
  for (const name of [...drafts, ...locks]) {
    const found = await stat(join(directory, name)).catch(() => null);
    if (found && now - found.mtimeMs > abandonedAfterMs) await deleteTree(join(directory, name));
  }
}

async function fetchWithin(draft: string, source: CloneSource, ref: string): Promise<void> {
  const { url, branch, at, authorization, allowsHttp, quota = defaultFetchQuota } = source;
  const limits = { bytes: quota.bytes, files: Number.POSITIVE_INFINITY };
  const isOver = async () => isPast(await diskUsage(join(draft, 'objects'), limits), limits);
  const stop = new AbortController();
  // Git has no limit of its own for what it fetches, and an honest length comes with none of it.
  const look = async () => {
    if (await isOver().catch(() => false)) stop.abort();
    else if (!stop.signal.aborted) timer = setTimeout(() => void look(), lookEveryMs);
  };
  let timer = setTimeout(() => void look(), lookEveryMs);
  const refs = `+${branch ? branchRef(branch) : 'HEAD'}:${ref}`;
  // Through the environment: arguments of a process are for everybody to see.
  const credentials = authorization && {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
  };
  try {
    await git({ gitDir: draft }, ['fetch', '--quiet', '--no-tags', '--end-of-options', url, refs], {
      protocols: allowsHttp ? ['https', 'http'] : ['https'],
      config: {
        // One pack, which is moved as it came.
        'fetch.unpackLimit': '1',
        ...(at ? { 'http.curloptResolve': `${at.host}:${at.port}:${bracketed(at.address)}` } : {}),
      },
      work: { seconds: quota.seconds, cpuSeconds: 300, memoryKib: 2 * mebibyte },
      env: credentials || {},
      stop: stop.signal,
    });
  } catch (error) {
    if (stop.signal.aborted) throw tooLarge(quota);
    if (error instanceof Fault && error.code === 'QUOTA_EXCEEDED') throw tooLong(quota);
    throw error;
  } finally {
    stop.abort();
    clearTimeout(timer);
  }
  if (await isOver()) throw tooLarge(quota);
}

/** Moves packs and loose objects; what names a pack comes last, so that nobody finds half of one. */
async function moveObjects(from: string, to: string): Promise<void> {
  const folders = (await readdir(from)).filter((name) => name === 'pack' || /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) {
    const names = (await readdir(join(from, folder))).filter((name) => !/^tmp_|\.keep$/.test(name));
    const ordered = [
      ...names.filter((name) => !name.endsWith('.idx')),
      ...names.filter((name) => name.endsWith('.idx')),
    ];
    await mkdir(join(to, folder), { recursive: true });
    for (const name of ordered) await rename(join(from, folder, name), join(to, folder, name));
  }
}

const howToRaise = (setting: string) =>
  `Name a smaller repository, or ask the operator to raise ${setting} under "repositories" in RIVULET_SANDBOX_SETTINGS.`;

const tooLarge = ({ bytes }: FetchQuota) =>
  new Fault(
    'QUOTA_EXCEEDED',
    `The repository has more than the ${Math.floor(bytes / mebibyte)} MiB that are fetched.`,
    {
      hint: howToRaise('fetchMb'),
    },
  );

const tooLong = ({ seconds }: FetchQuota) =>
  new Fault('QUOTA_EXCEEDED', `The repository takes more than a fetch may: ${seconds} seconds.`, {
    hint: howToRaise('fetchSeconds'),
  });

/** What git says where a server asks for credentials, or refuses them. */
const refusal = /Authentication failed|could not read (Username|Password)|returned error: 40[13]/;

function notFetched(error: unknown, { authorization }: CloneSource): Fault {
  if (error instanceof Fault) return error;
  const said = withoutSecrets(error instanceof Error ? error.message : String(error), authorization);
  const cause = new Error(said);
  if (!refusal.test(said))
    return new Fault('CONNECTOR_ERROR', 'The repository could not be cloned.', {
      hint: 'Check the URL, the branch and the credentials.',
      cause,
    });
  const what = authorization ? 'refuses the credentials that the project has' : 'asks for credentials';
  return new Fault('CONNECTOR_ERROR', `The repository could not be cloned: it ${what}.`, {
    hint: 'A Maintainer of the project gives it some that may read the repository: PUT /api/projects/{id}/repository-credentials.',
    cause,
  });
}

/** A server may say in its answer what it was sent. */
function withoutSecrets(text: string, authorization: string | undefined): string {
  const [, encoded = ''] = authorization?.split(' ') ?? [];
  const [, ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return [encoded, secret.join(':')].filter(Boolean).reduce((left, one) => left.replaceAll(one, '…'), text);
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

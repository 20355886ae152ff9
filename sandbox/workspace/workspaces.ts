// All workspaces of a server: stores, worktrees on their branches, and how long they are kept.
import { randomUUID } from 'node:crypto';
import { access, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { sandboxUser } from '../user.ts';
import { attach, checkOut, worktreeGitDir } from './check-out.ts';
import { mainBranch } from './commits.ts';
import { type FetchQuota, removeAbandoned } from './fetch.ts';
import { requireGit } from './git.ts';
import type { Origin } from './new-store.ts';
import { type GitStore, gitStore } from './store.ts';
import { requireFits } from './tree-size.ts';
import { createQueue, createWorkspace, type Hold, recover, type Workspace, type WorkspaceQuota } from './workspace.ts';
import { removeDrafts } from './write-files.ts';

export interface WorkspacesOptions {
  /** Directory of the server's own. */
  directory: string;
  clock: Clock;
  quota?: Partial<WorkspaceQuota>;
  /** What one fetch of a repository elsewhere may take. */
  fetches?: FetchQuota;
}

export interface OpenOptions {
  /** Name of the store, e.g. `project-7`; made empty when it doesn't exist. */
  store: string;
  /** Unique over all stores and stable, e.g. `run-42`. */
  key: string;
  /** Branch, workspace key or commit to start from: a parent's key for a child; `main` when absent. */
  from?: string;
  /** Without `from`: a repository elsewhere whose newest commit a new branch begins from. */
  origin?: Origin | null;
  quota?: Partial<WorkspaceQuota>;
}

const mebibyte = 1024 * 1024;
const defaultQuota: WorkspaceQuota = { bytes: 1024 * mebibyte, files: 200_000, fileBytes: 256 * mebibyte };

const lockMs = 3_600_000;
/** Who writes a file adds to it more often than that. */
const draftMs = 3_600_000;

/** The review branch of a workspace. */
const branchOf = (key: string) => `review/${key}`;
/** Marks a worktree that is being deleted; no key contains it. */
const goneEnding = '.gone';
const baseMark = (key: string) => `base/${key}`;

export class Workspaces {
  readonly #options: WorkspacesOptions;
  /** Two openings of one workspace at once must not check it out twice. */
  readonly #opening = new Map<string, Promise<Workspace>>();

  /** One queue a workspace, however often it is opened. */
  readonly #queues = new Map<string, Hold>();

  /** Worktrees being removed. */
  readonly #removing = new Map<string, Promise<void>>();

  /** Fetches under way: those who ask meanwhile share one. */
  readonly #following = new Map<string, Promise<string>>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  get #trees(): string {
    return join(this.#options.directory, 'trees');
  }

  store(name: string): GitStore {
    const { directory, fetches } = this.#options;
    return gitStore(join(directory, 'stores', `${checkedName(name)}.git`), fetches);
  }

  /**
   * Opens a workspace, making its store, branch and worktree where they are missing. Throws Fault NOT_CONFIGURED without
   * a usable git, NOT_FOUND when there is nothing to start from.
   */
  open(options: OpenOptions): Promise<Workspace> {
    const { key } = options;
    const known = this.#opening.get(key);
    if (known) return known;
    const opened = this.#open(options).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opened);
    return opened;
  }

  /** Whether there is such a worktree. */
  has(key: string): Promise<boolean> {
    return exists(this.#tree(key));
  }

  /** Deletes a worktree; its branch stays, and `open` checks it out again. */
  async removeTree(key: string): Promise<void> {
    await this.#opening.get(key)?.catch(() => {});
    const inTurn = this.#queues.get(key) ?? createQueue();
    const removing = inTurn(() => this.#removeTree(key)).finally(() => this.#removing.delete(key));
    this.#removing.set(key, removing);
    return removing;
  }

  async #removeTree(key: string): Promise<void> {
    const store = await this.storeOf(key);
    const tree = this.#tree(key);
    // At once for everybody else, however long it takes to delete.
    await rename(tree, `${tree}${goneEnding}-${randomUUID()}`).catch(() => {});
    if (store !== null) await deleteTree(worktreeGitDir(this.store(store).directory, key));
    this.#queues.delete(key);
    await this.#clearLeftovers(`${key}${goneEnding}`);
  }

  /** Deletes the branch and base of a workspace whose worktree is removed. */
  async forget(store: string, key: string): Promise<void> {
    const home = this.store(store);
    if (!(await home.exists())) return;
    await home.deleteBranch(branchOf(checkedName(key)));
    await home.deleteMark(baseMark(key));
  }

  /** Deletes a store with everything in it. Remove its worktrees first. */
  async removeStore(store: string): Promise<void> {
    await deleteTree(this.store(store).directory);
  }

  /** Runs `work` unless another server clears up the same disk now: null then. One that died is waited for an hour. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result | null> {
    const { directory, clock } = this.#options;
    const lock = join(directory, 'clearing-up');
    const since = Number(await readFile(lock, 'utf8').catch(() => clock.now()));
    // A time that is yet to come is of a clock that was ahead.
    if (Math.abs(clock.now() - since) > lockMs) await rm(lock, { force: true });
    const isOurs = await writeFile(lock, String(clock.now()), { flag: 'wx' }).then(
      () => true,
      () => false,
    );
    if (!isOurs) return null;
    return work().finally(() => rm(lock, { force: true }));
  }

  /** The worktrees on this disk, with the time in ms at which their top folder last changed. */
  async list(): Promise<{ key: string; changedAt: number }[]> {
    const found: { key: string; changedAt: number }[] = [];
    for (const key of await readdir(this.#trees).catch(() => [])) {
      const tree = isName(key) ? await stat(join(this.#trees, key)).catch(() => null) : null;
      if (tree) found.push({ key, changedAt: tree.mtimeMs });
    }
    return found;
  }

  /** The store that a worktree belongs to; null when no store knows it. */
  async storeOf(key: string): Promise<string | null> {
    for (const name of await this.#storeNames())
      if (await exists(worktreeGitDir(this.store(name).directory, checkedName(key)))) return name;
    return null;
  }

  /** Packs the stores that need it, one after the other. Throws AggregateError at the end with what went wrong. */
  async collect(): Promise<void> {
    const { directory, clock } = this.#options;
    await removeAbandoned(join(directory, 'stores'), clock.now());
    await each(await this.#storeNames(), (name) => this.store(name).collect(clock.now()));
  }

  async #storeNames(): Promise<string[]> {
    const folders = await readdir(join(this.#options.directory, 'stores')).catch(() => []);
    return folders.map((folder) => folder.replace(/\.git$/, '')).filter(isName);
  }

  /** Deletes what servers that died in the middle of a removal left. Throws AggregateError for what can't be deleted. */
  clearLeftovers(): Promise<void> {
    return this.#clearLeftovers('');
  }

  async #clearLeftovers(beginning: string): Promise<void> {
    const names = await readdir(this.#trees).catch(() => []);
    const left = names.filter((name) => name.startsWith(beginning) && name.includes(goneEnding));
    await each(left, (name) => deleteTree(join(this.#trees, name)));
  }

  #tree(key: string): string {
    return join(this.#trees, checkedName(key));
  }

  async #open({ store, key, from, origin, quota }: OpenOptions): Promise<Workspace> {
    await requireGit();
    await this.#removing.get(key);
    const home = this.store(store);
    const tree = this.#tree(key);
    const branch = branchOf(key);
    const user = sandboxUser(key);
    if (!(await home.exists())) await home.create();
    const isFirst = !this.#queues.has(key);
    const inTurn = this.#queues.get(key) ?? createQueue();
    if (isFirst) {
      await removeLocks(home.directory, key);
      await removeDrafts(worktreeGitDir(home.directory, key), this.#options.clock.now() - draftMs);
    }
    const limits = { ...defaultQuota, ...this.#options.quota, ...quota };
    const start = async () => from ?? (origin ? await this.#begin(home, origin, limits) : mainBranch);
    const baseSha = (await knownBase(home, key)) ?? (await startBranch(home, key, await start()));
    const place = { store: home.directory, key, branch, tree };
    if (!(await this.has(key))) await checkOut({ ...place, user });
    // A removal that was cut off, or made by another server in this very moment, may have taken the git dir alone.
    else if (!(await exists(join(worktreeGitDir(home.directory, key), 'index')))) await attach(place);
    const options = { key, store: home, directory: tree, branch, baseSha, user, quota: limits, inTurn };
    if (isFirst) await recover(options);
    this.#queues.set(key, inTurn);
    return createWorkspace(options);
  }

  /** The commit of a repository elsewhere to begin from, if its files fit into a workspace. */
  async #begin(home: GitStore, origin: Origin, limits: WorkspaceQuota): Promise<string> {
    const sha = await this.#follow(home, origin);
    await requireFits(home.place, sha, limits);
    return sha;
  }

  #follow(home: GitStore, origin: Origin): Promise<string> {
    const name = `${home.directory} ${origin.url} ${origin.branch}`;
    const known = this.#following.get(name);
    if (known) return known;
    const following = home.follow(origin).finally(() => this.#following.delete(name));
    this.#following.set(name, following);
    return following;
  }
}

/** A server that died in the middle of a git call left its locks; this one opens the workspace for the first time. */
async function removeLocks(store: string, key: string): Promise<void> {
  const gitDir = worktreeGitDir(store, key);
  const refs = [`refs/heads/${branchOf(key)}.lock`, `refs/rivulet/${baseMark(key)}.lock`].map((ref) =>
    join(store, ref),
  );
  const indexes = ['index', 'review.index', 'draft-check-out'].map((index) => join(gitDir, `${index}.lock`));
  for (const lock of [...indexes, ...refs]) await rm(lock, { force: true });
}

/** The base of a branch that exists. */
async function knownBase(home: GitStore, key: string): Promise<string | null> {
  const [base, tip] = await Promise.all([home.getMark(baseMark(key)), home.head(branchOf(key))]);
  return tip && base;
}

async function startBranch(home: GitStore, key: string, from: string): Promise<string> {
  const base = (await home.head(from)) ?? (await home.head(branchOf(from))) ?? (await home.resolve(from));
  if (!base) throw new Fault('NOT_FOUND', `There is no branch or commit ${from}.`, { hint: 'Start from main.' });
  await home.setMark(baseMark(key), base);
  await home.setBranch(branchOf(key), base);
  return base;
}

/** Work on each, whatever becomes of the others. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${items.length} failed.`);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const isName = (name: string) => /^[a-z0-9][a-z0-9-]{0,47}$/.test(name);

/** Keys and names become names of folders and branches. */
function checkedName(name: string): string {
  if (isName(name)) return name;
  const hint = 'Use lower-case letters, digits and dashes.';
  throw new Fault('VALIDATION_FAILED', `“${name}” can’t name a workspace.`, { hint });
}

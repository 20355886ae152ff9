// Places of each run: its workspace, its output log and, on demand, its sandbox.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../../runtime/ports.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { openSandbox, type Sandbox } from '../commands/sandbox.ts';
import type { DriverChoice } from '../drivers/choose-driver.ts';
import { resolveLimits, type SandboxLimits } from '../limits.ts';
import type { HostPattern } from '../network/allow-list.ts';
import { type EgressProxy, openProxy } from '../network/proxy.ts';
import type { SandboxChunk } from '../output/chunk.ts';
import { OutputLog } from '../output/log.ts';
import { OutputTail } from '../output/tail.ts';
import type { Author } from '../workspace/commits.ts';
import { deliverBranch } from '../workspace/deliverable.ts';
import type { MergeOutcome } from '../workspace/merge.ts';
import type { Origin } from '../workspace/new-store.ts';
import type { Checkpoint, Hold, Workspace } from '../workspace/workspace.ts';
import type { OpenOptions, Workspaces } from '../workspace/workspaces.ts';
import { ChangedFiles } from './changed-files.ts';

/** Fields of a run that decide its places; a RunRecord has them. */
export type RunPlace = Pick<
  ToolContext['run'],
  'id' | 'tenantId' | 'projectId' | 'workspaceId' | 'rootRunId' | 'parentRunId'
> &
  Partial<Pick<ToolContext['run'], 'reviewBaseSha' | 'role' | 'toolProfileName' | 'environmentJson'>>;

/** A store that several runs share on request. */
export interface SharedPlace {
  store: string;
  /** Key of the worktree that runs start from and are merged into. */
  key: string;
  quotaBytes: number | null;
  isReadOnly: boolean;
}

export interface RunSandboxesOptions {
  driver: DriverChoice;
  workspaces: Workspaces;
  /** Directory of the server for output logs. */
  directory: string;
  clock: Clock;
  /** Ceilings set by the operator. */
  ceilings?: Partial<SandboxLimits>;
  /** Limits that a run's role requests. */
  limitsOf?: (run: RunPlace) => Promise<Partial<SandboxLimits>> | Partial<SandboxLimits>;
  /** Hosts that a run's commands may reach, through a filtering proxy; none when absent or empty. */
  hostsOf?: (run: RunPlace) => Promise<readonly HostPattern[]> | readonly HostPattern[];
  /** True when those hosts may have private addresses. */
  privateHosts?: boolean;
  /** Receives every chunk of output in order, e.g. to publish it. */
  onChunk?: (runId: number, chunk: SandboxChunk) => void;
  /** Shared place of a run's `workspaceId`. Throws when the run may not work there. */
  sharedPlaceOf?: (run: RunPlace) => Promise<SharedPlace | null>;
  /** Repository from which a run's workspace is cloned, where its project has one. */
  originOf?: (run: RunPlace) => Promise<Origin | null>;
  /** Where other servers share the directory and may have the run: whether a run has ended. */
  hasEnded?: (runId: number) => Promise<boolean>;
  /** Called when sandboxes start and end. */
  onLife?: (runId: number, state: 'started' | 'stopped', sandbox: Sandbox) => void;
}

interface DiscardOptions {
  branchToo?: boolean;
  isWanted?: () => Promise<boolean>;
}

const keyOf = (runId: number) => `run-${runId}`;
/**
 * Name of a run's store. Runs of a project share one, within their tenant; a tree without a project has its own. Names
 * of
 * the first tenant are those of earlier versions.
 */
function ownStore({ tenantId, projectId, rootRunId }: RunPlace): string {
  if (!projectId) return `tree-${rootRunId}`;
  return tenantId === 1 ? `project-${projectId}` : `project-${projectId}-of-${tenantId}`;
}
const authorOf = ({ id }: Pick<RunPlace, 'id'>): Author => ({
  name: keyOf(id),
  email: `${keyOf(id)}@rivulet.invalid`,
});

/**
 * Workspaces, output and sandboxes are opened on first use; the first two survive restarts, sandboxes are created
 * again.
 */
export class RunSandboxes {
  readonly #options: RunSandboxesOptions;
  readonly #workspaces = new Map<number, Promise<Workspace>>();
  readonly #sandboxes = new Map<number, Promise<Sandbox>>();
  readonly #proxies = new Map<number, Promise<EgressProxy>>();
  readonly #logs = new Map<number, Promise<OutputLog>>();
  readonly #releasing = new Map<number, Promise<void>>();
  readonly #discarding = new Map<number, Promise<boolean>>();
  readonly #changes = new WeakMap<Workspace, ChangedFiles>();

  constructor(options: RunSandboxesOptions) {
    this.#options = options;
  }

  /** The run's worktree. Throws Fault NOT_CONFIGURED without git. */
  async workspace(run: RunPlace): Promise<Workspace> {
    await this.#settled(run.id);
    return this.#workspace(run);
  }

  async #workspace(run: RunPlace): Promise<Workspace> {
    // Another server may have deleted the worktree: it is checked out again.
    if (this.#workspaces.has(run.id) && !(await this.#options.workspaces.has(keyOf(run.id))))
      this.#workspaces.delete(run.id);
    return remember(this.#workspaces, run.id, () => this.#openWorkspace(run));
  }

  /** What commands change in the run's workspace. */
  async changes(run: RunPlace): Promise<ChangedFiles> {
    const workspace = await this.workspace(run);
    const changes = this.#changes.get(workspace) ?? new ChangedFiles(workspace, this.#options.clock);
    this.#changes.set(workspace, changes);
    return changes;
  }

  /** The run's sandbox. Throws Fault NOT_CONFIGURED when no driver works here. */
  async sandbox(run: RunPlace): Promise<Sandbox> {
    await this.#settled(run.id);
    return remember(this.#sandboxes, run.id, () => this.#openSandbox(run));
  }

  /** The run's output log, open until `release`. */
  async output(runId: number): Promise<OutputLog> {
    await this.#settled(runId);
    const onChunk = (chunk: SandboxChunk) => this.#options.onChunk?.(runId, chunk);
    const directory = this.#logDirectory(runId);
    return remember(this.#logs, runId, () => OutputLog.open({ directory, clock: this.#options.clock, onChunk }));
  }

  /** The run's output to be read: its log, or what the server that has the run writes to the disk which servers share. */
  async outputOf(runId: number): Promise<Pick<OutputLog, 'epoch' | 'lastSeq' | 'read'>> {
    const { hasEnded, clock } = this.#options;
    if (!hasEnded || this.#logs.has(runId)) return this.output(runId);
    await this.#settled(runId);
    return OutputTail.open({ directory: this.#logDirectory(runId), clock, hasEnded: () => hasEnded(runId) });
  }

  /** Runs `work` while the run's processes are paused, so that its files can be read and written safely. */
  async hold<Result>(runId: number, work: () => Promise<Result>): Promise<Result> {
    const living = await this.#sandboxes.get(runId)?.catch(() => null);
    return living && living.state !== 'destroyed' ? living.whilePaused(work) : work();
  }

  /** Commits the run's changes, with the run as author, including those that a dead server left uncommitted. */
  async checkpoint(run: RunPlace, message: string): Promise<Checkpoint> {
    const workspace = await this.workspace(run);
    return workspace.checkpoint(message, authorOf(run), (work) => this.hold(run.id, work));
  }

  /**
   * Merges a child's commits into its parent's branch and files. Throws Fault CONFLICT when the two have
   * different stores.
   */
  async mergeIntoParent(child: RunPlace, parent: RunPlace): Promise<MergeOutcome> {
    const [from, into] = [await this.workspace(child), await this.workspace(parent)];
    if (from.store.directory !== into.store.directory)
      throw new Fault('CONFLICT', `Run ${child.id} works in another workspace than run ${parent.id}.`);
    const hold: Hold = (work) => this.hold(parent.id, work);
    return into.merge(await from.head(), `Merge ${keyOf(child.id)}`, authorOf(parent), hold);
  }

  /**
   * Merges a run's commits into its shared workspace; null without one, or when its
   * its files are not to change.
   */
  async mergeIntoShared(run: RunPlace): Promise<MergeOutcome | null> {
    const place = await this.#shared(run);
    if (!place || place.isReadOnly) return null;
    const from = await this.workspace(run);
    const into = await this.#options.workspaces.open({ store: place.store, key: place.key });
    return into.merge(await from.head(), `Merge ${keyOf(run.id)}`, authorOf(run));
  }

  /** Merges a run's commits into the branch that its contract names; null without one. */
  async deliver(run: RunPlace, destination: string | null) {
    return deliverBranch(destination, await this.workspace(run), authorOf(run));
  }

  /** Ends the run's processes and its output; the workspace stays. */
  release(runId: number): Promise<void> {
    const release = () => this.#release(runId).finally(() => this.#releasing.delete(runId));
    return remember(this.#releasing, runId, release);
  }

  async #release(runId: number): Promise<void> {
    const opened = this.#sandboxes.get(runId);
    // Later callers get a new sandbox, after this one's end.
    this.#sandboxes.delete(runId);
    const sandbox = await opened?.catch(() => null);
    await sandbox?.destroy();
    if (sandbox) this.#options.onLife?.(runId, 'stopped', sandbox);
    await (await this.#proxies.get(runId))?.close();
    this.#proxies.delete(runId);
    await (await this.#logs.get(runId))?.end();
    this.#logs.delete(runId);
    this.#workspaces.delete(runId);
  }

  /** Runs with a worktree or output on this disk, with the time in ms of the latest change of either. */
  async stored(): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    const note = (name: string, changedAt: number) => {
      const id = Number(/^run-(\d+)$/.exec(name)?.[1]);
      if (id) found.set(id, Math.max(changedAt, found.get(id) ?? 0));
    };
    for (const { key, changedAt } of await this.#options.workspaces.list()) note(key, changedAt);
    const logs = join(this.#options.directory, 'output');
    for (const name of await readdir(logs).catch(() => []))
      note(name, (await stat(join(logs, name)).catch(() => null))?.mtimeMs ?? 0);
    return found;
  }

  /**
   * Deletes a run's worktree and output; its branch stays unless `branchToo`. Callers that open them meanwhile wait,
   * and
   * get new ones. `isWanted` is asked once they can no longer be opened; false is returned when it kept them.
   */
  discard(runId: number, how: DiscardOptions = {}): Promise<boolean> {
    const discard = () => this.#discard(runId, how).finally(() => this.#discarding.delete(runId));
    return remember(this.#discarding, runId, discard);
  }

  async #discard(runId: number, { branchToo = false, isWanted }: DiscardOptions): Promise<boolean> {
    const { workspaces } = this.#options;
    if (await isWanted?.()) return false;
    await this.release(runId);
    const store = await workspaces.storeOf(keyOf(runId));
    await workspaces.removeTree(keyOf(runId));
    if (store !== null && branchToo) await workspaces.forget(store, keyOf(runId));
    await rm(this.#logDirectory(runId), { recursive: true, force: true });
    return true;
  }

  /** Resolves when no deletion for the run is in progress. */
  async #settled(runId: number): Promise<void> {
    for (let under = this.#discarding.get(runId); under; under = this.#discarding.get(runId))
      await under.catch(() => {});
  }

  /** Cleans up after dead servers; call it once at boot. Returns the ids of the removed sandboxes. */
  async reconcile(): Promise<string[]> {
    return (await this.#options.driver.driver?.reconcile()) ?? [];
  }

  /** Ends every sandbox of this server. */
  async close(): Promise<void> {
    const ids = new Set([...this.#sandboxes.keys(), ...this.#logs.keys()]);
    await Promise.allSettled([...ids].map((runId) => this.release(runId)));
  }

  #logDirectory(runId: number): string {
    return join(this.#options.directory, 'output', keyOf(runId));
  }

  async #limits(run: RunPlace): Promise<SandboxLimits> {
    return resolveLimits((await this.#options.limitsOf?.(run)) ?? {}, this.#options.ceilings);
  }

  async #shared(run: RunPlace): Promise<SharedPlace | null> {
    return run.workspaceId ? ((await this.#options.sharedPlaceOf?.(run)) ?? null) : null;
  }

  /** A run from a version in which tenants shared stores stays in its store, with its children. */
  async #ownStore(run: RunPlace): Promise<string> {
    const [own, shared] = [ownStore(run), ownStore({ ...run, tenantId: 1 })];
    const begun = run.reviewBaseSha ? run.id : run.parentRunId;
    if (own === shared || !begun) return own;
    return (await this.#options.workspaces.store(shared).head(`review/${keyOf(begun)}`)) ? shared : own;
  }

  async #openWorkspace(run: RunPlace): Promise<Workspace> {
    const { workspaceBytes, workspaceFiles, fileBytes } = await this.#limits(run);
    const shared = await this.#shared(run);
    const bytes = Math.min(workspaceBytes, shared?.quotaBytes ?? workspaceBytes);
    const place = {
      store: shared?.store ?? (await this.#ownStore(run)),
      key: keyOf(run.id),
      quota: { bytes, files: workspaceFiles, fileBytes },
      ...(shared ? { from: shared.key } : { origin: (await this.#options.originOf?.(run)) ?? null }),
    };
    if (run.reviewBaseSha && !(await this.#options.workspaces.store(place.store).resolve(run.reviewBaseSha)))
      throw new Fault('NOT_FOUND', `The files of run ${run.id} are not on this server.`, {
        hint: 'Ask the server that ran it, or let all servers share the folder sandbox/workspaces of RIVULET_DATA.',
      });
    if (!run.parentRunId) return this.#options.workspaces.open(place);
    await this.#saveParent(run.parentRunId, place);
    // A parent that never touched files has no branch: the child then starts like any other run.
    return this.#options.workspaces.open({ ...place, from: keyOf(run.parentRunId) }).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'NOT_FOUND') return this.#options.workspaces.open(place);
      throw error;
    });
  }

  /** Commits the parent's work first, so that a child begins with all of it. */
  async #saveParent(id: number, { store, quota }: Pick<OpenOptions, 'store' | 'quota'>): Promise<void> {
    const { workspaces } = this.#options;
    if ((await workspaces.storeOf(keyOf(id))) !== store) return;
    const parent = await workspaces.open({ store, key: keyOf(id), ...(quota ? { quota } : {}) });
    const saving = parent.checkpoint('Save work before a child begins', authorOf({ id }), (work) =>
      this.hold(id, work),
    );
    // A parent over its file limit keeps its last commit; its child starts from that.
    await saving.catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'QUOTA_EXCEEDED') throw error;
    });
  }

  async #openSandbox(run: RunPlace): Promise<Sandbox> {
    await this.#releasing.get(run.id);
    const driver = this.#options.driver.require();
    const { directory: workspace, user } = await this.#workspace(run);
    const spec = { id: keyOf(run.id), workspace, user, limits: await this.#limits(run) };
    const hosts = (await this.#options.hostsOf?.(run)) ?? [];
    const proxy = hosts.length > 0 && (await remember(this.#proxies, run.id, () => this.#openProxy(run.id, hosts)));
    const sandbox = await openSandbox(
      driver,
      proxy ? { ...spec, proxyDirectory: proxy.directory } : spec,
      this.#options.clock,
    );
    this.#options.onLife?.(run.id, 'started', sandbox);
    return sandbox;
  }

  #openProxy(runId: number, allow: readonly HostPattern[]): Promise<EgressProxy> {
    const note = async (reason: string) => (await this.output(runId)).note(`Refused a connection: ${reason}\n`);
    const allowsPrivate = this.#options.privateHosts ?? false;
    const { proxies: parent } = this.#options.driver.require();
    return openProxy({ allow, allowsPrivate, parent, onRefused: (reason) => void note(reason).catch(() => {}) });
  }
}

/** Concurrent callers share one opening; a failure is not cached. */
function remember<Value>(known: Map<number, Promise<Value>>, id: number, open: () => Promise<Value>): Promise<Value> {
  const found = known.get(id);
  if (found) return found;
  const opening = open().catch((error: unknown) => {
    known.delete(id);
    throw error;
  });
  known.set(id, opening);
  return opening;
}

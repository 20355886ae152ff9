// What each run has: its workspace, its output log and, when a command asks for it, its sandbox.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../runtime/ports.ts';
import type { Clock } from '../src/kernel/clock.ts';
import { Fault } from '../src/kernel/fault.ts';
import type { DriverChoice } from './choose-driver.ts';
import { resolveLimits, type SandboxLimits } from './limits.ts';
import type { HostPattern } from './network/allow-list.ts';
import { type EgressProxy, openProxy } from './network/proxy.ts';
import type { SandboxChunk } from './output/chunk.ts';
import { OutputLog } from './output/log.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import type { Author } from './workspace/commits.ts';
import type { MergeOutcome } from './workspace/merge.ts';
import type { Checkpoint, Hold, Workspace } from './workspace/workspace.ts';
import type { Workspaces } from './workspace/workspaces.ts';

/** What is needed to know of a run; a RunRecord is one. */
export type RunPlace = Pick<ToolContext['run'], 'id' | 'projectId' | 'rootRunId' | 'parentRunId'>;

export interface RunSandboxesOptions {
  driver: DriverChoice;
  workspaces: Workspaces;
  /** Directory of the server's own, for output logs. */
  directory: string;
  clock: Clock;
  /** The operator's ceilings. */
  ceilings?: Partial<SandboxLimits>;
  /** What a run's role asks for. */
  limitsOf?: (run: RunPlace) => Promise<Partial<SandboxLimits>> | Partial<SandboxLimits>;
  /** Hosts that a run's commands may reach, through a filtering proxy; none when absent or empty. */
  hostsOf?: (run: RunPlace) => Promise<readonly HostPattern[]> | readonly HostPattern[];
  /** Receives every chunk of output in order, e.g. to publish it. */
  onChunk?: (runId: number, chunk: SandboxChunk) => void;
}

export type RunSandboxes = ReturnType<typeof createRunSandboxes>;

const keyOf = (runId: number) => `run-${runId}`;
/** Runs of a project share its store; a tree without a project has one of its own. */
const storeOf = (run: RunPlace) => (run.projectId ? `project-${run.projectId}` : `tree-${run.rootRunId}`);
const authorOf = (run: RunPlace): Author => ({ name: keyOf(run.id), email: `${keyOf(run.id)}@rivulet.invalid` });

/** Sandboxes, workspaces and output of runs. Everything is opened on first use and survives restarts but the sandbox. */
export function createRunSandboxes(options: RunSandboxesOptions) {
  const { driver, workspaces, directory, clock } = options;
  const opened = new Map<number, Promise<Workspace>>();
  const sandboxes = new Map<number, Promise<Sandbox>>();
  const proxies = new Map<number, Promise<EgressProxy>>();
  const logs = new Map<number, Promise<OutputLog>>();

  const workspace = (run: RunPlace) =>
    remember(opened, run.id, async () => {
      const limits = await limitsOf(run);
      const quota = { bytes: limits.workspaceBytes, files: limits.workspaceFiles, fileBytes: limits.fileBytes };
      const from = run.parentRunId ? { from: keyOf(run.parentRunId) } : {};
      const place = { store: storeOf(run), key: keyOf(run.id), quota };
      // A parent that never touched files has no branch: the child then starts like any other run.
      return workspaces.open({ ...place, ...from }).catch((error: unknown) => {
        if (error instanceof Fault && error.code === 'NOT_FOUND') return workspaces.open(place);
        throw error;
      });
    });

  const limitsOf = async (run: RunPlace) => resolveLimits((await options.limitsOf?.(run)) ?? {}, options.ceilings);

  const sandbox = (run: RunPlace) =>
    remember(sandboxes, run.id, async () => {
      const chosen = driver.require();
      const { directory: tree, user } = await workspace(run);
      const proxy = await openWayOut(run);
      const spec = { id: keyOf(run.id), workspace: tree, user, limits: await limitsOf(run) };
      return openSandbox(chosen, proxy ? { ...spec, proxyDirectory: proxy.directory } : spec, clock);
    });

  const openWayOut = async (run: RunPlace): Promise<EgressProxy | null> => {
    const allow = (await options.hostsOf?.(run)) ?? [];
    if (allow.length === 0) return null;
    return remember(proxies, run.id, () =>
      openProxy({
        allow,
        onRefused: (reason) => {
          output(run.id)
            .then((log) => log.note(`Refused a connection: ${reason}\n`))
            .catch(() => {});
        },
      }),
    );
  };

  const logDirectory = (runId: number) => join(directory, 'output', keyOf(runId));
  const output = (runId: number) =>
    remember(logs, runId, () =>
      OutputLog.open({
        directory: logDirectory(runId),
        clock,
        onChunk: (chunk) => options.onChunk?.(runId, chunk),
      }),
    );

  /** Keeps the run's processes, if there are any, from moving while the host reads or writes its files. */
  const holdOf =
    (runId: number): Hold =>
    async (work) => {
      const living = await sandboxes.get(runId)?.catch(() => null);
      return living && living.state !== 'destroyed' ? living.whilePaused(work) : work();
    };

  const release = async (runId: number) => {
    const living = await sandboxes.get(runId)?.catch(() => null);
    sandboxes.delete(runId);
    await living?.destroy();
    await (await proxies.get(runId))?.close();
    proxies.delete(runId);
    await (await logs.get(runId))?.end();
    logs.delete(runId);
    opened.delete(runId);
  };

  return {
    /** The run's worktree; throws Fault NOT_CONFIGURED without git. */
    workspace,
    /** The run's sandbox; throws Fault NOT_CONFIGURED when no driver works here. */
    sandbox,
    /** The run's output log, open until `release`. */
    output,
    holdOf,

    /** Commits what the run has changed, with the run as author. Null when it never opened a workspace. */
    checkpoint: async (run: RunPlace, message: string): Promise<Checkpoint | null> => {
      const found = await opened.get(run.id);
      return found ? found.checkpoint(message, authorOf(run), holdOf(run.id)) : null;
    },

    /** Commits a finished child's work and merges it into its parent's branch and files. Null for a run without parent. */
    mergeIntoParent: async (child: RunPlace, parent: RunPlace): Promise<MergeOutcome | null> => {
      if (child.parentRunId !== parent.id) return null;
      const from = await workspace(child);
      const { sha } = await from.checkpoint('Finish', authorOf(child), holdOf(child.id));
      const into = await workspace(parent);
      return into.merge(sha, `Merge ${keyOf(child.id)}`, authorOf(parent), holdOf(parent.id));
    },

    /** Ends the run's processes and its output; the workspace stays. */
    release,

    /** Deletes the run's worktree and output; its branch stays for the record. */
    discard: async (run: RunPlace): Promise<void> => {
      await release(run.id);
      await workspaces.removeTree(storeOf(run), keyOf(run.id));
      await rm(logDirectory(run.id), { recursive: true, force: true });
    },

    /** Ends every sandbox of this server. */
    close: async (): Promise<void> => {
      const ids = new Set([...sandboxes.keys(), ...logs.keys()]);
      await Promise.allSettled([...ids].map(release));
    },

    /** Clears up after servers that died; call it once at boot. Returns ids of the sandboxes it removed. */
    reconcile: async (): Promise<string[]> => (await driver.driver?.reconcile()) ?? [],
  };
}

/** One opening for all who ask at once; a failure is not remembered. */
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

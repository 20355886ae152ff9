// Workspaces that runs share: their files over the git stores of the sandbox, and who uses them.
import type { RunRecord } from '../../runtime/records.ts';
import { runStatuses } from '../../runtime/records.ts';
import { hasEnded } from '../../runtime/state/run.ts';
import { requirePublicHttps } from '../../sandbox/network/public-url.ts';
import type { SharedPlace } from '../../sandbox/run-sandboxes.ts';
import { gitFields } from '../../sandbox/workspace/git.ts';
import { readTextAt } from '../../sandbox/workspace/read-commit.ts';
import type { Workspace } from '../../sandbox/workspace/workspace.ts';
import type { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { createWorkspaceKeeper } from '../groups/workspaces/keeper.ts';
import { requireUsable, type WorkspaceRecords } from '../groups/workspaces/records.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import type { SharedWorkspace, WorkspaceFiles } from '../ports/workspaces.ts';
import { runs as runCollection } from '../stores/runs/collections.ts';
import type { Storage } from './storage.ts';

/** Name of a workspace's store and key of its worktree. */
const keyOf = (id: number) => `workspace-${id}`;
const sweepEveryMs = 60_000;
const activeStatuses = runStatuses.filter((status) => !hasEnded(status));

/** Where runs with a `workspaceId` work. Throws Fault NOT_FOUND, and NOT_READY or CONFLICT before it is there. */
export function createSharedPlaces(records: WorkspaceRecords) {
  return async (run: { tenantId: number; workspaceId: number | null }): Promise<SharedPlace | null> => {
    if (run.workspaceId === null) return null;
    const doc = await records.get(run.tenantId, run.workspaceId);
    // What a run made can be looked at when its workspace has expired, too.
    if (doc.headSha === null) requireUsable(doc, Number.NEGATIVE_INFINITY);
    const { quotaBytes, isReadOnly } = doc;
    return { store: keyOf(doc._id), key: keyOf(doc._id), quotaBytes, isReadOnly };
  };
}

interface Deps {
  storage: Storage;
  records: WorkspaceRecords;
  workspaces: Workspaces;
  clock: Clock;
  log: Logger;
}

/** The workspaces of a server with the rounds that keep them. */
export function openWorkspaces({ storage, records, workspaces, clock, log }: Deps) {
  const files = createWorkspaceFiles(workspaces);
  const runs = storage.db.collection(runCollection);
  const using = (tenantId: number, ids: readonly number[]) => ({
    tenantId,
    workspaceId: { $in: ids },
    status: { $in: activeStatuses },
  });
  const keeper = createWorkspaceKeeper({
    records,
    files,
    clock,
    log,
    runsIn: (tenantId, id) => runs.countDocuments(using(tenantId, [id])),
  });
  const rounds = createRounds({ clock, log });
  rounds.start({ name: 'the workspaces', everyMs: sweepEveryMs, work: () => keeper.sweep() });
  return {
    records,
    files,
    keeper,
    checkUrl: (url: string) => requirePublicHttps(url),
    activeRuns: async (tenantId: number, ids: readonly number[]): Promise<RunRecord[]> => {
      const found = await runs.find(using(tenantId, ids), { sort: { _id: -1 }, limit: 1000 }).toArray();
      return storage.runs.runs.many(found.map((run) => run._id));
    },
    /** Refuses a run that could not work in the workspace that it names. */
    requireForRun: async (tenantId: number, id: number): Promise<void> =>
      requireUsable(await records.get(tenantId, id), clock.now()),
    close: () => rounds.close(),
  };
}
export type OpenWorkspaces = ReturnType<typeof openWorkspaces>;

/** The port over git stores, one a workspace. */
export function createWorkspaceFiles(workspaces: Workspaces): WorkspaceFiles {
  const open = (id: number, quotaBytes: number | null): Promise<Workspace> =>
    workspaces.open({
      store: keyOf(id),
      key: keyOf(id),
      ...(quotaBytes === null ? {} : { quota: { bytes: quotaBytes } }),
    });
  const remove = async (id: number): Promise<void> => {
    await workspaces.removeTree(keyOf(id));
    await workspaces.removeStore(keyOf(id));
  };
  return {
    open: async (id, quotaBytes) => toShared(await open(id, quotaBytes)),
    clone: async (id, { url, branch }, quotaBytes) => {
      const store = workspaces.store(keyOf(id));
      const { host, port, address, url: checked } = await requirePublicHttps(url);
      // A server that died after the clone has left it whole.
      if (!(await store.exists()))
        await store.clone({
          url: checked,
          // An address looks itself up.
          ...(host === address ? {} : { at: { host, port, address } }),
          ...(branch ? { branch } : {}),
        });
      const { sizeBytes } = await measure(await open(id, quotaBytes));
      if (quotaBytes === null || sizeBytes <= quotaBytes) return;
      await remove(id);
      throw new Fault('QUOTA_EXCEEDED', `The repository has ${sizeBytes} bytes of files.`, {
        hint: 'Make a workspace with a larger quota.',
      });
    },
    remove,
  };
}

function toShared(workspace: Workspace): SharedWorkspace {
  const { files, store } = workspace;
  return {
    rootPath: workspace.directory,
    measure: () => measure(workspace),
    list: ({ path, recursive, glob }) =>
      files.list({ path, isRecursive: recursive, ...(glob === undefined ? {} : { glob }) }),
    readText: files.readText,
    readTextAt: (sha, path, maxBytes) => readTextAt(store, sha, path, maxBytes),
    write: (path, content, expectedEtag) =>
      files.write(path, content, expectedEtag === undefined ? {} : { expectedEtag }),
    remove: (path, recursive) => files.remove(path, { isRecursive: recursive }),
    commit: async (message, author) => (await workspace.checkpoint(message, author)).sha,
    restore: async (sha, author) => void (await workspace.restore(sha, author)),
    mark: async (name, sha) => void (await store.setMark(name, sha)),
  };
}

/** What the newest commit holds. */
async function measure(workspace: Workspace) {
  const headSha = await workspace.head();
  const entries = await gitFields(workspace.store.place, ['ls-tree', '-r', '-l', '-z', '--full-tree', headSha]);
  const sizes = entries.map((entry) => Number(/^\d+ \w+ \w+ +(\d+)\t/.exec(entry)?.[1] ?? 0));
  return { headSha, fileCount: entries.length, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

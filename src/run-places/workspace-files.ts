// Port WorkspaceFiles for workspaces that runs share, over git stores of the sandbox, one per workspace.
import { requirePublicHttps } from '../../sandbox/network/public-url.ts';
import type { SharedPlace } from '../../sandbox/runs/run-sandboxes.ts';
import { readTextAt } from '../../sandbox/workspace/read-commit.ts';
import { treeSize } from '../../sandbox/workspace/tree-size.ts';
import type { Workspace } from '../../sandbox/workspace/workspace.ts';
import type { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { requireUsable, type WorkspaceRecords } from '../groups/workspaces/records.ts';
import { Fault } from '../kernel/fault.ts';
import type { SharedWorkspace, WorkspaceFiles } from '../ports/workspaces.ts';

/** Name of a workspace's store and key of its worktree. */
const keyOf = (id: number) => `workspace-${id}`;

/** Shared places of runs with a `workspaceId`. Throws Fault NOT_FOUND, and NOT_READY or CONFLICT before it is ready. */
export function createSharedPlaces(records: WorkspaceRecords) {
  return async (run: { tenantId: number; workspaceId: number | null }): Promise<SharedPlace | null> => {
    if (run.workspaceId === null) return null;
    const doc = await records.get(run, run.workspaceId);
    // A run's files stay readable after its workspace has expired.
    if (doc.headSha === null) requireUsable(doc, Number.NEGATIVE_INFINITY);
    const { quotaBytes, isReadOnly } = doc;
    return { store: keyOf(doc._id), key: keyOf(doc._id), quotaBytes, isReadOnly };
  };
}

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
      // A clone is complete when its folder exists: a crash leaves none or a complete one.
      if (!(await store.exists()))
        await store.clone({
          url: checked,
          // A literal address needs no look-up.
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

/** Counts files and bytes of the newest commit. */
async function measure(workspace: Workspace) {
  const headSha = await workspace.head();
  const { files, bytes } = await treeSize(workspace.store.place, headSha);
  return { headSha, fileCount: files, sizeBytes: bytes };
}

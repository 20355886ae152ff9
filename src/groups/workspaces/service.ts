// Keeps workspaces and their files: every change of a file is a commit, so that nothing is lost by another.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { contains, type Filter } from '../../ports/db.ts';
import { isOpenTo, visibleTo } from '../../ports/in-project.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import type { SharedWorkspace, WorkspaceAuthor, WorkspaceFiles } from '../../ports/workspaces.ts';
import type { AgentRunDto } from '../agent/dto.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import { workspaces } from './contract.ts';
import { createDrafts } from './drafts.ts';
import { createExpiry } from './expiry.ts';
import type { WorkspaceKeeper } from './keeper.ts';
import { requireUsable, type WorkspaceDoc, type WorkspaceRecords } from './records.ts';
import { toSnapshotDto, toWorkspaceDto } from './to-dto.ts';

export interface WorkspacesDeps {
  records: WorkspaceRecords;
  files: WorkspaceFiles;
  keeper: Pick<WorkspaceKeeper, 'clone' | 'remove'>;
  clock: Clock;
  findRun: FindRun;
  /** Runs of these workspaces that have not ended. */
  activeRuns: (tenantId: number, workspaceIds: readonly number[]) => Promise<RunRecord[]>;
  viewRun: (run: RunRecord) => Promise<AgentRunDto>;
  cancelRun: (runId: number, reason: string) => Promise<unknown>;
  /** Says what a clone needs that is checked before it begins: an https URL with a public address. */
  checkUrl: (url: string) => Promise<unknown>;
}

const authorOf = (caller: Caller): WorkspaceAuthor => ({
  name: caller.name,
  email: `identity-${caller.identityId ?? 0}@rivulet.invalid`,
});

export const workspacesService = implement(workspaces, (deps: WorkspacesDeps) => {
  const { records, files, clock } = deps;
  const find = async (caller: Caller, id: number): Promise<WorkspaceDoc> => {
    const doc = await records.get(caller.tenantId, id);
    if (isOpenTo(caller, doc.projectId)) return doc;
    throw new Fault('NOT_FOUND', `There is no workspace ${id}.`, { hint: 'List them with GET /api/workspaces.' });
  };
  const expiry = createExpiry(clock);
  const draft = createDrafts({ clock, expiry, checkUrl: deps.checkUrl });

  const shown = async (caller: Caller, doc: WorkspaceDoc) =>
    toWorkspaceDto(doc, (await deps.activeRuns(caller.tenantId, [doc._id])).length);

  const detail = async (caller: Caller, doc: WorkspaceDoc) => {
    const [snapshots, runs] = await Promise.all([
      records
        .snapshotsOf(caller.tenantId)
        .find({ workspaceId: doc._id }, { sort: { _id: -1 }, limit: 500 })
        .toArray(),
      deps.activeRuns(caller.tenantId, [doc._id]),
    ]);
    const activeRuns = await Promise.all(runs.map(deps.viewRun));
    return { ...toWorkspaceDto(doc, runs.length), snapshots: snapshots.map(toSnapshotDto), activeRuns };
  };

  const open = async (caller: Caller, id: number, changes = false) => {
    const doc = await find(caller, id);
    requireUsable(doc, clock.now(), changes);
    return { doc, workspace: await files.open(id, doc.quotaBytes) };
  };

  /** Commits what was changed and notes what the workspace holds now. */
  const settle = async (caller: Caller, doc: WorkspaceDoc, workspace: SharedWorkspace, message: string) => {
    await workspace.commit(message, authorOf(caller));
    return records.change(caller.tenantId, doc._id, await workspace.measure());
  };

  const takeSnapshot = async (
    caller: Caller,
    doc: WorkspaceDoc,
    workspace: SharedWorkspace,
    { label, runId }: { label: string; runId: number | null },
  ) => {
    const { headSha, sizeBytes, fileCount } = await settle(caller, doc, workspace, label);
    const sha = headSha as string;
    const snapshot = await records.addSnapshot(caller.tenantId, {
      workspaceId: doc._id,
      label,
      sha,
      fileCount,
      sizeBytes,
      runId,
      createdByName: caller.name,
    });
    await workspace.mark(`snapshot-${snapshot._id}`, sha);
    return snapshot;
  };

  const findSnapshot = async (caller: Caller, workspaceId: number, id: number) => {
    const snapshot = await records.snapshotsOf(caller.tenantId).findOne({ _id: id, workspaceId });
    if (snapshot) return snapshot;
    throw new Fault('NOT_FOUND', `Workspace ${workspaceId} has no snapshot ${id}.`, {
      hint: `They are listed by GET /api/workspaces/${workspaceId}.`,
    });
  };

  return {
    list: async ({ caller, query }) => {
      const sort = sortOf<WorkspaceDoc>(query.sort ?? '-createdAtUtc');
      const filter = { ...visibleTo<WorkspaceDoc>(caller), ...toFilter(query), ...records.present };
      const page = await pageOf(records.of(caller.tenantId), { ...query, filter, sort });
      const ids = page.items.map((doc) => doc._id);
      const runs = ids.length > 0 ? await deps.activeRuns(caller.tenantId, ids) : [];
      const countOf = (id: number) => runs.filter((run) => run.workspaceId === id).length;
      return toPage(
        page.items.map((doc) => toWorkspaceDto(doc, countOf(doc._id))),
        page.totalCount,
        query,
      );
    },
    create: async ({ caller, body }) => {
      const doc = await records.insert(caller.tenantId, await draft(caller, body));
      if (doc.state === 'Preparing') {
        void deps.keeper.clone(doc);
        return toWorkspaceDto(doc, 0);
      }
      try {
        const workspace = await files.open(doc._id, doc.quotaBytes);
        const made = { ...(await workspace.measure()), rootPath: workspace.rootPath };
        return toWorkspaceDto(await records.change(caller.tenantId, doc._id, made), 0);
      } catch (error) {
        await records.remove(caller.tenantId, doc._id);
        throw error;
      }
    },
    get: async ({ caller, params }) => {
      const doc = await find(caller, params.id);
      if (doc.state !== 'Ready') return detail(caller, doc);
      // A finished run may have brought its work in.
      const now = await (await files.open(doc._id, doc.quotaBytes)).measure();
      return detail(caller, now.headSha === doc.headSha ? doc : await records.change(caller.tenantId, doc._id, now));
    },
    patch: async ({ caller, params, body }) => {
      const { expiresAtUtc, ...fields } = body;
      const doc = await find(caller, params.id);
      const change = {
        ...fields,
        ...(expiresAtUtc === undefined ? {} : { expiresAt: expiry(expiresAtUtc) }),
      } as Partial<WorkspaceDoc>;
      const changed = await records.change(caller.tenantId, doc._id, change);
      const renewed = expiresAtUtc !== undefined && doc.state === 'Expired' && (await records.move(changed, 'renew'));
      return shown(caller, renewed || changed);
    },
    remove: async ({ caller, params, body }) => {
      const doc = await find(caller, params.id);
      const runs = await deps.activeRuns(caller.tenantId, [doc._id]);
      if (runs.length > 0 && !body?.force)
        throw new Fault('IN_USE', `${runs.length} runs use workspace ${doc._id}.`, {
          hint: 'Wait for them or cancel them, or delete with force, which cancels them.',
        });
      for (const run of runs) await deps.cancelRun(run.id, `Workspace ${doc._id} was deleted.`);
      await deps.keeper.remove(doc);
      return null;
    },
    listFiles: async ({ caller, params, query }) => {
      const { workspace } = await open(caller, params.id);
      const recursive = query.recursive ?? query.glob !== undefined;
      return workspace.list({ path: query.path ?? '', recursive, glob: query.glob });
    },
    read: async ({ caller, params, query }) => {
      const { workspace } = await open(caller, params.id);
      if (query.snapshotId === undefined) return workspace.readText(query.path, query.maxBytes);
      const { sha, createdAt } = await findSnapshot(caller, params.id, query.snapshotId);
      const text = await workspace.readTextAt(sha, query.path, query.maxBytes);
      return { ...text, modifiedAtUtc: createdAt.toISOString() };
    },
    write: async ({ caller, params, body }) => {
      const { path, text, base64, expectedEtag } = body;
      const { doc, workspace } = await open(caller, params.id, true);
      if ((text === undefined) === (base64 === undefined))
        throw new Fault('VALIDATION_FAILED', 'A file is written as text or as base64.', {
          hint: 'Give exactly one of text and base64.',
        });
      const written = await workspace.write(path, text ?? Buffer.from(base64 as string, 'base64'), expectedEtag);
      await settle(caller, doc, workspace, `Write ${written.path}`);
      return written;
    },
    removeFile: async ({ caller, params, body }) => {
      const { doc, workspace } = await open(caller, params.id, true);
      await workspace.remove(body.path, body.recursive ?? false);
      await settle(caller, doc, workspace, `Delete ${body.path}`);
      return null;
    },
    snapshot: async ({ caller, params, body }) => {
      const { doc, workspace } = await open(caller, params.id);
      const runId = body.runId ?? null;
      if (runId !== null && (await deps.findRun(caller, runId)).workspaceId !== doc._id)
        throw new Fault('VALIDATION_FAILED', `Run ${runId} does not work in workspace ${doc._id}.`, {
          hint: 'Leave runId out, or name a run of this workspace.',
        });
      return toSnapshotDto(await takeSnapshot(caller, doc, workspace, { label: body.label, runId }));
    },
    restore: async ({ caller, params, body }) => {
      const doc = await find(caller, params.id);
      if (doc.state !== 'Failed') requireUsable(doc, clock.now(), true);
      const { sha, label } = await findSnapshot(caller, doc._id, params.snapshotId);
      const workspace = await files.open(doc._id, doc.quotaBytes);
      if (body?.snapshotCurrent)
        await takeSnapshot(caller, doc, workspace, { label: `Before restoring ${label}`.slice(0, 200), runId: null });
      if (!(await records.move(doc, 'restore')))
        throw new Fault('CONFLICT', `Workspace ${doc._id} is being changed.`, { hint: 'Try again in a moment.' });
      try {
        await workspace.restore(sha, authorOf(caller));
      } catch (error) {
        const lastError = error instanceof Error ? error.message : String(error);
        await records.move(doc, 'restoreFailed', { lastError });
        throw error;
      }
      const restored = await records.move(doc, 'restored', await workspace.measure());
      return detail(caller, restored ?? (await find(caller, doc._id)));
    },
  };
});

function toFilter(query: {
  projectId?: number | undefined;
  kind?: WorkspaceDoc['kind'] | undefined;
  q?: string | undefined;
}): Filter<WorkspaceDoc> {
  const text = query.q === undefined ? null : { $regex: contains(query.q), $options: 'i' as const };
  return {
    ...(query.projectId === undefined ? {} : { projectId: query.projectId }),
    ...(query.kind === undefined ? {} : { kind: query.kind }),
    ...(text === null ? {} : { $or: [{ name: text }, { description: text }] }),
  };
}

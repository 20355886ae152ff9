// Serves the files of a workspace and its snapshots: every change is a commit, so that nothing is lost by another.
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { workspaces } from './contract.ts';
import { authorOf, type Inside } from './inside.ts';
import { requireUsable } from './records.ts';
import { toSnapshotDto } from './to-dto.ts';

type Serving<Operation extends keyof (typeof workspaces)['operations']> = Pick<Handlers<typeof workspaces>, Operation>;

export function fileHandlers(inside: Inside): Serving<'listFiles' | 'read' | 'write' | 'removeFile'> {
  return {
    listFiles: async ({ caller, params, query }) => {
      const { workspace } = await inside.open(caller, params.id);
      const recursive = query.recursive ?? query.glob !== undefined;
      return workspace.list({ path: query.path ?? '', recursive, glob: query.glob });
    },
    read: async ({ caller, params, query }) => {
      const { workspace } = await inside.open(caller, params.id);
      if (query.snapshotId === undefined) return workspace.readText(query.path, query.maxBytes);
      const { sha, createdAt } = await inside.findSnapshot(caller, params.id, query.snapshotId);
      const text = await workspace.readTextAt(sha, query.path, query.maxBytes);
      return { ...text, modifiedAtUtc: createdAt.toISOString() };
    },
    write: async ({ caller, params, body }) => {
      const { path, text, base64, expectedEtag } = body;
      const { doc, workspace } = await inside.open(caller, params.id, true);
      if ((text === undefined) === (base64 === undefined))
        throw new Fault('VALIDATION_FAILED', 'A file is written as text or as base64.', {
          hint: 'Give exactly one of text and base64.',
        });
      const written = await workspace.write(path, text ?? Buffer.from(base64 as string, 'base64'), expectedEtag);
      await inside.settle(caller, doc, workspace, `Write ${written.path}`);
      return written;
    },
    removeFile: async ({ caller, params, body }) => {
      const { doc, workspace } = await inside.open(caller, params.id, true);
      await workspace.remove(body.path, body.recursive ?? false);
      await inside.settle(caller, doc, workspace, `Delete ${body.path}`);
      return null;
    },
  };
}

export function snapshotHandlers(inside: Inside): Serving<'snapshot' | 'restore'> {
  return {
    snapshot: async ({ caller, params, body }) => {
      const { doc, workspace } = await inside.open(caller, params.id);
      const runId = body.runId ?? null;
      if (runId !== null && (await inside.findRun(caller, runId)).workspaceId !== doc._id)
        throw new Fault('VALIDATION_FAILED', `Run ${runId} does not work in workspace ${doc._id}.`, {
          hint: 'Leave runId out, or name a run of this workspace.',
        });
      return toSnapshotDto(await inside.takeSnapshot(caller, doc, workspace, { label: body.label, runId }));
    },
    restore: async ({ caller, params, body }) => {
      const doc = await inside.find(caller, params.id);
      if (doc.state !== 'Failed') requireUsable(doc, inside.clock.now(), true);
      const { sha, label } = await inside.findSnapshot(caller, doc._id, params.snapshotId);
      const workspace = await inside.files.open(doc._id, doc.quotaBytes);
      if (body?.snapshotCurrent)
        await inside.takeSnapshot(caller, doc, workspace, {
          label: `Before restoring ${label}`.slice(0, 200),
          runId: null,
        });
      if (!(await inside.records.move(doc, 'restore')))
        throw new Fault('CONFLICT', `Workspace ${doc._id} is being changed.`, { hint: 'Try again in a moment.' });
      try {
        await workspace.restore(sha, authorOf(caller));
      } catch (error) {
        const lastError = error instanceof Error ? error.message : String(error);
        await inside.records.move(doc, 'restoreFailed', { lastError });
        throw error;
      }
      const restored = await inside.records.move(doc, 'restored', await workspace.measure());
      return inside.detail(caller, restored ?? (await inside.find(caller, doc._id)));
    },
  };
}

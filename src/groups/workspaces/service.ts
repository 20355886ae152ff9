// Serves workspaces: made, shown, changed and removed; what is in them is served beside this.
import type { Caller } from '../../contract/caller.ts';
import { type Input, implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import { visibleInUnits } from '../../ports/org-units.ts';
import { kept } from '../kept.ts';
import { workspaces } from './contract.ts';
import { createDrafts } from './drafts.ts';
import type { WorkspaceDto } from './dto.ts';
import { createExpiry } from './expiry.ts';
import { fileHandlers, snapshotHandlers } from './files.ts';
import { createInside, type InsideDeps } from './inside.ts';
import { present, type WorkspaceDoc } from './records.ts';
import { moves } from './states.ts';
import { toWorkspaceDto } from './to-dto.ts';
import type { WorkspaceUpkeep } from './upkeep.ts';

export interface WorkspacesDeps extends InsideDeps {
  upkeep: Pick<WorkspaceUpkeep, 'clone' | 'remove'>;
  cancelRun: (runId: number, reason: string) => Promise<unknown>;
  /** Says what a clone needs that is checked before it begins: an https URL with a public address. */
  checkUrl: (url: string) => Promise<unknown>;
  units: Pick<UnitsOfTenants, 'require'>;
}

type Body = Input<(typeof workspaces)['operations']['patch']>['body'];

export const workspacesService = implement(workspaces, (deps: WorkspacesDeps) => {
  const { records, files, clock } = deps;
  const inside = createInside(deps);
  const expiry = createExpiry(clock);
  const draft = createDrafts({ clock, expiry, checkUrl: deps.checkUrl, units: deps.units });

  const showAll = async (docs: WorkspaceDoc[], { tenantId }: Caller) => {
    const ids = docs.map((doc) => doc._id);
    const runs = ids.length > 0 ? await deps.activeRuns(tenantId, ids) : [];
    return docs.map((doc) => toWorkspaceDto(doc, runs.filter((run) => run.workspaceId === doc._id).length));
  };

  const change = ({ expiresAtUtc, ...fields }: Body, old: WorkspaceDoc) => ({
    ...fields,
    ...(expiresAtUtc === undefined ? {} : { expiresAt: expiry(expiresAtUtc) }),
    ...(expiresAtUtc !== undefined && old.state === 'Expired' ? { state: moves.renew.to, lastError: null } : {}),
  });

  return {
    ...kept(workspaces, records.keeper, {
      show: async (doc, caller) => (await showAll([doc], caller))[0] as WorkspaceDto,
      showAll,
      mayRead: (caller) => ({ ...present, ...visibleInUnits<WorkspaceDoc>(caller) }),
      draft: (body, caller) => draft(caller, body),
      change: async (body, old) => {
        await deps.units.require(old.tenantId, body.orgUnitId);
        return change(body, old) as Partial<WorkspaceDoc>;
      },
      expecting: ['state', 'removingAt'],
    }),
    ...fileHandlers(inside),
    ...snapshotHandlers(inside),
    create: async ({ caller, body }) => {
      const doc = await records.keeper.insert(caller, await draft(caller, body));
      if (doc.state === 'Preparing') {
        void deps.upkeep.clone(doc);
        return toWorkspaceDto(doc, 0);
      }
      try {
        const workspace = await files.open(doc._id, doc.quotaBytes);
        const made = { ...(await workspace.measure()), rootPath: workspace.rootPath };
        return toWorkspaceDto(await inside.measured(doc, made), 0);
      } catch (error) {
        await records.remove(caller.tenantId, doc._id);
        throw error;
      }
    },
    get: async ({ caller, params }) => {
      const doc = await inside.find(caller, params.id);
      if (doc.state !== 'Ready') return inside.detail(caller, doc);
      // A finished run may have brought its work in.
      const now = await (await files.open(doc._id, doc.quotaBytes)).measure();
      return inside.detail(caller, now.headSha === doc.headSha ? doc : await inside.measured(doc, now));
    },
    remove: async ({ caller, params, body }) => {
      const doc = await inside.find(caller, params.id);
      const runs = await deps.activeRuns(caller.tenantId, [doc._id]);
      if (runs.length > 0 && !body?.force)
        throw new Fault('IN_USE', `${runs.length} runs use workspace ${doc._id}.`, {
          hint: 'Wait for them or cancel them, or delete with force, which cancels them.',
        });
      for (const run of runs) await deps.cancelRun(run.id, `Workspace ${doc._id} was deleted.`);
      await deps.upkeep.remove(doc);
      return null;
    },
  };
});

// Workspaces that runs share: their records, their files, who uses them, and the sweep that keeps them.
import type { RunRecord } from '../../runtime/records.ts';
import { unended } from '../../runtime/state/run.ts';
import { requirePublicHttps } from '../../sandbox/network/public-url.ts';
import type { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import type { Caller } from '../contract/caller.ts';
import { requireUsable, type WorkspaceRecords } from '../groups/workspaces/records.ts';
import { createWorkspaceUpkeep } from '../groups/workspaces/upkeep.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import { requireChangeIn } from '../ports/in-project.ts';
import { notThere } from '../ports/keeper.ts';
import { mayReadInUnit } from '../ports/org-units.ts';
import { createWorkspaceFiles } from '../run-places/workspace-files.ts';
import { runs as runCollection } from '../stores/runs/collections.ts';
import type { Storage } from './storage.ts';

const sweepEveryMs = 60_000;

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
    status: { $in: unended },
  });
  const upkeep = createWorkspaceUpkeep({
    records,
    files,
    clock,
    log,
    runsIn: (tenantId, id) => runs.countDocuments(using(tenantId, [id])),
  });
  const rounds = createRounds({ clock, log });
  rounds.start({ name: 'the workspaces', everyMs: sweepEveryMs, work: () => upkeep.sweep() });
  return {
    records,
    files,
    upkeep,
    checkUrl: (url: string) => requirePublicHttps(url),
    activeRuns: async (tenantId: number, ids: readonly number[]): Promise<RunRecord[]> => {
      const found = await runs.find(using(tenantId, ids), { sort: { _id: -1 }, limit: 1000 }).toArray();
      return storage.runs.runs.many(found.map((run) => run._id));
    },
    /** Refuses a run that could not work in the workspace that it names. */
    requireForRun: async (caller: Caller, id: number): Promise<void> => {
      const doc = await records.get({ tenantId: caller.tenantId }, id);
      if (!mayReadInUnit(caller, doc.orgUnitId)) throw notThere(records.keeper.record, id);
      requireChangeIn(caller, doc.projectId);
      requireUsable(doc, clock.now());
    },
    close: () => rounds.close(),
  };
}
export type OpenWorkspaces = ReturnType<typeof openWorkspaces>;

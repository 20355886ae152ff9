// Finds a run of the caller's tenant, or says that there is none.
import type { RunRecord } from '../../../../runtime/records.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';

export type FindRun = (caller: Caller, id: number) => Promise<RunRecord>;

/** @throws Fault NOT_FOUND for an unknown id and for another tenant's run alike */
export function createFindRun(get: (id: number) => Promise<RunRecord | null>): FindRun {
  return async (caller, id) => {
    const run = await get(id);
    if (!run || run.tenantId !== caller.tenantId)
      throw new Fault('NOT_FOUND', `There is no run ${id}.`, { hint: 'List runs with GET /api/agent/runs.' });
    return run;
  };
}

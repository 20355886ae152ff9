// Finds a run of the caller's tenant, or says that there is none; gives it to the handlers that are about it.
import type { RunRecord } from '../../../../runtime/records.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import { isOpenTo } from '../../../ports/in-project.ts';

export type FindRun = (caller: Caller, id: number) => Promise<RunRecord>;

/**
 * @throws Fault NOT_FOUND for an unknown id, another tenant's run and one of a project that is not the caller's alike;
 *   FORBIDDEN for a change by who may only look
 */
export function createFindRun(get: (id: number, tenantId: number) => Promise<RunRecord | null>): FindRun {
  return async (caller, id) => {
    const run = await get(id, caller.tenantId);
    if (!run || run.tenantId !== caller.tenantId || !isOpenTo(caller, run.projectId)) throw noRun(id);
    return run;
  };
}

export const noRun = (id: number) =>
  new Fault('NOT_FOUND', `There is no run ${id}.`, { hint: 'List runs with GET /api/agent/runs.' });

interface AboutRun {
  caller: Caller;
  params: { runId: number };
}

/**
 * Makes handlers whose operation is about a run: they receive it, found and of the caller's tenant.
 *
 * @example const ofRun = aboutRun(findRun); … list: ofRun(({ run, query }) => …)
 */
export const aboutRun =
  (findRun: FindRun) =>
  <In extends AboutRun, Out>(work: (input: In & { run: RunRecord }) => Out) =>
  async (input: In): Promise<Awaited<Out>> =>
    await work({ ...input, run: await findRun(input.caller, input.params.runId) });

// Lookup of a run that must exist.
import { Fault } from '../../../src/kernel/fault.ts';
import type { RunRecord } from '../../records.ts';
import type { Core } from './core.ts';

/** The run; Fault NOT_FOUND when there is none. */
export async function runOf(core: Core, runId: number): Promise<RunRecord> {
  const run = await core.store.runs.get(runId);
  if (run) return run;
  throw new Fault('NOT_FOUND', `There is no run ${runId}.`, { hint: 'List runs with GET /api/agent/runs.' });
}

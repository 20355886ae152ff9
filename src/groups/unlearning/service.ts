// Takes back what a run wrote, wherever it is kept.
import { hasEnded } from '../../../runtime/state/run.ts';
import type { Acting } from '../../auth/acting.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ledger } from '../../memory/facts/ledger.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import type { Lessons } from '../agent-memories/lessons.ts';
import type { AgentMemoryDoc } from '../agent-memories/record.ts';
import type { GraphBook } from '../graph/book.ts';
import { readFact } from '../graph/facts.ts';
import type { Library } from '../memories/library.ts';
import { unlearning } from './contract.ts';

interface Deps {
  findRun: FindRun;
  acting: Acting;
  library: Library;
  ledger: Pick<Ledger, 'unlearn' | 'version'>;
  graph: GraphBook;
  lessons: Keeper<AgentMemoryDoc>;
  book: Pick<Lessons, 'forget'>;
  indexes: Pick<Indexes, 'scrub'>;
}

export const unlearningService = implement(unlearning, (deps: Deps) => ({
  run: async ({ caller, params: { id } }) => {
    const run = await endedRun(deps, caller, id);
    const taken = await deps.library.unlearn(caller, run.id);
    const factIds = await deps.ledger.unlearn(caller, { sourceRunId: run.id });
    for (const id of factIds) {
      const found = await deps.ledger.version(caller.tenantId, id);
      if (found) await readFact(deps.graph, caller, found.version);
    }
    const agentMemoryIds = await unlearnLessons(deps, caller, run.id);
    await deps.indexes.scrub?.();
    return { runId: run.id, ...taken, factIds, agentMemoryIds };
  },
}));

async function endedRun({ findRun, acting }: Deps, caller: Caller, id: number) {
  const run = await findRun(caller, id);
  await acting.allow(caller, run.identityId);
  // One that is at work would go on with what it has learned, and write it again.
  if (hasEnded(run.status)) return run;
  throw new Fault('INVALID_TRANSITION', `Run ${id} is ${run.status}.`, {
    hint: `Cancel it first with POST /api/agent/runs/${id}/cancel.`,
  });
}

async function unlearnLessons({ lessons, book }: Deps, caller: Caller, runId: number): Promise<number[]> {
  const written = await lessons.of(caller.tenantId).find({ sourceRunId: runId }).toArray();
  const ids = written.map(({ _id }) => _id);
  for (const id of ids) await lessons.remove(caller, id);
  if (ids.length > 0) await book.forget(caller, ids);
  return ids;
}

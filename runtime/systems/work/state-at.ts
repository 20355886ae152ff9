// State of a run as it stood at a checkpoint or after a turn: what a fork begins with.
import { Fault } from '../../../src/kernel/fault.ts';
import type { LogMessage } from '../../message-log.ts';
import type { Checkpoint, RunRecord } from '../../records.ts';
import { withoutOpenCalls } from '../../state/state-edits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';

/** A place in a run: a checkpoint, the end of a turn, or its present state. */
export interface Place {
  checkpointId?: string | null;
  /** State after this turn; 0 is before the first. */
  turn?: number | null;
}

export interface RunState {
  run: RunRecord;
  checkpointId: string | null;
  turn: number;
  /** Time of the state; null for the present one. */
  at: number | null;
  summary: string | null;
  entries: LogMessage[];
  planJson: string | null;
  progressSummary: string | null;
}

/** Limit of the checkpoints and events that are looked at for a turn. */
const mostLookedAt = 1000;

/** State of the run at the place. Fault NOT_FOUND where there is no such place. */
export async function stateAt(core: Core, runId: number, place: Place): Promise<RunState> {
  const run = await runOf(core, runId);
  if (place.checkpointId != null && place.turn != null)
    throw new Fault('VALIDATION_FAILED', 'checkpointId and turn name two places.', { hint: 'Give one of them.' });
  if (place.turn != null) return afterTurn(core, run, place.turn);
  const point = place.checkpointId == null ? null : await core.store.checkpoints.get(runId, place.checkpointId);
  if (place.checkpointId != null && !point) {
    throw new Fault('NOT_FOUND', `Run ${runId} has no checkpoint ${place.checkpointId}.`, {
      hint: `List them with GET /api/agent/runs/${runId}/checkpoints.`,
    });
  }
  const { context, messageCount, planJson, progressSummary } = point ?? run;
  const log = await core.store.runs.messages(runId, context.from, messageCount);
  return {
    ...{ run, planJson, progressSummary },
    checkpointId: point?.id ?? null,
    turn: point?.iteration ?? run.iterationsUsed,
    at: point?.createdAt ?? null,
    summary: context.summary,
    entries: withoutOpenCalls(log),
  };
}

async function afterTurn(core: Core, run: RunRecord, turn: number): Promise<RunState> {
  if (turn > run.iterationsUsed) {
    throw new Fault('NOT_FOUND', `Run ${run.id} has no turn ${turn}.`, {
      hint: `Its turns are 1 to ${run.iterationsUsed}; 0 is the state before the first.`,
    });
  }
  const [whole, points, at] = await Promise.all([
    core.store.runs.messages(run.id, 0, run.messageCount),
    core.store.checkpoints.list(run.id, mostLookedAt),
    endOf(core, run.id, turn),
  ]);
  const end = whole.findLastIndex((entry) => entry.iteration <= turn) + 1;
  const { context, point } = nearest(run, points, end);
  return {
    run,
    checkpointId: point?.id ?? null,
    turn,
    at,
    summary: context.summary,
    entries: withoutOpenCalls(whole.slice(context.from, end)),
    planJson: point?.planJson ?? null,
    progressSummary: point?.progressSummary ?? null,
  };
}

/** The newest checkpoint before the end of the log, and what the model last saw of the log up to there. */
function nearest(run: RunRecord, points: readonly Checkpoint[], end: number) {
  const before = points.filter(({ messageCount }) => messageCount <= end);
  const point = before.reduce<Checkpoint | null>(
    (best, one) => (best && best.messageCount >= one.messageCount ? best : one),
    null,
  );
  const contexts = [run.context, ...points.map(({ context }) => context)].filter(({ from }) => from <= end);
  const context = contexts.reduce((best, one) => (one.from > best.from ? one : best), { summary: null, from: 0 });
  return { point, context };
}

/** Time at which the turn ended; null where its event is gone. */
export async function endOf(core: Core, runId: number, turn: number): Promise<number | null> {
  if (turn === 0) return (await core.store.runs.get(runId))?.createdAt ?? null;
  const ends = await core.store.runs.events(runId, {
    types: ['IterationCompleted'],
    descending: true,
    limit: mostLookedAt,
  });
  return ends.find((event) => event.iteration === turn)?.createdAt ?? null;
}

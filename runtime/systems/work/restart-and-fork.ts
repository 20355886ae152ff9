// Runs that begin from what an earlier one did: restarted, or forked from a checkpoint.
import { Fault } from '../../../src/kernel/fault.ts';
import type { RunRecord } from '../../records.ts';
import type { BreakpointDraft } from '../../state/breakpoints.ts';
import { changeMembers } from '../../state/pool.ts';
import { hasEnded, moveRun, nextStatus, refusal, requireOwn } from '../../state/run.ts';
import { type EditedState, editState, type StateEdits } from '../../state/state-edits.ts';
import { settleDuties } from '../life/duties.ts';
import { firstBreakpoints, freshProgress, newRun, newTree, type RunDraft } from '../life/new-run.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';
import { asAsked, type Keyed, wasAsked } from '../records/keyed-commands.ts';
import { remember } from '../records/known-trees.ts';
import { updateTree } from '../trees/trees.ts';
import { insert, queued } from './creation.ts';
import { editedEvent, editsMade } from './edits-made.ts';
import { endOf, type Place, type RunState, stateAt } from './state-at.ts';

export interface RestartRequest extends Keyed {
  /** True continues from the last checkpoint instead of from the beginning. */
  fromCheckpoint?: boolean;
  goal?: string | null;
  modelId?: string | null;
  maxIterations?: number | null;
  maxTokens?: number | null;
  keepBudgetsUsed?: boolean;
}

/** Restarts an ended run. Its events keep counting; its pool keeps its use. */
export async function restart(core: Core, runId: number, request: RestartRequest): Promise<RunRecord> {
  const run = await runOf(core, runId);
  requireOwn(run, 'restart');
  if (wasAsked(run, request)) return run;
  if (nextStatus(run.status, 'restart') === null) throw refusal(run, 'restart');
  const parent = run.parentRunId === null ? null : await runOf(core, run.parentRunId);
  if (parent && hasEnded(parent.status)) {
    throw new Fault('CONFLICT', `Run ${runId} is a child of run ${parent.id}, which has ended.`, {
      hint: `Restart run ${parent.id}, or fork this one with POST /api/agent/runs/${runId}/fork.`,
    });
  }
  await settleDuties(core, run);
  await updateTree(core, run.rootRunId, (tree) => {
    const members = changeMembers(tree, [runId], () => ({ ended: false, stop: null }));
    return members && { members };
  });
  const point = request.fromCheckpoint ? (await core.store.checkpoints.list(runId, 1))[0] : undefined;
  const committed = await commit(core, runId, (now) => {
    const {
      startedAt: _s,
      iterationsUsed,
      tokensUsed,
      promptTokens,
      completionTokens,
      costUsd,
      writtenOffTokens,
      ...fresh
    } = freshProgress();
    const counters = {
      iterationsUsed,
      tokensUsed,
      promptTokens,
      completionTokens,
      costUsd,
      writtenOffTokens,
      warned: [],
    };
    const move = moveRun(now, 'restart', { now: core.clock.now() });
    return asAsked(now, request, {
      ...move,
      set: {
        ...fresh,
        ...(request.keepBudgetsUsed ? {} : counters),
        context: point
          ? { summary: point.context.summary, from: point.context.from }
          : { summary: null, from: now.messageCount },
        planJson: point?.planJson ?? null,
        progressSummary: point?.progressSummary ?? null,
        goal: request.goal ?? now.goal,
        modelId: request.modelId ?? now.modelId,
        maxIterations: Math.min(request.maxIterations ?? now.maxIterations, now.hardIterationCap),
        maxTokens: request.maxTokens ?? now.maxTokens,
        activeMs: 0,
        activeSince: null,
        restarts: now.restarts + 1,
        inbox: [],
        control: null,
        ...move.set,
      },
    });
  });
  return queued(core, committed!.run);
}

export interface ForkRequest extends Keyed, Place {
  goal?: string | null;
  modelId?: string | null;
  role?: string | null;
  roleDefinitionId?: number | null;
  /** First message for the fork's model. */
  message?: string | null;
  maxIterations?: number | null;
  maxTokens?: number | null;
  autoStart?: boolean;
  edits?: StateEdits | null;
  breakpoints?: readonly BreakpointDraft[] | null;
  /** Name of who asks, for the record of the edits. */
  by?: string | null;
}

/** Creates a root run that continues from a checkpoint or turn of an old one, or from its present state. */
export async function fork(core: Core, runId: number, request: ForkRequest): Promise<RunRecord> {
  const state = await stateAt(core, runId, request);
  const { run: origin } = state;
  requireOwn(origin, 'be forked');
  const changed = editState(state.entries, request.edits ?? {});
  const messages = changed.entries.map(({ message }) => message);
  if (request.edits) requireWork(origin, changed, request);
  const at = changed.dropped > 0 ? await timeOf(core, state, changed) : state.at;
  const id = await core.ids.next('run');
  const draft: RunDraft = {
    ...origin,
    goal: request.goal ?? origin.goal,
    modelId: request.modelId ?? origin.modelId,
    role: request.role ?? origin.role,
    ...(request.role == null ? {} : { roleDefinitionId: request.roleDefinitionId ?? null }),
    maxIterations: request.maxIterations ?? origin.maxIterations,
    maxTokens: request.maxTokens ?? origin.maxTokens,
  };
  const limits = await core.limits?.of(origin);
  await core.limits?.admit?.(origin.tenantId);
  const run = newRun(core, id, draft, { rootRunId: id, parentRunId: null, spawnDepth: 0 }, limits);
  const end = changed.entries.at(-1);
  const length = end && (request.turn != null || changed.dropped > 0) ? end.index + 1 : origin.messageCount;
  run.forkedFrom = { runId, checkpointId: request.checkpointId ?? `${runId}-${origin.restarts}-${length}` };
  const knownAt = at ?? origin.knownAt;
  if (knownAt != null) run.knownAt = knownAt;
  run.context = { summary: request.edits?.summary ?? state.summary, from: 0 };
  run.planJson = state.planJson;
  run.progressSummary = state.progressSummary;
  if (request.message) {
    const item = { key: `fork:${id}`, kind: 'guidance' as const, text: request.message, from: null, at: run.createdAt };
    run.inbox = [item];
  }
  const old = await core.store.trees.get(origin.rootRunId);
  const { defaults } = core.options;
  const budget = {
    iterationBudget: old?.iterationBudget ?? defaults.poolIterationBudget,
    tokenBudget: old?.tokenBudget ?? defaults.poolTokenBudget,
    costBudgetUsd: old?.costBudgetUsd ?? null,
  };
  const tree = { ...newTree(core, run, budget, limits), ...firstBreakpoints(core, run, request) };
  remember(core, await core.store.trees.insert(tree));
  const edited = editsMade(state, changed, request);
  const source = { ...run.forkedFrom, turn: state.turn, ...(at === null ? {} : { at: new Date(at).toISOString() }) };
  const payload = { forkedFrom: source, ...(edited ? { edited } : {}) };
  // The run is stored with all that it begins with: there is no moment at which it has a part of it.
  return insert(core, run, request.autoStart ?? false, payload, {
    messages,
    events: edited ? [editedEvent(runId, edited)] : [],
  });
}

/** Refuses a fork that would end at once, with the answer that it has taken over. */
function requireWork({ id }: RunRecord, { entries }: EditedState, { message }: ForkRequest): void {
  const last = entries.at(-1);
  if (message || last?.message.role !== 'assistant') return;
  throw new Fault('VALIDATION_FAILED', `The state ends with the final answer of run ${id}: nothing is left to do.`, {
    hint: `Give an instruction with message, or leave the answer out with dropFrom ${last.index}.`,
  });
}

/** Time of the turn of the last message that is kept. */
async function timeOf(core: Core, state: RunState, { entries }: EditedState): Promise<number | null> {
  return endOf(core, state.run.id, entries.at(-1)?.iteration ?? 0);
}

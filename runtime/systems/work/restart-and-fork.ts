// Runs that begin from what an earlier one did: restarted, or forked from a checkpoint.
import { Fault } from '../../../src/kernel/fault.ts';
import type { RunRecord } from '../../records.ts';
import { hasEnded, moveRun, nextStatus, refusal } from '../../state/run.ts';
import { settleDuties } from '../life/duties.ts';
import { freshProgress, newRun, newTree, type RunDraft } from '../life/new-run.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { runOf } from '../records/find-run.ts';
import { asAsked, type Keyed, wasAsked } from '../records/keyed-commands.ts';
import { remember } from '../records/known-trees.ts';
import { updateTree } from '../trees/trees.ts';
import { insert, queued, start } from './creation.ts';

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
    const member = tree.members[runId];
    return member ? { members: { ...tree.members, [runId]: { ...member, ended: false, stop: null } } } : null;
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

export interface ForkRequest extends Keyed {
  checkpointId?: string | null;
  goal?: string | null;
  modelId?: string | null;
  /** First message for the fork's model. */
  message?: string | null;
  maxIterations?: number | null;
  maxTokens?: number | null;
  autoStart?: boolean;
}

/** Creates a root run that continues from a checkpoint of an old one, or from its present state. */
export async function fork(core: Core, runId: number, request: ForkRequest): Promise<RunRecord> {
  const origin = await runOf(core, runId);
  const point = request.checkpointId ? await core.store.checkpoints.get(runId, request.checkpointId) : null;
  if (request.checkpointId && !point) {
    throw new Fault('NOT_FOUND', `Run ${runId} has no checkpoint ${request.checkpointId}.`, {
      hint: `List them with GET /api/agent/runs/${runId}/checkpoints.`,
    });
  }
  const context = point?.context ?? origin.context;
  const log = await core.store.runs.messages(runId, context.from, point?.messageCount ?? origin.messageCount);
  const messages = log.map((entry) => entry.message);
  // Calls without a result cannot be continued by another run: they are left out.
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.toolCalls) messages.pop();
  const id = await core.ids.next('run');
  const draft: RunDraft = { ...origin, goal: request.goal ?? origin.goal, modelId: request.modelId ?? origin.modelId };
  if (request.maxIterations) draft.maxIterations = request.maxIterations;
  if (request.maxTokens) draft.maxTokens = request.maxTokens;
  const limits = await core.limits?.of(origin.tenantId);
  const run = newRun(core, id, draft, { rootRunId: id, parentRunId: null, spawnDepth: 0 }, limits);
  run.forkedFrom = { runId, checkpointId: point?.id ?? `${runId}-${origin.restarts}-${origin.messageCount}` };
  const knownAt = point?.createdAt ?? origin.knownAt;
  if (knownAt != null) run.knownAt = knownAt;
  run.context = { summary: context.summary, from: 0 };
  run.planJson = point?.planJson ?? origin.planJson;
  run.progressSummary = point?.progressSummary ?? origin.progressSummary;
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
  const tree = newTree(core, run, budget, limits);
  remember(core, await core.store.trees.insert(tree));
  const created = await insert(core, run, false, { forkedFrom: run.forkedFrom });
  if (messages.length > 0) await commit(core, id, (now) => (now.messageCount > 0 ? null : { messages }));
  return (request.autoStart ?? false) ? start(core, created.id, { key: request.key ?? null }) : runOf(core, id);
}

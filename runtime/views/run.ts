// Runs and events as the interface shows them (AgentRunDto, AgentEventDto, RunBudgetDto …), times as ISO 8601 text.
import { isoTime } from '../../src/kernel/iso-time.ts';
import type { AgentEvent, Checkpoint, RunRecord } from '../records.ts';
import { rollUp } from '../state/pool.ts';
import { activeTime } from '../state/run.ts';
import { shortageOf } from '../state/spent.ts';
import type { TreeRecord } from '../state/tree.ts';

const iso = (at: number | null) => (at === null ? null : isoTime(at));

/** What a run's tree says in its view. Without its tree a run shows its own totals. */
export function treeFigures(
  run: Pick<RunRecord, 'id' | 'tokensUsed' | 'costUsd'>,
  tree: TreeRecord | null | undefined,
) {
  const total = tree ? rollUp(tree, run.id) : { tokens: run.tokensUsed, costUsd: run.costUsd };
  return {
    poolIterationBudget: tree?.iterationBudget ?? 0,
    poolIterationsUsed: tree?.iterationsUsed ?? 0,
    poolTokenBudget: tree?.tokenBudget ?? 0,
    poolTokensUsed: tree?.tokensUsed ?? 0,
    totalTokensWithChildren: total.tokens,
    totalCostWithChildren: total.costUsd,
    childRunCount: tree ? tree.members.childrenOf(run.id).length : 0,
    poolCostBudgetUsd: tree?.costBudgetUsd ?? null,
    poolCostUsedUsd: tree?.costUsd ?? 0,
  };
}

/** The interface's AgentRunDto; `runViewText` makes the same in JSON. */
export function runView(run: RunRecord, tree: TreeRecord | null | undefined) {
  const figures = treeFigures(run, tree);
  return {
    id: run.id,
    guid: run.guid,
    projectId: run.projectId,
    taskId: run.taskId,
    taskTitle: run.taskTitle,
    identityId: run.identityId,
    identityName: run.identityName,
    role: run.role,
    toolProfileName: run.toolProfileName,
    roleDefinitionId: run.roleDefinitionId,
    modelId: run.modelId,
    reasoningEffort: run.reasoningEffort,
    parentRunId: run.parentRunId,
    sandboxContainerId: run.sandboxContainerId,
    reviewBranch: run.reviewBranch,
    reviewBaseSha: run.reviewBaseSha,
    reviewWorktreePath: run.reviewWorktreePath,
    spawnDepth: run.spawnDepth,
    goal: run.goal,
    status: run.status,
    failureReason: run.failureReason,
    startedAtUtc: iso(run.startedAt),
    completedAtUtc: iso(run.completedAt),
    progressSummary: run.progressSummary,
    staleStepCount: run.staleStepCount,
    maxIterations: run.maxIterations,
    maxTokens: run.maxTokens,
    maxWallClockMs: run.maxWallClockMs,
    iterationsUsed: run.iterationsUsed,
    tokensUsed: run.tokensUsed,
    contextBudgetTokens: run.contextBudgetTokens,
    contextUsedTokens: run.contextUsedTokens,
    poolIterationBudget: figures.poolIterationBudget,
    poolIterationsUsed: figures.poolIterationsUsed,
    poolTokenBudget: figures.poolTokenBudget,
    poolTokensUsed: figures.poolTokensUsed,
    treeDeadlineUtc: iso(run.treeDeadlineAt),
    promptTokens: run.promptTokens,
    completionTokens: run.completionTokens,
    costUsd: run.costUsd,
    totalTokensWithChildren: figures.totalTokensWithChildren,
    totalCostWithChildren: figures.totalCostWithChildren,
    outputPath: run.outputPath,
    contractDeliverable: run.contractDeliverable,
    contractDestination: run.contractDestination,
    interactionThreadId: run.interactionThreadId,
    childRunCount: figures.childRunCount,
    eventCount: run.eventCount,
    createdAtUtc: isoTime(run.createdAt),
    poolCostBudgetUsd: figures.poolCostBudgetUsd,
    poolCostUsedUsd: figures.poolCostUsedUsd,
    activeMs: run.activeMs,
    activeSinceUtc: iso(run.activeSince),
    exhaustedBy: exhaustedBy(run, tree ?? null),
    importedAtUtc: iso(run.importedAt ?? null),
  };
}

/** Limit that keeps a run from continuing, with its present figures; null for none. */
const exhaustedBy = (run: RunRecord, tree: TreeRecord | null) =>
  run.status === 'BudgetExhausted' && run.spentLimit ? shortageOf(run.spentLimit, run, tree) : null;

export type RunView = ReturnType<typeof runView>;

/** The interface's AgentEventDto. */
export function eventView(event: AgentEvent) {
  return {
    id: event.id,
    guid: event.guid,
    runId: event.runId,
    rootRunId: event.rootRunId,
    parentRunId: event.parentRunId,
    seq: event.seq,
    type: event.type,
    level: event.level,
    iteration: event.iteration,
    title: event.title,
    message: event.message,
    toolName: event.toolName,
    toolCallId: event.toolCallId,
    modelId: event.modelId,
    promptTokens: event.promptTokens,
    completionTokens: event.completionTokens,
    costUsd: event.costUsd,
    durationMs: event.durationMs,
    payloadJson: event.payloadJson,
    createdAtUtc: isoTime(event.createdAt),
  };
}
export type EventView = ReturnType<typeof eventView>;

/** The interface's RunDeltaDto. */
export interface DeltaView {
  runId: number;
  rootRunId: number;
  iteration: number;
  index: number;
  kind: 'Content' | 'Reasoning' | 'ToolArguments';
  delta: string;
  toolCallId: string | null;
  modelId: string | null;
}

/** The interface's RunTreeQuiescedDto. */
export interface QuiescedView {
  rootRunId: number;
  runCount: number;
  totalTokens: number;
  totalCostUsd: number;
  atUtc: string;
}

/** The interface's AgentCheckpointDto. */
export function checkpointView(checkpoint: Checkpoint) {
  return {
    id: checkpoint.id,
    runId: checkpoint.runId,
    iteration: checkpoint.iteration,
    status: checkpoint.status,
    tokensUsed: checkpoint.tokensUsed,
    costUsd: checkpoint.costUsd,
    summary: checkpoint.summary,
    commitSha: checkpoint.commitSha,
    sizeBytes: checkpoint.sizeBytes,
    createdAtUtc: isoTime(checkpoint.createdAt),
  };
}

/** The interface's RunBudgetDto. */
export function budgetView(run: RunRecord, tree: TreeRecord | null | undefined, steady: number) {
  const total = tree ? rollUp(tree, run.id) : { costUsd: run.costUsd };
  return {
    runId: run.id,
    status: run.status,
    iterationsUsed: run.iterationsUsed,
    maxIterations: run.maxIterations,
    tokensUsed: run.tokensUsed,
    maxTokens: run.maxTokens,
    contextUsedTokens: run.contextUsedTokens,
    contextBudgetTokens: run.contextBudgetTokens,
    poolIterationsUsed: tree?.iterationsUsed ?? 0,
    poolIterationBudget: tree?.iterationBudget ?? 0,
    poolTokensUsed: tree?.tokensUsed ?? 0,
    poolTokenBudget: tree?.tokenBudget ?? 0,
    costUsd: run.costUsd,
    totalCostWithChildren: total.costUsd,
    elapsedMs: activeTime(run, steady),
    maxWallClockMs: run.maxWallClockMs,
    treeDeadlineUtc: iso(run.treeDeadlineAt),
  };
}
export type BudgetView = ReturnType<typeof budgetView>;

// Initial records of a run and its tree.
import { randomUUID } from 'node:crypto';
import type { RunRecord, RunSpec } from '../../records.ts';
import { type BreakpointDraft, breakpointOf } from '../../state/breakpoints.ts';
import { Members, type TreeMember } from '../../state/members.ts';
import { least } from '../../state/pool.ts';
import type { TenantLimits } from '../../state/tenant-limits.ts';
import type { TreeRecord } from '../../state/tree.ts';
import type { Core } from '../records/core.ts';

export interface RunDraft extends Partial<RunSpec> {
  tenantId: number;
  goal: string;
  identityId: number;
  poolIterationBudget?: number | null;
  poolTokenBudget?: number | null;
  /** US dollars for the whole tree; no limit when absent. */
  poolCostBudgetUsd?: number | null;
  treeDeadlineAt?: number | null;
  autoStart?: boolean;
  idempotencyKey?: string | null;
  /** Digest of the request that the key comes with. */
  askedDigest?: string;
  /** Who begins it as a task of MCP. */
  mcpOwner?: string;
  breakpoints?: readonly BreakpointDraft[] | null;
  /** Name of who creates it, for the record of its breakpoints. */
  by?: string | null;
}

/** Fields that are neither null nor undefined. */
export const given = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null)) as Partial<T>;

/** A tree of one run, with its pool, within the tenant's limits. */
export function newTree(
  core: Core,
  run: RunRecord,
  budget: Pick<TreeRecord, 'iterationBudget' | 'tokenBudget' | 'costBudgetUsd'>,
  limits: TenantLimits | undefined,
): TreeRecord {
  const root = {
    parent: null,
    depth: 0,
    identityId: run.identityId,
    key: null,
    stop: null,
    ended: false,
    active: false,
    tokens: 0,
    costUsd: 0,
  };
  return {
    id: run.id,
    tenantId: run.tenantId,
    version: 1,
    ...budget,
    costBudgetUsd: least(budget.costBudgetUsd, limits?.maxRunCostUsd ?? null),
    iterationsUsed: 0,
    tokensUsed: 0,
    costUsd: 0,
    deadlineAt: run.treeDeadlineAt,
    holds: {},
    members: Members.of({ [run.id]: root }),
    maxMembers: core.options.maxTreeRuns,
    maxDepth: limits?.maxSpawnDepth ?? core.options.maxSpawnDepth,
    warned: [],
    stopping: [],
    quiescedAt: null,
  };
}

/** Breakpoints that a root run is created with, each once. */
export function firstBreakpoints(
  core: Core,
  run: RunRecord,
  { breakpoints, by }: Pick<RunDraft, 'breakpoints' | 'by'>,
): Pick<TreeRecord, 'breakpoints'> {
  if (!breakpoints || breakpoints.length === 0) return {};
  const all = breakpoints.map((one) => breakpointOf(run.id, one, by ?? null, core.clock.now()));
  return { breakpoints: [...new Map(all.map((one) => [one.id, one])).values()] };
}

/** A pending run before any work. */
export function newRun(
  core: Core,
  id: number,
  draft: RunDraft,
  place: Pick<RunRecord, 'rootRunId' | 'parentRunId' | 'spawnDepth'>,
  limits?: TenantLimits,
): RunRecord {
  const now = core.clock.now();
  return {
    id,
    guid: randomUUID(),
    tenantId: draft.tenantId,
    version: 0,
    ...place,
    idempotencyKey: null,
    forkedFrom: null,
    ...(core.tracing && { traceparent: core.tracing.parent() }),
    createdAt: now,
    updatedAt: now,
    ...specOf(core, draft, limits),
    ...freshProgress(),
    ...atRest(),
    status: 'Pending',
    runnableSince: now,
    unfinished: true,
  };
}

/** Fields of a run that nothing has been asked of. */
export const atRest = () => ({
  restarts: 0,
  owner: null,
  fence: 0,
  runnable: false,
  control: null,
  inbox: [],
  seen: [],
  settlements: [],
  duties: [],
  eventCount: 0,
  publishedSeq: 0,
  messageCount: 0,
  lastCheckpointAt: null,
  escalated: false,
  activeMs: 0,
  activeSince: null,
  deadlineAt: null,
  treeDeadlineAt: null,
  sandboxContainerId: null,
  reviewBranch: null,
  reviewBaseSha: null,
  reviewWorktreePath: null,
});

type Rested = keyof ReturnType<typeof atRest> | keyof ReturnType<typeof freshProgress>;
type Beside = 'version' | 'idempotencyKey' | 'forkedFrom' | 'runnableSince' | 'unfinished' | 'publishedSeq';
/** What is known of a run that ended on another server. */
export type PastRun = Omit<RunRecord, Rested | Beside> & Partial<Pick<RunRecord, Rested>> & { importedAt: number };

/** A run that ended elsewhere: nothing of it is left to do, and all that it told is told. */
export const pastRun = (past: PastRun): RunRecord => ({
  ...freshProgress(),
  ...atRest(),
  ...past,
  version: 1,
  idempotencyKey: null,
  forkedFrom: null,
  runnableSince: past.createdAt,
  unfinished: false,
  publishedSeq: past.eventCount ?? 0,
});

/** Its place in its tree. */
export const pastMember = (run: RunRecord): TreeMember => ({
  parent: run.parentRunId,
  depth: run.spawnDepth,
  identityId: run.identityId,
  key: null,
  stop: null,
  ended: true,
  active: false,
  tokens: run.tokensUsed,
  costUsd: run.costUsd,
});

/** The tree of a root that ended elsewhere, with what its pool had and used there. */
export const pastTree = (
  root: RunRecord,
  pool: Pick<
    TreeRecord,
    'iterationBudget' | 'iterationsUsed' | 'tokenBudget' | 'tokensUsed' | 'costBudgetUsd' | 'costUsd'
  >,
): TreeRecord => ({
  ...pool,
  id: root.id,
  tenantId: root.tenantId,
  version: 1,
  deadlineAt: null,
  holds: {},
  members: Members.of({ [root.id]: pastMember(root) }),
  maxMembers: 0,
  maxDepth: 0,
  warned: [],
  stopping: [],
  quiescedAt: root.updatedAt,
});

function specOf(core: Core, draft: RunDraft, limits: TenantLimits | undefined): RunSpec {
  const { defaults } = core.options;
  const hardIterationCap = draft.hardIterationCap ?? defaults.hardIterationCap;
  return {
    goal: draft.goal,
    projectId: draft.projectId ?? null,
    taskId: draft.taskId ?? null,
    taskTitle: draft.taskTitle ?? null,
    identityId: draft.identityId,
    identityName: draft.identityName ?? null,
    role: draft.role ?? '',
    roleDefinitionId: draft.roleDefinitionId ?? null,
    toolProfileName: draft.toolProfileName ?? null,
    modelId: draft.modelId ?? null,
    reasoningEffort: draft.reasoningEffort ?? null,
    maxIterations: Math.min(draft.maxIterations ?? defaults.maxIterations, hardIterationCap),
    maxTokens: draft.maxTokens ?? defaults.maxTokens,
    maxWallClockMs: Math.min(
      draft.maxWallClockMs ?? defaults.maxWallClockMs,
      limits?.maxRunWallClockMs ?? Number.POSITIVE_INFINITY,
    ),
    contextBudgetTokens: draft.contextBudgetTokens ?? defaults.contextBudgetTokens,
    hardIterationCap,
    environmentJson: draft.environmentJson ?? null,
    outputPath: draft.outputPath ?? null,
    contractDeliverable: draft.contractDeliverable ?? null,
    contractDestination: draft.contractDestination ?? null,
    requestToolDebrief: draft.requestToolDebrief ?? false,
    workspaceId: draft.workspaceId ?? null,
    interactionThreadId: draft.interactionThreadId ?? null,
    startedByUserId: draft.startedByUserId ?? null,
    tags: draft.tags ?? [],
    failurePolicy: draft.failurePolicy ?? 'report',
  };
}

/** Fields of a run before its first turn. */
export const freshProgress = () => ({
  startedAt: null,
  completedAt: null,
  failureReason: null,
  progressSummary: null,
  planJson: null,
  result: null,
  staleStepCount: 0,
  iterationsUsed: 0,
  tokensUsed: 0,
  promptTokens: 0,
  completionTokens: 0,
  costUsd: 0,
  contextUsedTokens: 0,
  writtenOffTokens: 0,
  exhausted: null,
  spentLimit: null,
  warned: [],
  crashes: 0,
  arrived: [],
  waiting: [],
  modelCall: null,
  context: { summary: null, from: 0 },
  recentCalls: [],
  idleTurns: 0,
  modelFailures: 0,
  turnOpen: false,
  handover: null,
});

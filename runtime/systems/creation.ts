// How runs come to be: created, spawned by a parent, forked from a checkpoint, started and started again.
import { randomUUID } from 'node:crypto';
import { Fault } from '../../src/kernel/fault.ts';
import type { RunChange } from '../ports.ts';
import type { EventDraft, RunRecord, RunSpec, TreeRecord } from '../records.ts';
import { admit } from '../state/pool.ts';
import { hasEnded, moveRun, nextStatus, refusal } from '../state/run.ts';
import { announce } from './announce.ts';
import type { Bag } from './bag.ts';
import { commit } from './commits.ts';
import { settleDuties } from './endings.ts';
import { runOf } from './lookup.ts';
import { remember, updateTree } from './trees.ts';

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
}

/** Creates a root run with the tree it may grow. The same idempotency key gives the same run. */
export async function create(bag: Bag, draft: RunDraft): Promise<RunRecord> {
  const id = await bag.ids.next('run');
  const { defaults } = bag.options;
  const run = newRun(bag, id, draft, { rootRunId: id, parentRunId: null, spawnDepth: 0 });
  run.treeDeadlineAt = draft.treeDeadlineAt ?? null;
  run.idempotencyKey = draft.idempotencyKey ?? null;
  run.deadlineAt = run.treeDeadlineAt;
  const tree = newTree(bag, run, {
    iterationBudget: draft.poolIterationBudget ?? Math.max(defaults.poolIterationBudget, run.maxIterations),
    tokenBudget: draft.poolTokenBudget ?? Math.max(defaults.poolTokenBudget, run.maxTokens),
    costBudgetUsd: draft.poolCostBudgetUsd ?? null,
  });
  remember(bag, await bag.store.trees.insert(tree));
  return insert(bag, run, draft.autoStart ?? false, { by: 'create' });
}

export interface ChildDraft extends Partial<RunSpec> {
  goal: string;
  autoStart?: boolean;
  /** The same key gives the same child. */
  key?: string | null;
}

/** Creates a child of a run within the limits of its tree. Faults SPAWN_DEPTH_EXCEEDED, SWARM_CEILING_REACHED. */
export async function spawn(bag: Bag, parentRunId: number, draft: ChildDraft): Promise<RunRecord> {
  const parent = await runOf(bag, parentRunId);
  if (hasEnded(parent.status)) throw refusal(parent, 'spawn children');
  const staffed = await bag.staffing?.specOf(parent, given(draft));
  const childRunId = await bag.ids.next('run');
  let answer: ReturnType<typeof admit> = { ok: false, why: 'stopped' };
  const request = {
    parentRunId,
    childRunId,
    identityId: draft.identityId ?? parent.identityId,
    key: draft.key ?? null,
  };
  const tree = await updateTree(bag, parent.rootRunId, (now) => {
    answer = admit(now, request);
    return answer.ok && Object.keys(answer.set).length > 0 ? answer.set : null;
  });
  const admitted = answer as ReturnType<typeof admit>;
  if (!admitted.ok) throw await refuseSpawn(bag, parent, admitted.why, tree ?? bag.trees.get(parent.rootRunId) ?? null);
  const inherited: RunDraft = {
    ...inheritedSpec(parent, draft),
    ...staffed,
    ...given(draft),
    tenantId: parent.tenantId,
    identityId: request.identityId,
    goal: draft.goal,
  };
  const place = { rootRunId: parent.rootRunId, parentRunId, spawnDepth: admitted.depth };
  const child = newRun(bag, admitted.childRunId, inherited, place);
  child.treeDeadlineAt = parent.treeDeadlineAt;
  child.deadlineAt = parent.treeDeadlineAt;
  const stored = await insert(bag, child, draft.autoStart ?? true, { parentRunId });
  await commit(bag, parentRunId, (now) => {
    const mark = `spawned:${stored.id}`;
    if (now.seen.includes(mark)) return null;
    const event: EventDraft = {
      type: 'ChildSpawned',
      title: `Child run ${stored.id}`,
      message: stored.goal.slice(0, 500),
      payload: { runId: stored.id },
    };
    return { set: { seen: [...now.seen, mark] }, events: [event] };
  });
  return stored;
}

async function refuseSpawn(
  bag: Bag,
  parent: RunRecord,
  why: 'stopped' | 'depth' | 'ceiling',
  tree: TreeRecord | null,
): Promise<Fault> {
  const fault =
    why === 'depth'
      ? new Fault(
          'SPAWN_DEPTH_EXCEEDED',
          `Run ${parent.id} is at depth ${parent.spawnDepth}; ${tree?.maxDepth ?? 'no'} is the most.`,
          {
            hint: 'Do the work in this run, or let its parent spawn.',
          },
        )
      : why === 'ceiling'
        ? new Fault(
            'SWARM_CEILING_REACHED',
            `The tree of run ${parent.rootRunId} has ${tree?.maxMembers ?? 'as many'} live runs, which is the most.`,
            {
              hint: 'Join children with run_join first, then spawn.',
            },
          )
        : refusal(parent, 'spawn children, since it was asked to stop');
  await commit(bag, parent.id, () => ({
    events: [{ type: 'SpawnRefused', level: 'Warning', title: fault.code, message: fault.message }],
  }));
  return fault;
}

const inheritedSpec = (parent: RunRecord, draft: ChildDraft): Partial<RunSpec> => ({
  projectId: parent.projectId,
  taskId: parent.taskId,
  taskTitle: parent.taskTitle,
  // Another identity or role brings its own name and definition.
  identityName: (draft.identityId ?? parent.identityId) === parent.identityId ? parent.identityName : null,
  role: parent.role,
  roleDefinitionId: (draft.role ?? parent.role) === parent.role ? parent.roleDefinitionId : null,
  toolProfileName: parent.toolProfileName,
  modelId: parent.modelId,
  reasoningEffort: parent.reasoningEffort,
  contextBudgetTokens: parent.contextBudgetTokens,
  workspaceId: parent.workspaceId,
  startedByUserId: parent.startedByUserId,
});

/** The fields that were given: neither null nor undefined. */
export const given = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== null)) as Partial<T>;

async function insert(bag: Bag, run: RunRecord, autoStart: boolean, payload: unknown): Promise<RunRecord> {
  const events: EventDraft[] = [{ type: 'RunCreated', title: 'Created', message: run.goal.slice(0, 2000), payload }];
  const change: RunChange = { events };
  if (autoStart) {
    const move = moveRun(run, 'start', { now: run.createdAt });
    change.set = move.set;
    change.events = [...events, ...(move.events ?? [])];
  }
  const committed = await bag.store.runs.insert(run, change);
  if (!committed.existed) await announce(bag, null, committed);
  if (committed.run.runnable) {
    bag.wake(committed.run.id, run.tenantId, run.rootRunId);
    bag.signals?.send({ kind: 'queued', runId: committed.run.id, rootRunId: run.rootRunId });
  }
  return committed.run;
}

function newTree(
  bag: Bag,
  run: RunRecord,
  budget: Pick<TreeRecord, 'iterationBudget' | 'tokenBudget' | 'costBudgetUsd'>,
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
    iterationsUsed: 0,
    tokensUsed: 0,
    costUsd: 0,
    deadlineAt: run.treeDeadlineAt,
    holds: {},
    members: { [run.id]: root },
    maxMembers: bag.options.maxTreeRuns,
    maxDepth: bag.options.maxSpawnDepth,
    warned: [],
    stopping: [],
    quiescedAt: null,
  };
}

function newRun(
  bag: Bag,
  id: number,
  draft: RunDraft,
  place: Pick<RunRecord, 'rootRunId' | 'parentRunId' | 'spawnDepth'>,
): RunRecord {
  const now = bag.clock.now();
  return {
    id,
    guid: randomUUID(),
    tenantId: draft.tenantId,
    version: 0,
    ...place,
    idempotencyKey: null,
    forkedFrom: null,
    createdAt: now,
    updatedAt: now,
    ...specOf(bag, draft),
    ...freshProgress(),
    restarts: 0,
    status: 'Pending',
    owner: null,
    fence: 0,
    runnable: false,
    runnableSince: now,
    control: null,
    inbox: [],
    seen: [],
    settlements: [],
    duties: [],
    unfinished: true,
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
  };
}

function specOf(bag: Bag, draft: RunDraft): RunSpec {
  const { defaults } = bag.options;
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
    maxWallClockMs: draft.maxWallClockMs ?? defaults.maxWallClockMs,
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

/** What a run has before its first turn. */
const freshProgress = () => ({
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
});

export type StartOverrides = Partial<Pick<RunSpec, 'modelId' | 'maxIterations' | 'maxTokens' | 'maxWallClockMs'>>;

/** Queues a pending run. */
export async function start(bag: Bag, runId: number, overrides: StartOverrides): Promise<RunRecord> {
  await runOf(bag, runId);
  const committed = await commit(bag, runId, (run) => {
    const changed = { ...run, ...given(overrides) };
    changed.maxIterations = Math.min(changed.maxIterations, run.hardIterationCap);
    const { modelId, maxIterations, maxTokens, maxWallClockMs } = changed;
    const move = moveRun(changed, 'start', { now: bag.clock.now() });
    return { ...move, set: { modelId, maxIterations, maxTokens, maxWallClockMs, ...move.set } };
  });
  return queued(bag, committed!.run);
}

export interface RestartRequest {
  /** Goes on from the last checkpoint instead of from the beginning. */
  fromCheckpoint?: boolean;
  goal?: string | null;
  modelId?: string | null;
  maxIterations?: number | null;
  maxTokens?: number | null;
  keepBudgetsUsed?: boolean;
}

/** Runs an ended run again. Its events go on counting; its pool keeps what was used. */
export async function restart(bag: Bag, runId: number, request: RestartRequest): Promise<RunRecord> {
  const run = await runOf(bag, runId);
  if (nextStatus(run.status, 'restart') === null) throw refusal(run, 'restart');
  const parent = run.parentRunId === null ? null : await runOf(bag, run.parentRunId);
  if (parent && hasEnded(parent.status)) {
    throw new Fault('CONFLICT', `Run ${runId} is a child of run ${parent.id}, which has ended.`, {
      hint: `Restart run ${parent.id}, or fork this one with POST /api/agent/runs/${runId}/fork.`,
    });
  }
  await settleDuties(bag, run);
  await updateTree(bag, run.rootRunId, (tree) => {
    const member = tree.members[runId];
    return member ? { members: { ...tree.members, [runId]: { ...member, ended: false, stop: null } } } : null;
  });
  const point = request.fromCheckpoint ? (await bag.store.checkpoints.list(runId, 1))[0] : undefined;
  const committed = await commit(bag, runId, (now) => {
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
    const move = moveRun({ ...now, activeMs: 0, activeSince: null }, 'restart', { now: bag.clock.now() });
    return {
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
        restarts: now.restarts + 1,
        inbox: [],
        control: null,
        ...move.set,
      },
    };
  });
  return queued(bag, committed!.run);
}

export interface ForkRequest {
  checkpointId?: string | null;
  goal?: string | null;
  modelId?: string | null;
  /** Put before the model as the fork's first message. */
  message?: string | null;
  maxIterations?: number | null;
  maxTokens?: number | null;
  autoStart?: boolean;
}

/** A new root run that goes on from a checkpoint of an old one, or from its present state. */
export async function fork(bag: Bag, runId: number, request: ForkRequest): Promise<RunRecord> {
  const origin = await runOf(bag, runId);
  const point = request.checkpointId ? await bag.store.checkpoints.get(runId, request.checkpointId) : null;
  if (request.checkpointId && !point) {
    throw new Fault('NOT_FOUND', `Run ${runId} has no checkpoint ${request.checkpointId}.`, {
      hint: `List them with GET /api/agent/runs/${runId}/checkpoints.`,
    });
  }
  const context = point?.context ?? origin.context;
  const log = await bag.store.runs.messages(runId, context.from, point?.messageCount ?? origin.messageCount);
  const messages = log.map((entry) => entry.message);
  // A call without its result cannot be continued by another run: it is left out.
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.toolCalls) messages.pop();
  const id = await bag.ids.next('run');
  const draft: RunDraft = { ...origin, goal: request.goal ?? origin.goal, modelId: request.modelId ?? origin.modelId };
  if (request.maxIterations) draft.maxIterations = request.maxIterations;
  if (request.maxTokens) draft.maxTokens = request.maxTokens;
  const run = newRun(bag, id, draft, { rootRunId: id, parentRunId: null, spawnDepth: 0 });
  run.forkedFrom = { runId, checkpointId: point?.id ?? `${runId}-${origin.restarts}-${origin.messageCount}` };
  run.context = { summary: context.summary, from: 0 };
  run.planJson = point?.planJson ?? origin.planJson;
  run.progressSummary = point?.progressSummary ?? origin.progressSummary;
  if (request.message) {
    const item = { key: `fork:${id}`, kind: 'guidance' as const, text: request.message, from: null, at: run.createdAt };
    run.inbox = [item];
  }
  const old = await bag.store.trees.get(origin.rootRunId);
  const { defaults } = bag.options;
  const tree = newTree(bag, run, {
    iterationBudget: old?.iterationBudget ?? defaults.poolIterationBudget,
    tokenBudget: old?.tokenBudget ?? defaults.poolTokenBudget,
    costBudgetUsd: old?.costBudgetUsd ?? null,
  });
  remember(bag, await bag.store.trees.insert(tree));
  const created = await insert(bag, run, false, { forkedFrom: run.forkedFrom });
  if (messages.length > 0) await commit(bag, id, (now) => (now.messageCount > 0 ? null : { messages }));
  return (request.autoStart ?? false) ? start(bag, created.id, {}) : runOf(bag, id);
}

function queued(bag: Bag, run: RunRecord): RunRecord {
  bag.wake(run.id, run.tenantId, run.rootRunId);
  bag.signals?.send({ kind: 'queued', runId: run.id, rootRunId: run.rootRunId });
  return run;
}

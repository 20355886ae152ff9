// Documents of runs of three turns, in their true shape: the run, its tree, and its logs.
import { randomUUID } from 'node:crypto';
import type { RunRecord, RunStatus } from '../../runtime/records.ts';
import type { TreeMember } from '../../runtime/state/members.ts';
import { atRest, freshProgress } from '../../runtime/systems/life/new-run.ts';
import { inOrderOfView } from '../../runtime/views/run-text.ts';
import { scoreOf } from '../../src/groups/agent/feedback/feedback.ts';
import type { StoredEvent } from '../../src/ports/event-store.ts';
import type * as spec from '../../src/stores/runs/collections.ts';
import { models, type Place, pick, ratedEvery, ratingOf, roles, subjects, text, verbs } from './places.ts';

function statusOf(id: number): RunStatus {
  const share = id % 100;
  if (share < 88) return 'Completed';
  if (share < 94) return 'Failed';
  if (share < 97) return 'Cancelled';
  return share < 99 ? 'TimedOut' : 'Pending';
}

/** What was asked of a run. */
function askedOf({ id, rootRunId, at, ...owner }: Place) {
  const parentRunId = rootRunId === id ? null : rootRunId;
  return {
    guid: randomUUID(),
    tenantId: owner.tenantId,
    version: 12,
    rootRunId,
    parentRunId,
    spawnDepth: parentRunId === null ? 0 : 1,
    idempotencyKey: null,
    forkedFrom: null,
    createdAt: at,
    updatedAt: at + 9000,
    goal: `${pick(verbs, id, 1)} ${pick(subjects, id, 2)}, case ${id}, and say what would make it twice as good.`,
    projectId: id % 3 === 0 ? null : 1 + (id % 5),
    taskId: null,
    taskTitle: null,
    identityId: owner.identityId,
    identityName: 'admin',
    role: pick(roles, id, 3),
    roleDefinitionId: null,
    toolProfileName: null,
    modelId: pick(models, id, 4),
    reasoningEffort: null,
    maxIterations: 40,
    maxTokens: 400_000,
    maxWallClockMs: 3_600_000,
    contextBudgetTokens: 100_000,
    hardIterationCap: 200,
    environmentJson: null,
    outputPath: null,
    contractDeliverable: null,
    contractDestination: null,
    requestToolDebrief: false,
    workspaceId: null,
    interactionThreadId: null,
    startedByUserId: owner.userId,
    tags: [],
    failurePolicy: 'report',
  } satisfies Partial<RunRecord>;
}

/** What has become of it. */
function outcomeOf({ id, children, at }: Place) {
  const status = statusOf(id);
  const began = status !== 'Pending';
  const turns = began ? 3 : 0;
  return {
    ...freshProgress(),
    ...atRest(),
    status,
    startedAt: began ? at + 50 : null,
    completedAt: began ? at + 9000 : null,
    progressSummary: began ? text(2) : null,
    planJson: began
      ? JSON.stringify({ steps: ['read', 'change', 'test'].map((title) => ({ title, done: true })) })
      : null,
    result: status === 'Completed' ? { summary: text(4), deliverable: null } : null,
    iterationsUsed: turns,
    tokensUsed: turns * (3000 + (id % 500)),
    promptTokens: turns * 2700,
    completionTokens: turns * 300,
    costUsd: turns * 0.0011 * (1 + (id % 7)),
    contextUsedTokens: 3400,
    fence: 1,
    runnableSince: at,
    seen: children.map((child) => `child:${child}`),
    unfinished: false,
    eventCount: eventsARun(turns),
    publishedSeq: eventsARun(turns),
    messageCount: 1 + 2 * turns,
    lastCheckpointAt: began ? at + 9000 : null,
    activeMs: began ? 8000 + (id % 1000) : 0,
  } satisfies Partial<RunRecord>;
}

export function runDocument(place: Place): spec.RunDocument {
  const { id } = place;
  const record: Omit<RunRecord, 'id'> = { ...askedOf(place), ...outcomeOf(place) };
  const rated = id % ratedEvery === 0 ? { ratings: 1, ratingSum: scoreOf(ratingOf(id)) } : {};
  return inOrderOfView({ _id: id, ...record, outbox: null, dirty: false, ...rated });
}

const eventsARun = (turns: number) => 3 + 8 * turns;

export function treeDocument({ id, children, at, tenantId, identityId }: Place): spec.TreeDocument {
  const member = (parent: number | null): TreeMember => ({
    parent,
    depth: parent === null ? 0 : 1,
    identityId,
    key: null,
    stop: null,
    ended: true,
    active: false,
    tokens: 9000,
    costUsd: 0.0033,
  });
  const members = Object.fromEntries([[id, member(null)], ...children.map((child) => [child, member(id)])]);
  return {
    _id: id,
    tenantId,
    version: 12,
    iterationBudget: 200,
    iterationsUsed: 3 * (1 + children.length),
    tokenBudget: 2_000_000,
    tokensUsed: 9000 * (1 + children.length),
    costBudgetUsd: null,
    costUsd: 0.0033 * (1 + children.length),
    deadlineAt: null,
    holds: {},
    members,
    maxMembers: 1000,
    maxDepth: 5,
    warned: [],
    stopping: [],
    quiescedAt: at + 9000,
    isStopping: false,
  };
}

const eventTypes = [
  'IterationStarted',
  'ModelCallStarted',
  'ModelCallCompleted',
  'ToolCallStarted',
  'ToolCallCompleted',
  'ProgressUpdated',
  'StatusChanged',
  'IterationCompleted',
] as const;

export function eventDocuments(run: spec.RunDocument, firstId: number): spec.EventDocument[] {
  return Array.from({ length: run.eventCount }, (_, at) => ({
    _id: firstId + at,
    guid: randomUUID(),
    tenantId: run.tenantId,
    runId: run._id,
    rootRunId: run.rootRunId,
    parentRunId: run.parentRunId,
    seq: at + 1,
    type: at === 0 ? 'RunCreated' : eventTypes[at % eventTypes.length]!,
    level: 'Information',
    iteration: Math.floor(at / 8),
    title: 'file_read src/build.ts',
    message: at % 4 === 0 ? text(1) : null,
    toolName: at % 8 === 3 ? 'file_read' : null,
    toolCallId: null,
    modelId: run.modelId,
    promptTokens: null,
    completionTokens: null,
    costUsd: null,
    durationMs: 120,
    payloadJson: at % 4 === 1 ? '{"path":"src/build.ts","lines":120}' : null,
    createdAt: run.createdAt + 100 * at,
  }));
}

export function messageDocuments(run: spec.RunDocument): spec.MessageDocument[] {
  return Array.from({ length: run.messageCount }, (_, index) => ({
    _id: `${run._id}:${index}`,
    runId: run._id,
    index,
    iteration: Math.ceil(index / 2),
    body: JSON.stringify({ role: index % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text: text(4) }] }),
  }));
}

export function toolCallDocuments(run: spec.RunDocument): spec.ToolCallDocument[] {
  return Array.from({ length: run.iterationsUsed }, (_, turn) => ({
    _id: `${run._id}:${2 * turn + 1}.0`,
    key: `${2 * turn + 1}.0`,
    callId: `call_${run._id}_${turn}`,
    name: 'file_read',
    argumentsJson: '{"path":"src/build.ts"}',
    state: 'Succeeded',
    result: text(3),
    isError: false,
    startedAt: run.createdAt,
    finishedAt: run.createdAt + 20,
    runId: run._id,
    messageIndex: 2 * turn + 1,
    position: 0,
    version: 3,
  }));
}

export function checkpointDocument(run: spec.RunDocument): spec.CheckpointDocument {
  return {
    _id: `${run._id}-end`,
    runId: run._id,
    iteration: run.iterationsUsed,
    status: run.status,
    tokensUsed: run.tokensUsed,
    costUsd: run.costUsd,
    summary: 'The end.',
    commitSha: null,
    sizeBytes: 0,
    createdAt: run.updatedAt,
    messageCount: run.messageCount,
    context: { summary: null, from: 0 },
    planJson: run.planJson,
    progressSummary: run.progressSummary,
  };
}

/** What of a run's events is in its stream; the rest of the true number would only take longer to write. */
export function streamEvents(run: spec.RunDocument, count: number): StoredEvent[] {
  const body = JSON.stringify({ runId: run._id, title: 'file_read src/build.ts', message: text(1), payloadJson: '{}' });
  return Array.from({ length: Math.min(count, run.eventCount) }, (_, at) => ({
    key: `${run.tenantId}/run:${run._id}`,
    gen: 1,
    seq: at + 1,
    type: 'run.event',
    at: run.createdAt + 100 * at,
    body,
  }));
}

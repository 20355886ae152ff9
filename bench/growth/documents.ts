// Documents of a server that has lived for a while, in their true shape: runs of three turns with all that belongs to them.
import { randomUUID } from 'node:crypto';
import type { RunRecord, RunStatus } from '../../runtime/records.ts';
import type { TreeMember } from '../../runtime/state/tree.ts';
import { freshProgress } from '../../runtime/systems/life/new-run.ts';
import { type FeedbackDoc, scoreOf } from '../../src/groups/agent/feedback/feedback.ts';
import type { NoteDoc } from '../../src/groups/agent/notes/notes.ts';
import type { ChatMessageDoc, ChatSessionDoc } from '../../src/groups/chat/documents.ts';
import { type CallDoc, sumsOfCall } from '../../src/ports/ai-router.ts';
import type { StoredEvent } from '../../src/ports/event-store.ts';
import type * as spec from '../../src/stores/runs/collections.ts';

/** Whom everything belongs to. */
export interface Owner {
  tenantId: number;
  identityId: number;
  userId: number;
}

/** Where a run stands among those that are made: its number, its tree and when it was created. */
export interface Place extends Owner {
  id: number;
  rootRunId: number;
  /** Ids of the runs below it. */
  children: readonly number[];
  at: number;
}

const models = ['openai:gpt-5-mini', 'openai:gpt-5', 'anthropic:claude-haiku-4-5', 'ollama:qwen3'];
const roles = ['worker', 'researcher', 'coder', 'reviewer', 'planner', 'supervisor'];
const subjects = ['the nightly build', 'the invoice import', 'the search index', 'the release notes', 'the login page'];
const verbs = ['Find out what slows', 'Write tests for', 'Summarise the open questions about', 'Repair', 'Review'];
const text = (words: number) => 'It read the files, changed two lines and ran the tests again. '.repeat(words);

/** The same number gives the same choice; neighbours differ. */
const pick = <T>(list: readonly T[], seed: number, salt: number): T =>
  list[(Math.imul(seed + salt, 2654435761) >>> 8) % list.length]!;

/** One in so many runs is rated. */
export const ratedEvery = 20;
const ratingOf = (runId: number) => (runId % 3 === 0 ? 'Good' : 'Excellent');

function statusOf(id: number): RunStatus {
  const share = id % 100;
  if (share < 88) return 'Completed';
  if (share < 94) return 'Failed';
  if (share < 97) return 'Cancelled';
  return share < 99 ? 'TimedOut' : 'Pending';
}

export function runDocument({ id, rootRunId, children, at, ...owner }: Place): spec.RunDocument {
  const status = statusOf(id);
  const began = status !== 'Pending';
  const parentRunId = rootRunId === id ? null : rootRunId;
  const turns = began ? 3 : 0;
  const record: Omit<RunRecord, 'id'> = {
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
    ...freshProgress(),
    restarts: 0,
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
    owner: null,
    fence: 1,
    runnable: false,
    runnableSince: at,
    control: null,
    inbox: [],
    seen: children.map((child) => `child:${child}`),
    settlements: [],
    duties: [],
    unfinished: false,
    eventCount: eventsARun(turns),
    publishedSeq: eventsARun(turns),
    messageCount: 1 + 2 * turns,
    lastCheckpointAt: began ? at + 9000 : null,
    escalated: false,
    activeMs: began ? 8000 + (id % 1000) : 0,
    activeSince: null,
    deadlineAt: null,
    treeDeadlineAt: null,
    sandboxContainerId: null,
    reviewBranch: null,
    reviewBaseSha: null,
    reviewWorktreePath: null,
  };
  const rated = id % ratedEvery === 0 ? { ratings: 1, ratingSum: scoreOf(ratingOf(id)) } : {};
  return { _id: id, ...record, outbox: null, dirty: false, ...rated };
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

export function callDocuments(run: spec.RunDocument, firstId: number): CallDoc[] {
  return Array.from({ length: run.iterationsUsed }, (_, turn) => {
    const startedAt = new Date(run.createdAt + 2000 * turn);
    const latencyMs = 400 + ((run._id * 37 + turn * 911) % 4000);
    const modelId = run.modelId ?? models[0]!;
    const attempt = { attempt: 1, providerId: 1, providerName: 'openai', keyId: null, modelId } as const;
    const answer = { status: 'Succeeded', httpStatus: 200, latencyMs, timeToFirstTokenMs: 300 } as const;
    const attempts = [{ ...attempt, ...answer, error: null, startedAt }];
    return {
      _id: firstId + turn,
      guid: randomUUID(),
      tenantId: run.tenantId,
      purpose: 'Run',
      status: run._id % 40 === 0 ? 'Failed' : 'Succeeded',
      routeId: null,
      routeName: null,
      providerId: 1,
      providerName: 'openai',
      modelId,
      attemptCount: 1,
      promptTokens: 2700,
      completionTokens: 300,
      cacheReadTokens: 1200,
      costUsd: run.costUsd / 3,
      latencyMs,
      timeToFirstTokenMs: latencyMs / 4,
      finishReason: 'stop',
      errorCode: null,
      identityId: run.identityId,
      userId: null,
      runId: run._id,
      chatSessionId: null,
      projectId: run.projectId,
      role: run.role,
      attempts,
      ...sumsOfCall({ attempts, latencyMs, timeToFirstTokenMs: latencyMs / 4 }),
      decisionJson: '{"requested":"auto","chosen":"openai:gpt-5-mini","candidates":[]}',
      sealedRequest: null,
      sealedResponse: null,
      createdAt: new Date(run.createdAt + 2000 * turn),
      promptsUntil: null,
    } satisfies CallDoc;
  });
}

export const noteDocument = (run: spec.RunDocument, id: number): NoteDoc => ({
  _id: id,
  guid: randomUUID(),
  tenantId: run.tenantId,
  runId: run._id,
  taskId: null,
  type: 'Finding',
  content: text(1),
  key: `call:${id}`,
  createdAt: new Date(run.createdAt + 500),
});

export const feedbackDocument = (run: spec.RunDocument, id: number): FeedbackDoc => ({
  _id: id,
  tenantId: run.tenantId,
  runId: run._id,
  runCreatedAt: run.createdAt,
  rating: ratingOf(run._id),
  notes: null,
  ratedBy: 'admin',
  ratedByUserId: run.startedByUserId,
  createdAt: new Date(run.updatedAt),
});

export function escalationDocument(run: spec.RunDocument, id: number): spec.EscalationDocument {
  return {
    _id: id,
    guid: randomUUID(),
    tenantId: run.tenantId,
    version: 3,
    runId: run._id,
    rootRunId: run.rootRunId,
    projectId: run.projectId,
    identityId: run.identityId,
    taskId: null,
    situation: 'May the tests be run against the staging system?',
    optionsJson: '["yes","no"]',
    supervisorRecommendation: null,
    confidence: 0.7,
    kind: 'question',
    urgency: 'Normal',
    status: 'Resolved',
    resolutionMode: 'Human',
    decision: 'yes',
    decidedBy: 'admin',
    decisionNotes: null,
    argumentsJson: null,
    toolCallKey: null,
    toolName: null,
    answersCallKey: '3.0',
    chatSessionId: null,
    approvalThreadId: null,
    revisionRoundsUsed: 0,
    maxRevisionRounds: 3,
    timeoutAt: run.createdAt + 3_600_000,
    timeoutAction: 'KeepWaiting',
    notificationState: 'Sent',
    notificationDetail: null,
    rememberAsRule: false,
    questionKey: `question:${id}`,
    delivered: true,
    createdAt: run.createdAt + 1000,
    resolvedAt: run.createdAt + 4000,
    closed: true,
  };
}

export function chatDocuments(
  owner: Owner,
  at: number,
  id: number,
  firstMessage: number,
): { session: ChatSessionDoc; messages: ChatMessageDoc[] } {
  const usage = { promptTokens: 900, completionTokens: 120, cacheReadTokens: 0, costUsd: 0.0004 };
  const messages = Array.from({ length: 4 }, (_, turn) => ({
    _id: firstMessage + turn,
    tenantId: owner.tenantId,
    sessionId: id,
    parentId: turn === 0 ? null : firstMessage + turn - 1,
    role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
    state: 'Complete' as const,
    content: text(3),
    reasoning: null,
    reasoningEffort: null,
    modelId: turn % 2 === 0 ? null : models[0]!,
    attachments: [],
    steps: turn % 2 === 0 ? [] : [{ text: text(3), reasoning: '', toolCalls: [], providerState: null }],
    options: {},
    usage: turn % 2 === 0 ? { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, costUsd: 0 } : usage,
    responseTimeMs: 900,
    toolCallId: null,
    toolName: null,
    error: null,
    truncated: false,
    hidden: false,
    summary: null,
    index: 3,
    startedAt: at,
    stopRequested: false,
    idempotencyKey: null,
    createdAt: at + turn * 1000,
    feedback: null,
  }));
  return {
    session: {
      _id: id,
      guid: randomUUID(),
      tenantId: owner.tenantId,
      userId: owner.userId,
      ownerIdentityId: null,
      identityId: null,
      projectId: null,
      aboutRunId: null,
      title: `About ${pick(subjects, id, 7)}`,
      titled: true,
      clientId: randomUUID(),
      modelId: 'auto',
      reasoningEffort: null,
      systemPrompt: null,
      enabledTools: null,
      hydrate: false,
      isPinned: false,
      archived: false,
      activeMessageId: firstMessage + 3,
      messageCount: 4,
      totalTokens: 2040,
      generation: null,
      fence: 2,
      createdAt: at,
      updatedAt: at + 4000,
      deletedAt: null,
    },
    messages,
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

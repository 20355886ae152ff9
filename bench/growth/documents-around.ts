// Documents around runs: recorded calls, notes, ratings, escalations and chats.
import { randomUUID } from 'node:crypto';
import type { FeedbackDoc } from '../../src/groups/agent/feedback/feedback.ts';
import type { NoteDoc } from '../../src/groups/agent/notes/notes.ts';
import type { ChatMessageDoc, ChatSessionDoc } from '../../src/groups/chat/documents.ts';
import { type CallDoc, sumsOfCall } from '../../src/ports/ai-router.ts';
import type * as spec from '../../src/stores/runs/collections.ts';
import { models, type Owner, pick, ratingOf, subjects, text } from './places.ts';

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
    held: false,
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

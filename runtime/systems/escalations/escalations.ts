// Escalations of a run or a chat: raised, published, notified, and submitted again after a revision.
import { randomUUID } from 'node:crypto';
import type { ToolCallRecord } from '../../message-log.ts';
import type { RunChange, ToolDefinition, ToolQuestion, ToolSpec } from '../../ports.ts';
import type { EventDraft, RunRecord, Waiting } from '../../records.ts';
import {
  type EscalationRecord,
  escalationClosed,
  hasOutcome,
  isBreakpoint,
  moveEscalation,
} from '../../state/escalation.ts';
import { moveRun, nextStatus, refusal } from '../../state/run.ts';
import { commit, commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { changeEscalation, emitEscalation } from '../records/escalation-records.ts';
import { asAsked, type Keyed, wasAsked } from '../records/keyed-commands.ts';
import { deliver } from './decisions.ts';
import { hold } from './held.ts';
import { answerAgain, questionKey } from './remembered.ts';

export interface EscalationDraft extends Keyed {
  situation: string;
  optionsJson?: string | null;
  formJson?: string;
  taskId?: number | null;
  kind?: string | null;
  urgency?: EscalationRecord['urgency'];
  confidence?: number | null;
  supervisorRecommendation?: string | null;
  maxRevisionRounds?: number | null;
  timeoutAt?: number | null;
  timeoutAction?: EscalationRecord['timeoutAction'];
  toolCallKey?: string | null;
  toolName?: string | null;
  argumentsJson?: string | null;
  /** No supervisor looks at it. */
  needsPerson?: boolean;
  /** The escalation does not time out, whatever the tenant's setting. */
  waitsForEver?: boolean;
  /** Node whose connection it hangs on, and the time until which that waits. */
  held?: { by: string; until: number };
}

/** Stores an escalation of a run and publishes it. The same tool call gets the same escalation again. */
export async function raise(core: Core, run: RunRecord, draft: EscalationDraft): Promise<EscalationRecord> {
  if (draft.toolCallKey) {
    const earlier = (await core.store.escalations.ofRun(run.id)).find(
      (one) => one.toolCallKey === draft.toolCallKey && one.status !== 'Withdrawn',
    );
    if (earlier) return takenOver(core, earlier, draft);
  }
  const asked = newEscalation(core, run, draft, await core.ids.next('escalation'));
  // A breakpoint stops each call that comes to it.
  const stored = isBreakpoint(asked) ? asked : await answerAgain(core, asked);
  const escalation = await core.store.escalations.insert(stored);
  emitEscalation(core, { ...escalation, status: asked.status }, 'escalation.raised');
  if (escalation.status !== asked.status) emitEscalation(core, escalation, 'escalation.resolved');
  return escalation;
}

/** A question that hung on a connection of a process that died hangs on that of the one which asks it again. */
async function takenOver(core: Core, earlier: EscalationRecord, { held }: EscalationDraft): Promise<EscalationRecord> {
  if (!held || earlier.heldBy === held.by) return earlier;
  const change = { heldBy: held.by, timeoutAt: held.until };
  return (await changeEscalation(core, earlier.id, (now) => (escalationClosed(now.status) ? null : change))) ?? earlier;
}

/** The escalation raised earlier with this key. */
async function raisedWith(core: Core, runId: number, { key }: Keyed): Promise<EscalationRecord | null> {
  if (key == null) return null;
  return (await core.store.escalations.ofRun(runId)).find((one) => one.askedKey === key) ?? null;
}

/** Asker of an escalation: the fields that it stores. */
interface Asker {
  tenantId: number;
  id: number | null;
  rootRunId: number | null;
  projectId: number | null;
  identityId: number | null;
  taskId: number | null;
}

/** Timeout and its action: the question's own, else the tenant's. */
function timeoutOf(core: Core, { tenantId }: Asker, draft: EscalationDraft, createdAt: number) {
  if (draft.waitsForEver) return { timeoutAt: null, timeoutAction: 'KeepWaiting' } as const;
  const ofTenant = draft.timeoutAt == null ? core.limits?.escalationTimeout(tenantId) : null;
  const { held } = draft;
  if (held && !(ofTenant && createdAt + ofTenant.afterMs < held.until))
    return { timeoutAt: held.until, timeoutAction: 'Proceed' } as const;
  if (ofTenant) return { timeoutAt: createdAt + ofTenant.afterMs, timeoutAction: ofTenant.action };
  return {
    timeoutAt: draft.timeoutAt ?? null,
    timeoutAction: draft.timeoutAction ?? (draft.supervisorRecommendation ? 'UseRecommendation' : 'KeepWaiting'),
  } as const;
}

function newEscalation(core: Core, run: Asker, draft: EscalationDraft, id: number): EscalationRecord {
  const createdAt = core.clock.now();
  const question = {
    identityId: run.identityId,
    kind: draft.kind ?? null,
    toolName: draft.toolName ?? null,
    situation: draft.situation,
    optionsJson: draft.optionsJson ?? null,
    argumentsJson: draft.argumentsJson ?? null,
  };
  return {
    ...question,
    ...(draft.key == null ? {} : { askedKey: draft.key }),
    questionKey: questionKey(question),
    id,
    guid: randomUUID(),
    tenantId: run.tenantId,
    version: 1,
    runId: run.id,
    rootRunId: run.rootRunId,
    projectId: run.projectId,
    taskId: draft.taskId ?? run.taskId,
    supervisorRecommendation: draft.supervisorRecommendation ?? null,
    confidence: draft.confidence ?? 0,
    urgency: draft.urgency ?? 'Normal',
    status:
      core.live.get(run.id ?? 0)?.briefing?.supervisor && draft.toolCallKey && !draft.needsPerson
        ? 'SupervisorReview'
        : 'AwaitingHuman',
    resolutionMode: null,
    decision: null,
    decidedBy: null,
    decisionNotes: null,
    toolCallKey: draft.toolCallKey ?? null,
    answersCallKey: draft.toolCallKey ?? null,
    chatSessionId: null,
    approvalThreadId: null,
    revisionRoundsUsed: 0,
    maxRevisionRounds: draft.maxRevisionRounds ?? 3,
    ...timeoutOf(core, run, draft, createdAt),
    ...(draft.held && { heldBy: draft.held.by }),
    ...(draft.formJson !== undefined && { formJson: draft.formJson }),
    ...(draft.needsPerson && { needsPerson: true as const }),
    notificationState: core.notifier ? 'Pending' : 'NotRequired',
    notificationDetail: null,
    rememberAsRule: false,
    delivered: false,
    createdAt,
    resolvedAt: null,
  };
}

export interface ChatQuestion {
  /** Id from `nextEscalationId`. */
  escalationId: number;
  tenantId: number;
  chatSessionId: number;
  projectId: number | null;
  identityId: number | null;
  callKey: string;
  tool: ToolSpec;
  argumentsJson: string;
  /** What the tool asks; absent where the call itself needs an approval. */
  asks?: ToolQuestion;
}

/** Raises the approval of a chat's tool call, or what it asks. The chat's user sees it at once, so nobody is notified. */
export async function askForChat(core: Core, question: ChatQuestion): Promise<EscalationRecord> {
  const { tenantId, projectId, identityId, callKey, tool, argumentsJson, asks } = question;
  const asker = { tenantId, projectId, identityId, id: null, rootRunId: null, taskId: null };
  const draft = asks
    ? questionDraft(core, tool, callKey, asks)
    : approvalDraft(tool, { key: callKey, argumentsJson }, `${tool.displayName} needs an approval.`);
  const escalation = await core.store.escalations.insert({
    ...newEscalation(core, asker, draft, question.escalationId),
    chatSessionId: question.chatSessionId,
    maxRevisionRounds: 0,
    notificationState: 'NotRequired',
  });
  emitEscalation(core, escalation, 'escalation.raised');
  if (asks?.held) hold(core, escalation, asks.held);
  return escalation;
}

/** Draft of what a call asks a person. */
function questionDraft(core: Core, { name }: ToolSpec, toolCallKey: string, question: ToolQuestion): EscalationDraft {
  const { kind, situation, options, formJson, held, needsPerson = false } = question;
  return {
    ...{ kind, situation, optionsJson: JSON.stringify(options), toolName: name, maxRevisionRounds: 0 },
    ...{ toolCallKey, needsPerson, ...(formJson !== undefined && { formJson }) },
    ...(held && { held: { by: core.node, until: held.until } }),
  };
}

/** Draft of the approval of one tool call. */
export function approvalDraft(
  tool: ToolSpec,
  { key, argumentsJson }: Pick<ToolCallRecord, 'key' | 'argumentsJson'>,
  reason: string,
): EscalationDraft {
  return {
    situation: `${tool.displayName}: ${reason}\n${argumentsJson.slice(0, 8000)}`,
    kind: 'toolApproval',
    optionsJson: JSON.stringify(['approve', 'reject']),
    urgency: tool.risk === 'Dangerous' ? 'High' : 'Normal',
    toolCallKey: key,
    toolName: tool.name,
    argumentsJson,
  };
}

/** Event of the run that raised an escalation. */
export const raisedEvent = (escalation: EscalationRecord): EventDraft => ({
  type: 'EscalationRaised',
  level: 'Warning',
  title: escalation.kind ?? 'Escalation',
  message: escalation.situation,
  payload: { escalationId: escalation.id, urgency: escalation.urgency },
});

/** Raises the approval of one tool call; a call that revises an earlier one goes to the same escalation. */
export async function approvalOf(
  core: Core,
  live: LiveRun,
  tool: ToolDefinition,
  record: ToolCallRecord,
  reason: string,
): Promise<Waiting> {
  const draft = approvalDraft(tool, record, reason);
  const revised = await submitRevision(core, live.run, { toolName: tool.name, situation: draft.situation, record });
  const escalation = revised ?? (await raise(core, live.run, draft));
  return askApproval(core, live, record, { escalation, reason });
}

/** Stores that a call waits for its approval. */
export async function askApproval(
  core: Core,
  live: LiveRun,
  record: ToolCallRecord,
  { escalation, reason }: { escalation: EscalationRecord; reason: string },
): Promise<Extract<Waiting, { for: 'decision' }>> {
  await commitOwned(core, live, () => ({
    set: { escalated: true },
    toolCalls: [{ ...record, state: 'AwaitingApproval' }],
    events: [
      {
        type: 'ToolApprovalRequested',
        level: 'Warning',
        title: record.name,
        message: reason,
        toolName: record.name,
        toolCallId: record.callId,
        payload: { escalationId: escalation.id, argumentsJson: record.argumentsJson },
      },
    ],
  }));
  return { for: 'decision', callKey: record.key, escalationId: escalation.id, decision: null };
}

interface CallQuestion {
  tool: ToolDefinition;
  record: ToolCallRecord;
  question: ToolQuestion;
  /** The call went on with an answer, and asks again. */
  isAnswered: boolean;
}

/** Raises what a call asks of a person. A call that died with its question raises the same one again. */
export async function questionOf(
  core: Core,
  live: LiveRun,
  { tool, record, question, isAnswered }: CallQuestion,
): Promise<Waiting> {
  const { kept, held } = question;
  const round = (record.asked?.round ?? 1) + (isAnswered ? 1 : 0);
  const escalation = await raise(core, live.run, questionDraft(core, tool, `${record.key} ${round}`, question));
  if (held) hold(core, escalation, held);
  await commitOwned(core, live, () => ({
    set: { escalated: true },
    // Not as one that is being made: a crash while nobody has answered leaves nothing in doubt.
    toolCalls: [{ ...record, state: 'Pending', asked: { kept, round } }],
    events: [raisedEvent(escalation)],
  }));
  const wait = { for: 'decision', callKey: record.key, escalationId: escalation.id, decision: null } as const;
  return { ...wait, ...(held && { heldBy: core.node }) };
}

/** Submits the next call of the same tool as the revision of an approval that was sent back. */
async function submitRevision(
  core: Core,
  run: RunRecord,
  { toolName, situation, record }: { toolName: string; situation: string; record: ToolCallRecord },
): Promise<EscalationRecord | null> {
  if (!run.escalated) return null;
  const open = (await core.store.escalations.ofRun(run.id)).find(
    (one) => one.status === 'RevisionRequested' && one.toolName === toolName,
  );
  if (!open) return null;
  return revise(core, open.id, { situation, argumentsJson: record.argumentsJson, toolCallKey: record.key });
}

/** Sends a revised question back to its decider. */
export function revise(
  core: Core,
  id: number,
  change: Pick<EscalationRecord, 'situation'> & Partial<EscalationRecord>,
): Promise<EscalationRecord | null> {
  return changeEscalation(core, id, (now) => ({
    ...change,
    questionKey: questionKey({ ...now, ...change }),
    status: moveEscalation(now.status, 'submit-revision'),
    answersCallKey: change.toolCallKey ?? now.answersCallKey,
    delivered: false,
  }));
}

/** Notifies people of a resting run's questions, and delivers decisions that came first. */
async function afterRaise(core: Core, run: RunRecord): Promise<void> {
  for (const wait of run.waiting) {
    if (wait.for !== 'decision' || wait.decision) continue;
    const escalation = await core.store.escalations.get(wait.escalationId);
    if (!escalation) continue;
    if (hasOutcome(escalation.status)) await deliver(core, escalation);
    else if (escalation.notificationState === 'Pending' && core.notifier) await notify(core, escalation, run);
  }
}

async function notify(core: Core, escalation: EscalationRecord, run: RunRecord): Promise<void> {
  const sent = await core
    .notifier!.escalationRaised(escalation, run)
    .catch((error) => ({ state: 'Failed' as const, detail: (error as Error).message }));
  await changeEscalation(core, escalation.id, () => ({
    notificationState: sent.state,
    notificationDetail: sent.detail,
  }));
}

/** Raises an escalation from outside: the run waits as soon as its present step is over. */
export async function escalateRun(core: Core, run: RunRecord, draft: EscalationDraft): Promise<EscalationRecord> {
  const earlier = wasAsked(run, draft) ? await raisedWith(core, run.id, draft) : null;
  if (earlier) return earlier;
  const open = ['Running', 'Queued', 'WaitingForChildren'];
  if (!open.includes(run.status)) throw refusal(run, 'escalate');
  const escalation = (await raisedWith(core, run.id, draft)) ?? (await raise(core, run, draft));
  const committed = await commit(core, run.id, (now) => {
    if (nextStatus(now.status, 'cancel') === null) return null;
    const wait: Waiting = { for: 'decision', callKey: null, escalationId: escalation.id, decision: null };
    const change = { set: { escalated: true, waiting: [...now.waiting, wait] }, events: [raisedEvent(escalation)] };
    return asAsked(now, draft, change);
  });
  if (!committed)
    await changeEscalation(core, escalation.id, (one) => ({
      status: moveEscalation(one.status, 'withdraw'),
      delivered: true,
    }));
  else await afterRaise(core, committed.run);
  return escalation;
}

/** Raises an escalation for a run that still loops after a warning: a person shall decide. */
export async function raiseStale(core: Core, live: LiveRun): Promise<'rest' | 'go-on'> {
  const escalation = await raise(core, live.run, {
    situation: `The run makes no progress after ${live.run.iterationsUsed} turns. Its goal: ${live.run.goal.slice(0, 2000)}`,
    kind: 'Stale',
    optionsJson: JSON.stringify(['continue', 'stop']),
    urgency: 'High',
    supervisorRecommendation: 'Tell it what to do differently, or cancel it.',
  });
  const wait: Waiting = { for: 'decision', callKey: null, escalationId: escalation.id, decision: null };
  const also = { set: { escalated: true, idleTurns: 0, recentCalls: [] }, events: [raisedEvent(escalation)] };
  return awaitDecision(core, live, 'It makes no progress.', (now) => [...now.waiting, wait], also);
}

/**
 * Brings an owned run to rest until its questions are decided, unless all of them are, or a stop is requested. The wait
 * and the rest are one write: a decision between two writes would find the run at work and leave it at rest for ever.
 */
export async function awaitDecision(
  core: Core,
  live: LiveRun,
  reason: string,
  waitsOf: (now: RunRecord) => Waiting[],
  also: RunChange = {},
): Promise<'rest' | 'go-on'> {
  let rests = true;
  await commitOwned(core, live, (now) => {
    const set = { ...also.set, waiting: waitsOf(now) };
    // A stop that was asked for meanwhile is obeyed by the next step: nobody is at work on a run at rest to do so.
    rests = now.control === null && set.waiting.some((one) => one.for === 'decision' && one.decision === null);
    if (!rests) return { ...also, set };
    const move = moveRun({ ...now, ...set }, 'await-decision', { now: core.clock.now(), reason });
    return { ...also, set: { ...set, ...move.set }, events: [...(also.events ?? []), ...(move.events ?? [])] };
  });
  if (!rests) return 'go-on';
  await afterRaise(core, live.run);
  return 'rest';
}

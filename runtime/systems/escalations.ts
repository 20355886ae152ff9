// Questions of a run to a decider: raised, reviewed, decided once, timed out by policy, and answered to the waiting step.
import { randomUUID } from 'node:crypto';
import { Fault } from '../../src/kernel/fault.ts';
import type { ToolDefinition, ToolSpec } from '../ports.ts';
import type { Decision, EventDraft, RunRecord, ToolCallRecord, Waiting } from '../records.ts';
import { type EscalationRecord, escalationClosed, moveEscalation, type ResolutionMode } from '../state/escalation.ts';
import { hasEnded, moveRun, nextStatus, refusal } from '../state/run.ts';
import type { Bag, LiveRun } from './bag.ts';
import { commit, commitOwned } from './commits.ts';
import { rest, settleDuties } from './endings.ts';
import { changeEscalation, emitEscalation, escalationOf } from './escalation-store.ts';

export interface EscalationDraft {
  situation: string;
  optionsJson?: string | null;
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
}

type DecisionWait = Extract<Waiting, { for: 'decision' }>;

/** Stores an escalation of a run and tells viewers. The same tool call gets the same escalation again. */
export async function raise(bag: Bag, run: RunRecord, draft: EscalationDraft): Promise<EscalationRecord> {
  if (draft.toolCallKey) {
    const earlier = (await bag.store.escalations.ofRun(run.id)).find(
      (one) => one.toolCallKey === draft.toolCallKey && one.status !== 'Withdrawn',
    );
    if (earlier) return earlier;
  }
  const escalation = await bag.store.escalations.insert(
    newEscalation(bag, run, draft, await bag.ids.next('escalation')),
  );
  emitEscalation(bag, escalation, 'escalation.raised');
  return escalation;
}

/** Who asks, as far as an escalation keeps it. */
interface Asker {
  tenantId: number;
  id: number | null;
  rootRunId: number | null;
  projectId: number | null;
  identityId: number | null;
  taskId: number | null;
}

function newEscalation(bag: Bag, run: Asker, draft: EscalationDraft, id: number): EscalationRecord {
  return {
    id,
    guid: randomUUID(),
    tenantId: run.tenantId,
    version: 1,
    runId: run.id,
    rootRunId: run.rootRunId,
    projectId: run.projectId,
    identityId: run.identityId,
    taskId: draft.taskId ?? run.taskId,
    situation: draft.situation,
    optionsJson: draft.optionsJson ?? null,
    supervisorRecommendation: draft.supervisorRecommendation ?? null,
    confidence: draft.confidence ?? 0,
    kind: draft.kind ?? null,
    urgency: draft.urgency ?? 'Normal',
    status: bag.live.get(run.id ?? 0)?.briefing?.supervisor && draft.toolCallKey ? 'SupervisorReview' : 'AwaitingHuman',
    resolutionMode: null,
    decision: null,
    decidedBy: null,
    decisionNotes: null,
    argumentsJson: draft.argumentsJson ?? null,
    toolCallKey: draft.toolCallKey ?? null,
    toolName: draft.toolName ?? null,
    answersCallKey: draft.toolCallKey ?? null,
    chatSessionId: null,
    approvalThreadId: null,
    revisionRoundsUsed: 0,
    maxRevisionRounds: draft.maxRevisionRounds ?? 3,
    timeoutAt: draft.timeoutAt ?? null,
    timeoutAction: draft.timeoutAction ?? (draft.supervisorRecommendation ? 'UseRecommendation' : 'KeepWaiting'),
    notificationState: bag.notifier ? 'Pending' : 'NotRequired',
    notificationDetail: null,
    rememberAsRule: false,
    delivered: false,
    createdAt: bag.clock.now(),
    resolvedAt: null,
  };
}

export interface ChatQuestion {
  tenantId: number;
  chatSessionId: number;
  projectId: number | null;
  identityId: number | null;
  callKey: string;
  tool: ToolSpec;
  argumentsJson: string;
}

/** Asks, for a chat, whether a tool call may be made. Who talks there sees it at once, so nobody is notified. */
export async function askForChat(bag: Bag, question: ChatQuestion): Promise<EscalationRecord> {
  const { tenantId, projectId, identityId, tool, argumentsJson } = question;
  const asker = { tenantId, projectId, identityId, id: null, rootRunId: null, taskId: null };
  const draft = approvalDraft(tool, { key: question.callKey, argumentsJson }, `${tool.displayName} needs an approval.`);
  const escalation = await bag.store.escalations.insert({
    ...newEscalation(bag, asker, draft, await bag.ids.next('escalation')),
    chatSessionId: question.chatSessionId,
    maxRevisionRounds: 0,
    notificationState: 'NotRequired',
  });
  emitEscalation(bag, escalation, 'escalation.raised');
  return escalation;
}

/** The question whether one tool call may be made. */
function approvalDraft(
  tool: ToolSpec,
  { key, argumentsJson }: Pick<ToolCallRecord, 'key' | 'argumentsJson'>,
  reason: string,
): EscalationDraft {
  return {
    situation: `${tool.displayName}: ${reason}\n${argumentsJson.slice(0, 8000)}`,
    kind: 'ToolApproval',
    optionsJson: JSON.stringify(['approve', 'reject']),
    urgency: tool.risk === 'Dangerous' ? 'High' : 'Normal',
    toolCallKey: key,
    toolName: tool.name,
    argumentsJson,
  };
}

/** The event that a run writes when it raises an escalation. */
export const raisedEvent = (escalation: EscalationRecord): EventDraft => ({
  type: 'EscalationRaised',
  level: 'Warning',
  title: escalation.kind ?? 'Escalation',
  message: escalation.situation,
  payload: { escalationId: escalation.id, urgency: escalation.urgency },
});

/** Asks for the approval of one tool call; a call that revises an earlier one goes to the same escalation. */
export async function approvalOf(
  bag: Bag,
  live: LiveRun,
  tool: ToolDefinition,
  record: ToolCallRecord,
  reason: string,
): Promise<Waiting> {
  const draft = approvalDraft(tool, record, reason);
  const revised = await submitRevision(bag, live.run, { toolName: tool.name, situation: draft.situation, record });
  const escalation = revised ?? (await raise(bag, live.run, draft));
  await commitOwned(bag, live, () => ({
    set: { escalated: true },
    toolCalls: [{ ...record, state: 'AwaitingApproval' }],
    events: [
      {
        type: 'ToolApprovalRequested',
        level: 'Warning',
        title: tool.name,
        message: reason,
        toolName: tool.name,
        toolCallId: record.callId,
        payload: { escalationId: escalation.id, argumentsJson: record.argumentsJson },
      },
    ],
  }));
  return { for: 'decision', callKey: record.key, escalationId: escalation.id, decision: null };
}

/** An approval that was sent back for revision takes the next call of the same tool as its revision. */
async function submitRevision(
  bag: Bag,
  run: RunRecord,
  { toolName, situation, record }: { toolName: string; situation: string; record: ToolCallRecord },
): Promise<EscalationRecord | null> {
  if (!run.escalated) return null;
  const open = (await bag.store.escalations.ofRun(run.id)).find(
    (one) => one.status === 'RevisionRequested' && one.toolName === toolName,
  );
  if (!open) return null;
  return revise(bag, open.id, { situation, argumentsJson: record.argumentsJson, toolCallKey: record.key });
}

/** Sends a revised question back to its decider. */
export function revise(
  bag: Bag,
  id: number,
  change: Pick<EscalationRecord, 'situation'> & Partial<EscalationRecord>,
): Promise<EscalationRecord | null> {
  return changeEscalation(bag, id, (now) => ({
    ...change,
    status: moveEscalation(now.status, 'submit-revision'),
    answersCallKey: change.toolCallKey ?? now.answersCallKey,
    delivered: false,
  }));
}

/** Tells people about what a resting run asks, and answers it if a decision was there first. */
export async function afterRaise(bag: Bag, run: RunRecord): Promise<void> {
  for (const wait of run.waiting) {
    if (wait.for !== 'decision' || wait.decision) continue;
    const escalation = await bag.store.escalations.get(wait.escalationId);
    if (!escalation) continue;
    if (escalationClosed(escalation.status) || escalation.status === 'RevisionRequested')
      await deliver(bag, escalation);
    else if (escalation.notificationState === 'Pending' && bag.notifier) await notify(bag, escalation, run);
  }
}

async function notify(bag: Bag, escalation: EscalationRecord, run: RunRecord): Promise<void> {
  const sent = await bag
    .notifier!.escalationRaised(escalation, run)
    .catch((error) => ({ state: 'Failed' as const, detail: (error as Error).message }));
  await changeEscalation(bag, escalation.id, () => ({
    notificationState: sent.state,
    notificationDetail: sent.detail,
  }));
}

export interface Resolution {
  decision: string;
  notes?: string | null;
  by: string | null;
  mode?: ResolutionMode;
  requestRevision?: boolean;
  rememberAsRule?: boolean;
  /** Arguments that replace the model's, for a tool approval. */
  argumentsJson?: string | null;
}

/** Decides an escalation, once. A late or second decision is Fault INVALID_TRANSITION. */
export async function resolve(bag: Bag, id: number, resolution: Resolution): Promise<EscalationRecord> {
  await escalationOf(bag, id);
  const now = bag.clock.now();
  const changed = await changeEscalation(bag, id, (one) => {
    if (resolution.requestRevision) return askRevision(one, resolution);
    return {
      status: moveEscalation(one.status, 'resolve'),
      decision: resolution.decision,
      decisionNotes: resolution.notes ?? null,
      decidedBy: resolution.by,
      resolutionMode: resolution.mode ?? 'Human',
      argumentsJson: resolution.argumentsJson ?? one.argumentsJson,
      rememberAsRule: resolution.rememberAsRule ?? false,
      resolvedAt: now,
      delivered: false,
    };
  });
  const escalation = changed ?? (await escalationOf(bag, id));
  await deliver(bag, escalation);
  return escalationOf(bag, id);
}

function askRevision(one: EscalationRecord, resolution: Resolution): Partial<EscalationRecord> {
  if (one.revisionRoundsUsed >= one.maxRevisionRounds) {
    throw new Fault('INVALID_TRANSITION', `All ${one.maxRevisionRounds} revision rounds are used.`, {
      hint: 'Decide it: resolve without requestRevision.',
    });
  }
  return {
    status: moveEscalation(one.status, 'request-revision'),
    decisionNotes: resolution.notes ?? resolution.decision,
    decidedBy: resolution.by,
    revisionRoundsUsed: one.revisionRoundsUsed + 1,
    delivered: false,
  };
}

const rejections = /^(reject|deny|denied|no|refuse|decline)/i;

function decisionOf(one: EscalationRecord): Decision {
  const rejected = one.kind === 'ToolApproval' && rejections.test(one.decision ?? 'reject');
  const outcome =
    one.status === 'RevisionRequested'
      ? 'revise'
      : one.kind === 'ToolApproval'
        ? rejected
          ? 'rejected'
          : 'approved'
        : one.status === 'TimedOut'
          ? 'timed-out'
          : 'decided';
  return {
    escalationId: one.id,
    outcome,
    decision: one.decision,
    notes: one.decisionNotes,
    decidedBy: one.decidedBy,
    argumentsJson: one.argumentsJson,
  };
}

/** Gives the outcome to exactly the step that waits for it. False when the run does not wait yet. */
export async function deliver(bag: Bag, escalation: EscalationRecord): Promise<boolean> {
  const decision = decisionOf(escalation);
  const now = bag.clock.now();
  if (escalation.runId === null) return deliverToChat(bag, escalation, decision);
  let waits = false;
  const committed = await commit(bag, escalation.runId, (run) => {
    const wait = run.waiting.find(
      (one): one is DecisionWait => one.for === 'decision' && one.escalationId === escalation.id,
    );
    waits = wait !== undefined || hasEnded(run.status);
    if (!wait || wait.decision) return null;
    return handOver(run, wait, decision, now);
  });
  if (!waits) return false;
  await changeEscalation(bag, escalation.id, (one) => (one.status === escalation.status ? { delivered: true } : null));
  if (committed?.run.runnable) bag.wake(committed.run.id, committed.run.tenantId, committed.run.rootRunId);
  return true;
}

async function deliverToChat(bag: Bag, escalation: EscalationRecord, decision: Decision): Promise<boolean> {
  const { tenantId, chatSessionId } = escalation;
  if (chatSessionId !== null && !(await bag.chatDecisions?.({ tenantId, chatSessionId, decision }))) return false;
  await changeEscalation(bag, escalation.id, () => ({ delivered: true }));
  return true;
}

/** The question does not matter any more, e.g. as the reply that asked it was stopped. */
export async function withdraw(bag: Bag, id: number): Promise<void> {
  await changeEscalation(bag, id, (now) => {
    if (escalationClosed(now.status)) return null;
    return { status: moveEscalation(now.status, 'withdraw'), resolvedAt: bag.clock.now(), delivered: true };
  });
}

function handOver(run: RunRecord, wait: DecisionWait, decision: Decision, now: number) {
  const key = `decision:${decision.escalationId}:${decision.outcome}:${now}`;
  const text = [decision.decision ?? decision.outcome, decision.notes].filter(Boolean).join(': ');
  const set: Partial<RunRecord> =
    wait.callKey === null
      ? {
          waiting: run.waiting.filter((one) => one !== wait),
          inbox: [...run.inbox, { key, kind: 'decision', text, from: decision.decidedBy, at: now, data: decision }],
        }
      : { waiting: run.waiting.map((one) => (one === wait ? { ...wait, decision } : one)) };
  const events: EventDraft[] = [
    {
      type: decision.outcome === 'timed-out' ? 'EscalationTimedOut' : 'EscalationResolved',
      title: decision.outcome,
      message: text,
      payload: { escalationId: decision.escalationId, decidedBy: decision.decidedBy },
    },
  ];
  const undecided = (set.waiting ?? []).some((one) => one.for === 'decision' && one.decision === null);
  if (run.status !== 'WaitingForDecision' || undecided) return { set, events };
  const move = moveRun(run, 'decide', { now, by: decision.decidedBy });
  return { set: { ...set, ...move.set }, events: [...events, ...(move.events ?? [])] };
}

/** Raises an escalation from outside: the run waits as soon as its present step is over. */
export async function escalateRun(bag: Bag, run: RunRecord, draft: EscalationDraft): Promise<EscalationRecord> {
  const open = ['Running', 'Queued', 'WaitingForChildren'];
  if (!open.includes(run.status)) throw refusal(run, 'escalate');
  const escalation = await raise(bag, run, draft);
  const committed = await commit(bag, run.id, (now) => {
    if (nextStatus(now.status, 'cancel') === null) return null;
    const wait: Waiting = { for: 'decision', callKey: null, escalationId: escalation.id, decision: null };
    return { set: { escalated: true, waiting: [...now.waiting, wait] }, events: [raisedEvent(escalation)] };
  });
  if (!committed)
    await changeEscalation(bag, escalation.id, (one) => ({
      status: moveEscalation(one.status, 'withdraw'),
      delivered: true,
    }));
  else await afterRaise(bag, committed.run);
  return escalation;
}

/** The run goes in circles although it was told: a person shall decide. */
export async function raiseStale(bag: Bag, live: LiveRun): Promise<'rest'> {
  const escalation = await raise(bag, live.run, {
    situation: `The run makes no progress after ${live.run.iterationsUsed} turns. Its goal: ${live.run.goal.slice(0, 2000)}`,
    kind: 'Stale',
    optionsJson: JSON.stringify(['continue', 'stop']),
    urgency: 'High',
    supervisorRecommendation: 'Tell it what to do differently, or cancel it.',
  });
  const wait: Waiting = { for: 'decision', callKey: null, escalationId: escalation.id, decision: null };
  await rest(
    bag,
    live,
    'await-decision',
    { reason: 'It makes no progress.' },
    {
      set: { escalated: true, idleTurns: 0, recentCalls: [], waiting: [...live.run.waiting, wait] },
      events: [raisedEvent(escalation)],
    },
  );
  await afterRaise(bag, live.run);
  return 'rest';
}

/** Ends an escalation whose time is over, by its policy. */
export async function timeOutEscalation(bag: Bag, due: EscalationRecord): Promise<void> {
  if (due.timeoutAction === 'KeepWaiting') {
    await changeEscalation(bag, due.id, (now) => (now.timeoutAt === due.timeoutAt ? { timeoutAt: null } : null));
    return;
  }
  const changed = await changeEscalation(bag, due.id, (now) => {
    if (escalationClosed(now.status) || now.timeoutAt !== due.timeoutAt) return null;
    const decision =
      now.timeoutAction === 'UseRecommendation'
        ? (now.supervisorRecommendation ?? 'reject')
        : now.timeoutAction === 'Proceed'
          ? 'proceed'
          : null;
    return {
      status: moveEscalation(now.status, 'time-out'),
      resolutionMode: 'Timeout',
      decision,
      decidedBy: 'timeout',
      resolvedAt: bag.clock.now(),
      delivered: false,
    };
  });
  if (!changed) return;
  if (changed.timeoutAction === 'Fail' || changed.timeoutAction === 'Cancel') await endByTimeout(bag, changed);
  else await deliver(bag, changed);
}

async function endByTimeout(bag: Bag, escalation: EscalationRecord): Promise<void> {
  const command = escalation.timeoutAction === 'Fail' ? 'fail' : 'cancel';
  const reason = 'Nobody answered its escalation in time.';
  if (escalation.runId === null) return;
  const committed = await commit(bag, escalation.runId, (run) => {
    if (run.owner !== null || nextStatus(run.status, command) === null) return null;
    const move = moveRun(run, command, { now: bag.clock.now(), reason });
    return {
      ...move,
      events: [{ type: 'EscalationTimedOut', level: 'Warning', title: reason }, ...(move.events ?? [])],
    };
  });
  if (committed) await settleDuties(bag, committed.run);
  await changeEscalation(bag, escalation.id, () => ({ delivered: true }));
}

// Decisions of escalations, by people or by timeout, and their delivery to the step that waits.
import { Fault } from '../../../src/kernel/fault.ts';
import type { Decision, EventDraft, RunRecord, Waiting } from '../../records.ts';
import {
  breakpointVerdict,
  type EscalationRecord,
  escalationClosed,
  isApproval,
  isBreakpoint,
  isToolApproval,
  moveEscalation,
  type ResolutionMode,
} from '../../state/escalation.ts';
import { hasEnded, moveRun, nextStatus } from '../../state/run.ts';
import { settleDuties } from '../life/duties.ts';
import { commit } from '../records/commits.ts';
import type { Core } from '../records/core.ts';
import { changeEscalation, escalationOf, letGo } from '../records/escalation-records.ts';
import type { Keyed } from '../records/keyed-commands.ts';

type DecisionWait = Extract<Waiting, { for: 'decision' }>;

export interface Resolution extends Keyed {
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
export async function resolve(core: Core, id: number, resolution: Resolution): Promise<EscalationRecord> {
  await escalationOf(core, id);
  const now = core.clock.now();
  const changed = await changeEscalation(core, id, (one) => {
    const { key } = resolution;
    if (key != null && one.resolvedKey === key) return null;
    const keyed = key == null ? {} : { resolvedKey: key };
    if (resolution.requestRevision) return { ...askRevision(one, resolution), ...keyed };
    return {
      ...keyed,
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
  const escalation = changed ?? (await escalationOf(core, id));
  await deliver(core, escalation);
  return escalationOf(core, id);
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

/** Only the word of approval approves; a timeout or any other text does not. */
function outcomeOf(one: EscalationRecord): Decision['outcome'] {
  if (one.status === 'RevisionRequested') return 'revise';
  if (one.status === 'Withdrawn') return 'lost';
  if (isBreakpoint(one)) return breakpointOutcome(one);
  if (isToolApproval(one)) return one.status === 'Resolved' && isApproval(one.decision) ? 'approved' : 'rejected';
  return one.status === 'TimedOut' ? 'timed-out' : 'decided';
}

function breakpointOutcome({ status, decision }: EscalationRecord): Decision['outcome'] {
  const verdict = status === 'Resolved' ? breakpointVerdict(decision) : 'refuse';
  return verdict === 'continue' ? 'approved' : verdict === 'skip' ? 'skipped' : 'rejected';
}

/** Whether the decision ends the run itself. */
const cancelsRun = (one: EscalationRecord) =>
  isBreakpoint(one) && one.status === 'Resolved' && breakpointVerdict(one.decision) === 'cancel';

function decisionOf(one: EscalationRecord): Decision {
  return {
    escalationId: one.id,
    outcome: outcomeOf(one),
    decision: one.decision,
    notes: one.decisionNotes,
    decidedBy: one.decidedBy,
    argumentsJson: one.argumentsJson,
  };
}

/** Delivers the outcome to the step that waits for it. False when the run does not wait yet. */
export async function deliver(core: Core, escalation: EscalationRecord): Promise<boolean> {
  const { runId, status, timeoutAction } = escalation;
  const decision = decisionOf(escalation);
  const now = core.clock.now();
  if (runId === null) return deliverToChat(core, escalation, decision);
  if (status === 'TimedOut' && (timeoutAction === 'Fail' || timeoutAction === 'Cancel'))
    return endBy(core, escalation, runId, {
      command: timeoutAction === 'Fail' ? 'fail' : 'cancel',
      reason: 'Nobody answered its escalation in time.',
      event: 'EscalationTimedOut',
    });
  if (cancelsRun(escalation))
    return endBy(core, escalation, runId, {
      command: 'cancel',
      reason: escalation.decisionNotes ?? 'It was cancelled at a breakpoint.',
      event: 'EscalationResolved',
    });
  let waits = false;
  const committed = await commit(core, runId, (run) => {
    const wait = run.waiting.find(
      (one): one is DecisionWait => one.for === 'decision' && one.escalationId === escalation.id,
    );
    waits = wait !== undefined || hasEnded(run.status);
    if (!wait || wait.decision) return null;
    return handOver(run, wait, decision, now);
  });
  if (!waits) return false;
  await changeEscalation(core, escalation.id, (one) => (one.status === escalation.status ? { delivered: true } : null));
  if (committed?.run.runnable) {
    core.wake(committed.run);
    // Its connection may be of another node, which alone goes on with it.
    if (escalation.heldBy !== undefined) core.signals?.send({ kind: 'changed', runId });
  }
  return true;
}

async function deliverToChat(core: Core, escalation: EscalationRecord, decision: Decision): Promise<boolean> {
  const { id, tenantId, chatSessionId } = escalation;
  // Only the node that has its connection can go on with the call.
  if (isHeldElsewhere(core, escalation)) {
    core.signals?.send({ kind: 'decided', escalationId: id });
    return false;
  }
  if (chatSessionId !== null && !(await core.chatDecisions?.({ tenantId, chatSessionId, decision }))) return false;
  core.held.delete(id);
  await changeEscalation(core, escalation.id, () => ({ delivered: true }));
  return true;
}

/** Whether a living node other than this one has the connection that a question hangs on. */
const isHeldElsewhere = ({ node, heard }: Core, { heldBy, status }: EscalationRecord): boolean =>
  heldBy !== undefined && heldBy !== node && status !== 'Withdrawn' && heard.has(heldBy);

/** Withdraws a question that no longer matters, e.g. because its reply was stopped. */
export async function withdraw(core: Core, id: number): Promise<void> {
  letGo(core, id);
  await changeEscalation(core, id, (now) => {
    if (escalationClosed(now.status)) return null;
    return { status: moveEscalation(now.status, 'withdraw'), resolvedAt: core.clock.now(), delivered: true };
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
  // A call that is held open gets its answer at once; others go on together.
  const undecided =
    wait.heldBy === undefined && (set.waiting ?? []).some((one) => one.for === 'decision' && one.decision === null);
  if (run.status !== 'WaitingForDecision' || undecided) return { set, events };
  const move = moveRun(run, 'decide', { now, by: decision.decidedBy });
  return { set: { ...set, ...move.set }, events: [...events, ...(move.events ?? [])] };
}

/** Ends an escalation past its timeout, by its policy. */
export async function timeOutEscalation(core: Core, due: EscalationRecord): Promise<void> {
  if (due.timeoutAction === 'KeepWaiting') {
    await changeEscalation(core, due.id, (now) => (now.timeoutAt === due.timeoutAt ? { timeoutAt: null } : null));
    return;
  }
  const changed = await changeEscalation(core, due.id, (now) => {
    if (escalationClosed(now.status) || now.timeoutAt !== due.timeoutAt) return null;
    return {
      status: moveEscalation(now.status, 'time-out'),
      resolutionMode: 'Timeout',
      decision: decisionByTime(now),
      decidedBy: 'timeout',
      resolvedAt: core.clock.now(),
      delivered: false,
    };
  });
  if (changed) await deliver(core, changed);
}

/** Decision by timeout; null when the policy has none. */
function decisionByTime(one: EscalationRecord): string | null {
  if (isToolApproval(one)) return 'Nobody approved it in time.';
  if (one.heldBy !== undefined) return null;
  if (one.timeoutAction === 'UseRecommendation') return one.supervisorRecommendation ?? 'reject';
  return one.timeoutAction === 'Proceed' ? 'proceed' : null;
}

interface Ending {
  command: 'fail' | 'cancel';
  reason: string;
  event: 'EscalationTimedOut' | 'EscalationResolved';
}

/** Ends the run by the outcome of its question. False while the run is still at work: it rests soon. */
async function endBy(
  core: Core,
  escalation: EscalationRecord,
  runId: number,
  { command, reason, event }: Ending,
): Promise<boolean> {
  const by = escalation.decidedBy;
  let isAtWork = false;
  const committed = await commit(core, runId, (run) => {
    isAtWork = run.owner !== null;
    if (isAtWork || nextStatus(run.status, command) === null) return null;
    const move = moveRun(run, command, {
      now: core.clock.now(),
      reason,
      ...(event === 'EscalationResolved' ? { by } : {}),
    });
    const payload = { escalationId: escalation.id, decidedBy: by };
    return {
      ...move,
      events: [{ type: event, level: 'Warning', title: reason, payload }, ...(move.events ?? [])],
    };
  });
  if (isAtWork) return false;
  if (committed) await settleDuties(core, committed.run);
  await changeEscalation(core, escalation.id, () => ({ delivered: true }));
  return true;
}

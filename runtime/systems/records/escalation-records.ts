// Escalations in the store: raised once, moved by their table, told to viewers.
import { Fault } from '../../../src/kernel/fault.ts';
import type { Emission } from '../../ports.ts';
import type { RunRecord } from '../../records.ts';
import { type CouncilRecord, moveCouncil } from '../../state/council.ts';
import { type EscalationRecord, escalationClosed, moveEscalation } from '../../state/escalation.ts';
import type { Bag } from './core.ts';
import { emitCouncil } from './council-records.ts';

/** The escalation; Fault NOT_FOUND when there is none. */
export async function escalationOf(bag: Bag, id: number): Promise<EscalationRecord> {
  const found = await bag.store.escalations.get(id);
  if (found) return found;
  throw new Fault('NOT_FOUND', `There is no escalation ${id}.`, { hint: 'List them with GET /api/agent/escalations.' });
}

/** Changes an escalation and tells viewers; null when `decide` returned null. */
export async function changeEscalation(
  bag: Bag,
  id: number,
  decide: (now: EscalationRecord) => Partial<EscalationRecord> | null,
): Promise<EscalationRecord | null> {
  let before: EscalationRecord | null = null;
  const changed = await bag.store.escalations.update(id, (now) => {
    before = now;
    return decide(now);
  });
  if (changed && changed.status !== (before as EscalationRecord | null)?.status) {
    emitEscalation(bag, changed, escalationClosed(changed.status) ? 'escalation.resolved' : 'escalation.updated');
  }
  return changed;
}

/** Publishes an escalation as the interface shows it. */
export function emitEscalation(bag: Bag, escalation: EscalationRecord, type: string): void {
  const emission: Emission = {
    tenantId: escalation.tenantId,
    topics: [
      'escalations',
      ...(escalation.runId === null ? [] : [`run:${escalation.runId}`]),
      ...(escalation.projectId === null ? [] : [`project:${escalation.projectId}`]),
    ],
    type,
    data: escalationView(escalation),
    durable: true,
    key: `${type}:${escalation.id}:${escalation.version}`,
  };
  bag.sink.publish([emission])?.catch((error) => bag.log.warn({ err: error }, 'an escalation was not published'));
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** The interface's AgentEscalationDto. */
export function escalationView(one: EscalationRecord) {
  return {
    id: one.id,
    guid: one.guid,
    runId: one.runId,
    taskId: one.taskId,
    situation: one.situation,
    optionsJson: one.optionsJson,
    supervisorRecommendation: one.supervisorRecommendation,
    confidence: one.confidence,
    kind: one.kind,
    urgencyId: one.urgency,
    status: one.status,
    resolutionMode: one.resolutionMode,
    decision: one.decision,
    decidedBy: one.decidedBy,
    decisionNotes: one.decisionNotes,
    chatSessionId: one.chatSessionId,
    approvalThreadId: one.approvalThreadId,
    revisionRoundsUsed: one.revisionRoundsUsed,
    maxRevisionRounds: one.maxRevisionRounds,
    timeoutAtUtc: iso(one.timeoutAt),
    resolvedAtUtc: iso(one.resolvedAt),
    notificationState: one.notificationState,
    notificationDetail: one.notificationDetail,
    createdAtUtc: new Date(one.createdAt).toISOString(),
  };
}
export type EscalationView = ReturnType<typeof escalationView>;

/** An ended run asks nobody anything: escalations still open are withdrawn, councils cancelled. */
export async function withdrawEscalations(bag: Bag, run: RunRecord): Promise<void> {
  for (const one of await bag.store.escalations.ofRun(run.id)) {
    if (one.delivered) continue;
    await changeEscalation(bag, one.id, (now) => {
      if (now.delivered) return null;
      if (escalationClosed(now.status)) return { delivered: true };
      return { status: moveEscalation(now.status, 'withdraw'), resolvedAt: bag.clock.now(), delivered: true };
    });
  }
  for (const council of await bag.store.councils.ofRun(run.id)) await cancelCouncil(bag, council);
}

/** Ends a council that is not over, without an outcome. */
export async function cancelCouncil(bag: Bag, { id }: CouncilRecord): Promise<void> {
  const cancelled = await bag.store.councils.update(id, (now) => {
    const status = moveCouncil(now.status, 'cancel');
    return status && { status, completedAt: bag.clock.now() };
  });
  if (cancelled) emitCouncil(bag, cancelled);
}

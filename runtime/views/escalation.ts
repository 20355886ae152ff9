// Escalations as the interface shows them (AgentEscalationDto), times as ISO 8601.
import type { EscalationRecord } from '../state/escalation.ts';

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** The interface's AgentEscalationDto. */
export function escalationView(one: EscalationRecord) {
  return {
    id: one.id,
    guid: one.guid,
    runId: one.runId,
    projectId: one.projectId,
    taskId: one.taskId,
    situation: one.situation,
    optionsJson: one.optionsJson,
    formJson: one.formJson ?? null,
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

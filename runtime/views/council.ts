// Councils and statements as the interface shows them (AgentCouncilDto, CouncilStatementDto), times as ISO 8601.
import { isoTime } from '../../src/kernel/iso-time.ts';
import {
  type CouncilRecord,
  changedFrom,
  type Participant,
  positionKey,
  type Statement,
  tallyOf,
  votesNeeded,
} from '../state/council.ts';

/** The interface's AgentCouncilDto. */
export function councilView(council: CouncilRecord) {
  return {
    id: council.id,
    guid: council.guid,
    runId: council.runId,
    chatSessionId: council.chatSessionId,
    question: council.question,
    rounds: council.rounds,
    consensusJson: council.consensusJson,
    participantsJson: JSON.stringify(council.participants),
    status: council.status,
    completedAtUtc: council.completedAt === null ? null : isoTime(council.completedAt),
    createdAtUtc: isoTime(council.createdAt),
  };
}
export type CouncilView = ReturnType<typeof councilView>;

/** The interface's CouncilStatementDto. */
export const statementView = (council: CouncilRecord, participant: Participant, statement: Statement) => ({
  councilId: council.id,
  runId: council.runId,
  round: statement.round,
  kind: statement.kind,
  participantName: participant.name,
  identityId: participant.identityId,
  modelId: participant.modelId,
  content: statement.content,
  vote: statement.vote,
  atUtc: isoTime(statement.at),
});
export type StatementView = ReturnType<typeof statementView>;

/** A council as a debate: everything that was said and by whom, where minds changed, and what was counted. */
export function debateView(council: CouncilRecord) {
  const { participants, statements } = council;
  const unknown = { role: null, modelId: null, identityId: null };
  const speakerOf = (name: string) => participants.find((one) => one.name === name) ?? { name, ...unknown };
  return {
    council: councilView(council),
    rootRunId: council.rootRunId,
    participants,
    phases: (council.phases ?? []).map(({ status, at }) => ({ status, atUtc: isoTime(at) })),
    statements: statements.map((one) => ({
      ...statementView(council, speakerOf(one.participant), one),
      positionKey: one.vote === null ? null : positionKey(one.vote),
      changedFrom: changedFrom(statements, one),
    })),
    // Who was asked again after a crash may have spoken then.
    silences: (council.silences ?? [])
      .filter((one) => !statements.some((said) => said.round === one.round && said.participant === one.participant))
      .map(({ round, participant, reason, at }) => ({
        round,
        participantName: participant,
        reason,
        atUtc: isoTime(at),
      })),
    votesNeeded: votesNeeded(participants.length),
    outcome: outcomeView(council),
  };
}
export type DebateView = ReturnType<typeof debateView>;

interface StoredOutcome {
  decision?: string | null;
  reason?: string | null;
  dissent?: { participant: string; vote: string | null; reason: string }[];
}

/** What came of it; null while nothing has. */
function outcomeView(council: CouncilRecord) {
  if (council.consensusJson === null) return null;
  const { decision = null, reason = null, dissent = [] } = JSON.parse(council.consensusJson) as StoredOutcome;
  return { decision, reason, tally: tallyOf(council), dissent };
}

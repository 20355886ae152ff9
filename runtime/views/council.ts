// Councils and statements as the interface shows them (AgentCouncilDto, CouncilStatementDto), times as ISO 8601.
import type { CouncilRecord, Participant, Statement } from '../state/council.ts';

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
    completedAtUtc: council.completedAt === null ? null : new Date(council.completedAt).toISOString(),
    createdAtUtc: new Date(council.createdAt).toISOString(),
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
  atUtc: new Date(statement.at).toISOString(),
});
export type StatementView = ReturnType<typeof statementView>;

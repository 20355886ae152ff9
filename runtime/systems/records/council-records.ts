// Councils and statements as the interface shows them, and told to viewers.
import type { CouncilRecord, Participant, Statement } from '../../state/council.ts';
import type { Bag } from './core.ts';

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

/** Topics that tell of a council. */
const councilTopics = ({ runId, chatSessionId }: CouncilRecord): string[] => [
  'escalations',
  ...(runId === null ? [] : [`run:${runId}`]),
  ...(chatSessionId === null ? [] : [`chat:${chatSessionId}`]),
];

/** Publishes a council as the interface shows it. */
export function emitCouncil(bag: Bag, council: CouncilRecord): void {
  const emission = {
    tenantId: council.tenantId,
    topics: councilTopics(council),
    type: 'council.updated',
    data: councilView(council),
    durable: true,
    key: `council.updated:${council.id}:${council.version}`,
  };
  bag.sink.publish([emission])?.catch((error) => bag.log.warn({ err: error }, 'a council was not published'));
}

/** Publishes what a participant said. */
export function emitStatement(bag: Bag, council: CouncilRecord, participant: Participant, statement: Statement): void {
  const emission = {
    tenantId: council.tenantId,
    topics: councilTopics(council),
    type: 'council.statement',
    data: statementView(council, participant, statement),
    durable: true,
    key: `council.statement:${council.id}:${statement.round}:${participant.name}`,
  };
  bag.sink.publish([emission])?.catch((error) => bag.log.warn({ err: error }, 'a statement was not published'));
}

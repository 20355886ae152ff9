// Councils in the store: cancelled by their state table, and published with their statements.

import { type CouncilRecord, councilMove, type Participant, type Statement } from '../../state/council.ts';
import { councilView, statementView } from '../../views/council.ts';
import type { Emission } from '../../views/emission.ts';
import type { Core } from './core.ts';

/** Topics of a council. */
const councilTopics = ({ runId, chatSessionId }: CouncilRecord): string[] => [
  'escalations',
  ...(runId === null ? [] : [`run:${runId}`]),
  ...(chatSessionId === null ? [] : [`chat:${chatSessionId}`]),
];

/** Publishes a council as the interface shows it. */
export function emitCouncil(core: Core, council: CouncilRecord): void {
  const emission: Emission = {
    tenantId: council.tenantId,
    topics: councilTopics(council),
    type: 'council.updated',
    data: councilView(council),
    durable: true,
    key: `council.updated:${council.id}:${council.version}`,
  };
  core.sink.publish([emission])?.catch((error) => core.log.warn({ err: error }, 'a council was not published'));
}

/** Publishes what a participant said. */
export function emitStatement(
  core: Core,
  council: CouncilRecord,
  participant: Participant,
  statement: Statement,
): void {
  const emission: Emission = {
    tenantId: council.tenantId,
    topics: councilTopics(council),
    type: 'council.statement',
    data: statementView(council, participant, statement),
    durable: true,
    key: `council.statement:${council.id}:${statement.round}:${participant.name}`,
  };
  core.sink.publish([emission])?.catch((error) => core.log.warn({ err: error }, 'a statement was not published'));
}

/** Cancels a council that has not ended, without an outcome. */
export async function cancelCouncil(core: Core, { id }: CouncilRecord): Promise<void> {
  const cancelled = await core.store.councils.update(id, (now) => {
    const move = councilMove(now, 'cancel', core.clock.now());
    return move && { ...move, completedAt: core.clock.now() };
  });
  if (cancelled) emitCouncil(core, cancelled);
}

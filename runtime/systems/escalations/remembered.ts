// Decisions that are to be remembered: within their tree the same question of the same identity answers itself.
import { createHash } from 'node:crypto';
import type { EscalationRecord } from '../../state/escalation.ts';
import type { Core } from '../records/core.ts';

type Question = Pick<
  EscalationRecord,
  'identityId' | 'kind' | 'toolName' | 'situation' | 'optionsJson' | 'argumentsJson'
>;

/** The same for the same question alone: who asks, what, with which options and for which arguments of a tool. */
export const questionKey = ({ identityId, kind, toolName, situation, optionsJson, argumentsJson }: Question): string =>
  createHash('sha256')
    .update(JSON.stringify([identityId, kind, toolName, situation, optionsJson, argumentsJson]))
    .digest('base64url');

/** The question as it is to be stored: answered already, where its answer is remembered. */
export async function answerAgain(core: Core, asked: EscalationRecord): Promise<EscalationRecord> {
  if (asked.rootRunId === null) return asked;
  const earlier = await core.store.escalations.remembered(asked.rootRunId, asked.questionKey);
  if (!earlier) return asked;
  const { decision, decidedBy, argumentsJson, decisionNotes } = earlier;
  const notes = [decisionNotes, `Remembered from escalation ${earlier.id}.`].filter(Boolean).join(' ');
  return {
    ...asked,
    status: 'Resolved',
    resolutionMode: 'Policy',
    decision,
    decidedBy,
    argumentsJson,
    decisionNotes: notes,
    notificationState: 'NotRequired',
    resolvedAt: core.clock.now(),
  };
}

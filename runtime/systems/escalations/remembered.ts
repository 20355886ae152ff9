// Remembered decisions: within their tree the same question of the same identity is answered at once.
import { createHash } from 'node:crypto';
import type { EscalationRecord } from '../../state/escalation.ts';
import type { Core } from '../records/core.ts';

type Question = Pick<
  EscalationRecord,
  'identityId' | 'kind' | 'toolName' | 'situation' | 'optionsJson' | 'argumentsJson'
>;

/** Fingerprint of a question: the asking identity, kind, situation, options, tool and arguments. */
export const questionKey = ({ identityId, kind, toolName, situation, optionsJson, argumentsJson }: Question): string =>
  createHash('sha256')
    .update(JSON.stringify([identityId, kind, toolName, situation, optionsJson, argumentsJson]))
    .digest('base64url');

/** The question as it is stored: already answered when a decision is remembered. */
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

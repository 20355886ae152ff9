// Drafts of training pairs: what every source of them fills in alike.
import { Fault } from '../../../kernel/fault.ts';
import type { Draft } from '../../../ports/record.ts';
import type { Curator } from '../curators.ts';
import type { TrainingPairDoc } from './record.ts';

type Said = 'identityId' | 'systemPrompt' | 'userPrompt' | 'chosenResponse' | 'rejectedResponse' | 'objective';
export type NewPair = Pick<TrainingPairDoc, Said> & Partial<Draft<TrainingPairDoc>>;

/**
 * A pair that nobody has approved yet.
 *
 * @throws Fault VALIDATION_FAILED where both answers are the same: nothing can be learned from them
 */
export function pairDraft(curator: Curator, pair: NewPair): Draft<TrainingPairDoc> {
  if (pair.chosenResponse.trim() === pair.rejectedResponse.trim())
    throw new Fault('VALIDATION_FAILED', 'The chosen and the rejected response are the same.', {
      hint: 'Send two that differ, or an empty rejectedResponse.',
    });
  return {
    ...{ curationNotes: null, sourceReflectionId: null, sourceReference: null, tags: [] },
    ...curator,
    ...pair,
    curationStatus: 'Draft',
  };
}

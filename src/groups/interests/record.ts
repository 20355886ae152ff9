// Interests as they are kept: one of a topic and source.
import { record, type Stored } from '../../ports/record.ts';
import type { InterestDto } from './dto.ts';

export interface InterestDoc extends Stored<InterestDto> {
  /** The topic in lower case. */
  topicKey: string;
}

export const interestRecord = record<InterestDoc>('identity_interests', {
  noun: 'interest',
  list: 'GET /api/identities/{identityId}/interests',
  order: '-weight',
  lacks: ['guid'],
  indexes: [{ keys: { tenantId: 1, identityId: 1, source: 1, topicKey: 1 }, unique: true }],
});

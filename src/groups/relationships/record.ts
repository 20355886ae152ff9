// Relationships and their history as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import { type Intent, intentIndex } from '../../ports/repairs.ts';
import type { RelationshipDto, RelationshipInteractionDto } from './dto.ts';

export interface RelationshipDoc extends Omit<Stored<RelationshipDto>, 'identityName' | 'otherIdentityName'> {
  /** When the scores were as they are here; they fade from then on. */
  scoredAt: Date;
  /** The latest interactions that moved it, so that each does once. */
  applied: number[];
  version: number;
}

export const relationshipRecord = record<RelationshipDoc>('relationships', {
  noun: 'relationship',
  list: 'GET /api/identities/{identityId}/relationships',
  order: '-familiarity',
  search: ['notes'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, otherIdentityId: 1 }, unique: true },
    { keys: { tenantId: 1, identityId: 1, familiarity: -1 } },
    { keys: { tenantId: 1, otherIdentityId: 1 } },
    { keys: { scoredAt: 1 } },
  ],
});

export interface InteractionDoc extends Stored<Omit<RelationshipInteractionDto, never>> {
  /** Set by writers that may repeat themselves; unique in the tenant. */
  key: string | null;
  /** Present until it has moved its relationship. */
  intent?: Intent | null;
}

export const interactionRecord = record<InteractionDoc>('relationship_interactions', {
  noun: 'interaction',
  list: 'GET /api/relationships/{id}/interactions',
  order: '-occurredAtUtc',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, relationshipId: 1, occurredAt: -1 } },
    { keys: { tenantId: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $gt: '' } } },
    intentIndex,
  ],
});

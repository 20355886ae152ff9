// Relationships between identities, and what shaped them, as they are answered.
import type { z } from 'zod';
import { InteractionKind, RelationshipType } from '../../contract/enums.ts';
import { dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

/** How one identity sees another: trust and familiarity from 0 to 1, sentiment from -1 to 1. */
export const RelationshipDto = dto('RelationshipDto', {
  id: int64,
  guid: uuid,
  identityId: int64,
  identityName: string,
  otherIdentityId: int64,
  otherIdentityName: string,
  type: RelationshipType,
  trust: float,
  familiarity: float,
  sentiment: float,
  notes: string.nullable(),
  interactionCount: int32,
  lastInteractionAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type RelationshipDto = z.output<typeof RelationshipDto>;

export const RelationshipInteractionDto = dto('RelationshipInteractionDto', {
  id: int64,
  relationshipId: int64,
  kind: InteractionKind,
  summary: string,
  sentiment: float,
  weight: float,
  trustAfter: float,
  familiarityAfter: float,
  runId: int64.nullable(),
  messageId: int64.nullable(),
  occurredAtUtc: dateTime,
  createdAtUtc: dateTime,
});
export type RelationshipInteractionDto = z.output<typeof RelationshipInteractionDto>;

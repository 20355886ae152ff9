// Relationships: how identities see each other, moved by what happens between them.
import { InteractionKind, RelationshipType } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, float, int64, nothing, string } from '../../contract/types.ts';
import { RelationshipDto, RelationshipInteractionDto } from './dto.ts';

const score = float.min(0).max(1);
const sentiment = float.min(-1).max(1);
const notes = string.max(8000);
const scores = { trust: score.nullish(), familiarity: score.nullish(), sentiment: sentiment.nullish() };

export const relationships = group(
  'Relationships',
  { base: '/api', doc: 'How identities see each other: messages, hand-overs, reviews and feedback move it.' },
  {
    list: op.get('/identities/{identityId}/relationships', {
      doc: 'How an identity sees others, those that it knows best first.',
      needs: 'RelationshipsRead',
      query: listQuery(['familiarity', 'trust', 'sentiment', 'lastInteractionAtUtc', 'createdAtUtc', 'id'], {
        type: RelationshipType.optional(),
        minTrust: float.optional(),
        q: string.max(200).optional(),
      }),
      data: page(RelationshipDto),
    }),
    set: op.post('/identities/{identityId}/relationships', {
      doc: 'Say how an identity sees another one; mutual says the same of both.',
      needs: 'RelationshipsWrite',
      body: fields({
        otherIdentityId: int64,
        type: RelationshipType,
        ...scores,
        notes: notes.nullish(),
        mutual: boolean.nullish(),
      }),
      data: RelationshipDto,
    }),
    get: op.get('/relationships/{id}', {
      doc: 'One relationship, as it is today.',
      needs: 'RelationshipsRead',
      data: RelationshipDto,
    }),
    patch: op.patch('/relationships/{id}', {
      doc: 'Change its type, scores or notes.',
      needs: 'RelationshipsWrite',
      body: fields({ type: RelationshipType.optional(), ...scores, notes: notes.nullish() }),
      data: RelationshipDto,
    }),
    remove: op.delete('/relationships/{id}', {
      doc: 'Delete a relationship with its history.',
      needs: 'RelationshipsWrite',
      data: nothing,
    }),
    interactions: op.get('/relationships/{id}/interactions', {
      doc: 'What moved a relationship, newest first.',
      needs: 'RelationshipsRead',
      query: listQuery(['occurredAtUtc', 'createdAtUtc', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        kind: InteractionKind.optional(),
      }),
      data: page(RelationshipInteractionDto),
    }),
    interact: op.post('/relationships/{id}/interactions', {
      doc: 'Record what happened; it moves trust, familiarity and sentiment by the rule of its kind.',
      needs: 'RelationshipsWrite',
      body: fields({
        kind: InteractionKind,
        summary: string.trim().min(1).max(2000),
        sentiment: sentiment.nullish(),
        weight: score.nullish(),
        occurredAtUtc: dateTime.nullish(),
        runId: int64.nullish(),
        messageId: int64.nullish(),
      }),
      data: RelationshipInteractionDto,
    }),
    between: op.get('/relationships/between/{identityId}/{otherIdentityId}', {
      doc: 'How one identity sees another.',
      needs: 'RelationshipsRead',
      data: RelationshipDto,
    }),
  },
);

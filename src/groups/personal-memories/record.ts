// Personal memories and suggestions as they are kept.
import type { Expiring } from '../../memory/expiry.ts';
import type { Findable, Kind } from '../../memory/kinds.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { PersonalMemoryDto, PersonalMemorySuggestionDto } from './dto.ts';

export interface PersonalMemoryDoc extends Omit<Stored<PersonalMemoryDto>, 'hasEmbedding'>, Findable, Expiring {
  _id: number;
  tenantId: number;
}

export const personalMemoryRecord = record<PersonalMemoryDoc>('personal_memories', {
  noun: 'personal memory',
  list: 'GET /api/personal-memories',
  order: '-createdAtUtc',
  search: ['title', 'content'],
  indexes: [
    { keys: { tenantId: 1, userId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, userId: 1, visibility: 1, endsAt: 1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
  ],
});

export interface SuggestionDoc extends Omit<Stored<PersonalMemorySuggestionDto>, 'sourceIdentityName'> {
  userId: number;
}

export const suggestionRecord = record<SuggestionDoc>('personal_memory_suggestions', {
  noun: 'suggestion',
  list: 'GET /api/personal-memories/suggestions',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, userId: 1, createdAt: -1 } },
    { keys: { status: 1, createdAt: 1 }, name: 'open', partialFilterExpression: { status: 'Pending' } },
  ],
});

/** Each person has memories of their own: nobody else's change a rank. */
export const personScope = (userId: number) => `user:${userId}`;

export const personalKind: Kind<PersonalMemoryDoc> = {
  name: 'personal-memories',
  textOf: ({ title, content }) => (title ? `${title}: ${content}` : content),
  scopesOf: ({ userId }) => [personScope(userId)],
};

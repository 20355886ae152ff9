// Reflections as they are kept and found.
import type { Findable, Kind } from '../../../memory/kinds.ts';
import { record, type Stored } from '../../../ports/record.ts';
import type { ReflectionDto } from '../dto.ts';

export interface ReflectionDoc extends Stored<Omit<ReflectionDto, 'hasEmbedding'>>, Findable {
  _id: number;
  tenantId: number;
}

export const reflectionRecord = record<ReflectionDoc>('reflections', {
  noun: 'reflection',
  list: 'GET /api/identities/{identityId}/reflections',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, compulsionType: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, wasResisted: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, intensity: -1 } },
    { keys: { tenantId: 1, identityId: 1, _id: -1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
  ],
});

export const reflectionScope = (identityId: number): string => `identity:${identityId}`;

export const reflectionKind: Kind<ReflectionDoc> = {
  name: 'reflections',
  textOf: ({ compulsionType, triggerContext, narrative, honestResponse, compliantResponse }) =>
    [
      `${compulsionType.replaceAll(/(?=[A-Z])/g, ' ').trim()}: ${triggerContext}`,
      narrative,
      honestResponse,
      compliantResponse,
    ]
      .filter(Boolean)
      .join('\n'),
  scopesOf: ({ identityId }) => [reflectionScope(identityId)],
};

// Agent memories as they are kept, and which run was told of which.
import type { Expiring } from '../../memory/expiry.ts';
import type { Findable, Kind } from '../../memory/kinds.ts';
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { AgentMemoryDto } from './dto.ts';

export interface AgentMemoryDoc
  extends Omit<Stored<AgentMemoryDto>, 'roleName' | 'identityName' | 'hasEmbedding'>,
    Findable,
    Expiring {
  _id: number;
  tenantId: number;
  /** Of how useful it is, for the order of briefings. */
  usefulness: number;
  /** Requests with a key that have counted it, so that each does once. */
  marks: string[];
}

export const agentMemoryRecord = record<AgentMemoryDoc>('agent_memories', {
  noun: 'agent memory',
  list: 'GET /api/agent-memories',
  inProject: true,
  order: '-createdAtUtc',
  indexes: [
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, endsAt: 1 } },
    { keys: { tenantId: 1, projectId: 1, roleDefinitionId: 1, usefulness: -1 } },
    { keys: { tenantId: 1, roleDefinitionId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, sourceRunId: 1, createdAt: -1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
  ],
});

export interface UseDoc extends KeptDoc {
  memoryId: number;
  runId: number;
  /** Null until the run has ended, or somebody has said it. */
  outcome: 'Helped' | 'Neutral' | 'Hurt' | null;
}

export const useRecord = record<UseDoc>('agent_memory_uses', {
  noun: 'use of an agent memory',
  list: 'GET /api/agent-memories',
  order: '-createdAtUtc',
  lacks: ['guid'],
  indexes: [
    { keys: { tenantId: 1, runId: 1, memoryId: 1 }, unique: true },
    { keys: { tenantId: 1, memoryId: 1 } },
    { keys: { outcome: 1, _id: 1 }, name: 'open', partialFilterExpression: { outcome: null } },
  ],
});

/** Everybody of a tenant finds them. */
export const lessonScope = 'all';

export const lessonKind: Kind<AgentMemoryDoc> = {
  name: 'agent-memories',
  textOf: ({ title, content }) => `${title}: ${content}`,
  scopesOf: () => [lessonScope],
};

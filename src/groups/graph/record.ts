// Entities, relations, and which memory names which entity, as they are kept.
import type { Findable, Kind } from '../../memory/kinds.ts';
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { GraphEdgeDto, GraphNodeDto } from './dto.ts';

export interface NodeDoc extends Omit<Stored<GraphNodeDto>, 'hasEmbedding'>, Findable {
  _id: number;
  tenantId: number;
  createdAt: Date;
  /** Its names as they are compared, the own one first. */
  nameKeys: string[];
  /** Made from a text: it goes when nothing names it any more. */
  isFound: boolean;
}

/** Found in texts that name it no more. */
export const unnamed = { isFound: true, mentionCount: 0, degree: 0 } as const;

export const nodeRecord = record<NodeDoc>('graph_nodes', {
  noun: 'entity',
  list: 'GET /api/graph/nodes',
  order: '-mentionCount',
  search: ['name', 'description'],
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, identityId: 1, mentionCount: -1 } },
    { keys: { tenantId: 1, projectId: 1, mentionCount: -1 } },
    // Each order of the list: who acts as many identities walks it, instead of sorting what they all have.
    { keys: { tenantId: 1, mentionCount: -1 } },
    { keys: { tenantId: 1, degree: -1 } },
    { keys: { tenantId: 1, importance: -1 } },
    { keys: { tenantId: 1, name: 1 } },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, updatedAt: -1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
    { keys: { _id: 1 }, name: 'unnamed', partialFilterExpression: unnamed },
  ],
});

/** A name of an entity, for the look-up by name. */
export interface NameDoc extends KeptDoc {
  nodeId: number;
  identityId: number | null;
  projectId: number | null;
  key: string;
}

export const nameRecord = record<NameDoc>('graph_names', {
  noun: 'name',
  list: 'GET /api/graph/nodes',
  order: '-createdAtUtc',
  lacks: ['guid', 'updatedAt'],
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, identityId: 1, projectId: 1, key: 1, nodeId: 1 } },
    { keys: { tenantId: 1, nodeId: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
  ],
});

export interface EdgeDoc extends Omit<Stored<GraphEdgeDto>, 'fromName' | 'toName'> {
  _id: number;
  tenantId: number;
  createdAt: Date;
  updatedAt: Date;
  /** Null: whoever sees both ends sees it. */
  identityId: number | null;
  /** That of an end of it. */
  projectId: number | null;
  /** Marks of the requests that counted, so that each does once. */
  marks: string[];
}

export const edgeRecord = record<EdgeDoc>('graph_edges', {
  noun: 'relation',
  list: 'GET /api/graph/nodes/{id}',
  order: '-createdAtUtc',
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { tenantId: 1, fromNodeId: 1, toNodeId: 1 } },
    { keys: { tenantId: 1, toNodeId: 1, identityId: 1 } },
    { keys: { tenantId: 1, sourceMemoryId: 1 } },
    { keys: { tenantId: 1, sourceFactId: 1 } },
  ],
});

export interface MentionDoc extends KeptDoc {
  nodeId: number;
  memoryId: number;
  projectId: number | null;
}

export const mentionRecord = record<MentionDoc>('graph_mentions', {
  noun: 'mention',
  list: 'GET /api/graph/nodes/{id}',
  order: '-createdAtUtc',
  lacks: ['guid', 'updatedAt'],
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, nodeId: 1, memoryId: 1 }, unique: true },
    { keys: { tenantId: 1, memoryId: 1 } },
    // For the repair, which looks at all tenants.
    { keys: { memoryId: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
  ],
});

/** The sets that entities are found in: everybody's, and those of an identity. */
export const nodeScope = (identityId: number | null) => (identityId === null ? 'all' : `identity:${identityId}`);

export const nodeKind: Kind<NodeDoc> = {
  name: 'graph-nodes',
  textOf: ({ name, aliases, description }) => [name, ...aliases, description ?? ''].join('\n').trim(),
  scopesOf: ({ identityId }) => [nodeScope(identityId)],
};

// The knowledge graph: entities and how they relate, from memories, facts and people.

import { z } from 'zod';
import { GraphNodeKind, Provenance } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, float, int32, int64, jsonText, nothing, string } from '../../contract/types.ts';
import { GraphEdgeDto, GraphNodeDetailDto, GraphNodeDto, GraphSubgraphDto } from './dto.ts';

const name = string.trim().min(1).max(200);
const relation = string.trim().min(1).max(100);
const read = 'GraphRead';
const write = 'GraphWrite';

export const graph = group(
  'Graph',
  {
    base: '/api/graph',
    doc: 'Entities and how they relate; memories and facts are read for them as they are written.',
  },
  {
    nodes: op.get('/nodes', {
      doc: 'List entities, the most mentioned first. Those of an identity are shown to who may act as it.',
      needs: read,
      query: listQuery(['mentionCount', 'degree', 'importance', 'name', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        q: string.max(200).optional(),
        kind: GraphNodeKind.optional(),
        projectId: int64.optional(),
        identityId: int64.optional(),
        minDegree: int32.optional(),
      }),
      data: page(GraphNodeDto),
    }),
    createNode: op.post('/nodes', {
      doc: 'Create an entity, or merge into the one that has the name, or one of the names, already.',
      needs: write,
      body: fields({
        name,
        kind: GraphNodeKind,
        description: string.max(8000).nullish(),
        aliases: z.array(name).max(50).nullish(),
        projectId: int64.nullish(),
        identityId: int64.nullish(),
        importance: int32.min(0).max(100).nullish(),
        propertiesJson: jsonText.nullish(),
      }),
      data: GraphNodeDto,
    }),
    node: op.get('/nodes/{id}', {
      doc: 'One entity with its relations and the memories that name it; relations that have ended with includeExpired.',
      needs: read,
      query: fields({ includeExpired: boolean.optional() }),
      data: GraphNodeDetailDto,
    }),
    removeNode: op.delete('/nodes/{id}', { doc: 'Delete an entity with its relations.', needs: write, data: nothing }),
    createEdge: op.post('/edges', {
      doc: 'Relate two entities; the same relation again makes it stronger.',
      needs: write,
      body: fields({
        fromNodeId: int64,
        toNodeId: int64,
        relation,
        weight: float.min(0).max(1).nullish(),
        provenance: Provenance.nullish(),
        validFromUtc: dateTime.nullish(),
        validUntilUtc: dateTime.nullish(),
        sourceMemoryId: int64.nullish(),
        sourceFactId: int64.nullish(),
      }),
      data: GraphEdgeDto,
    }),
    removeEdge: op.delete('/edges/{id}', { doc: 'Delete a relation.', needs: write, data: nothing }),
    subgraph: op.get('/subgraph', {
      doc: 'The neighbourhood of an entity or of what a question finds, or the shortest way between two; as it was at a moment with asOfUtc, with centrality and communities with metrics.',
      needs: read,
      query: fields({
        nodeId: int64.optional(),
        targetNodeId: int64.optional(),
        q: string.trim().min(1).max(2000).optional(),
        depth: int32.min(0).max(6).default(2),
        relation: relation.optional(),
        kind: GraphNodeKind.optional(),
        projectId: int64.optional(),
        asOfUtc: dateTime.optional(),
        limit: int32.min(1).max(500).default(100),
        metrics: boolean.optional(),
      }),
      data: GraphSubgraphDto,
    }),
  },
);

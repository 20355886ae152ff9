// Entities and relations as they are answered.
import { z } from 'zod';
import { GraphNodeKind, Provenance } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';
import { MemoryListDto } from '../memories/dto.ts';

const node = {
  id: int64,
  guid: uuid,
  name: string,
  kind: GraphNodeKind,
  aliases: z.array(string),
  description: string.nullable(),
  projectId: int64.nullable(),
  /** Null: everybody of the tenant sees it; else those who may act as the identity. */
  identityId: int64.nullable(),
  importance: int32,
  mentionCount: int32,
  degree: int32,
  hasEmbedding: boolean,
  propertiesJson: string.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
};

export const GraphNodeDto = dto('GraphNodeDto', node);
export type GraphNodeDto = z.output<typeof GraphNodeDto>;

export const GraphEdgeDto = dto('GraphEdgeDto', {
  id: int64,
  guid: uuid,
  fromNodeId: int64,
  fromName: string,
  toNodeId: int64,
  toName: string,
  relation: string,
  weight: float,
  provenance: Provenance,
  observedCount: int32,
  sourceMemoryId: int64.nullable(),
  sourceFactId: int64.nullable(),
  validFromUtc: dateTime.nullable(),
  validUntilUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type GraphEdgeDto = z.output<typeof GraphEdgeDto>;

export const GraphNodeDetailDto = dto('GraphNodeDetailDto', {
  ...node,
  outgoing: z.array(GraphEdgeDto),
  incoming: z.array(GraphEdgeDto),
  memories: z.array(MemoryListDto),
});
export type GraphNodeDetailDto = z.output<typeof GraphNodeDetailDto>;

export const GraphNodeMetricDto = dto('GraphNodeMetricDto', {
  nodeId: int64,
  degree: int32,
  weightedDegree: double,
  pageRank: double,
  betweenness: double.nullable(),
  communityId: int32,
});

export const GraphSubgraphDto = dto('GraphSubgraphDto', {
  nodes: z.array(GraphNodeDto),
  edges: z.array(GraphEdgeDto),
  /** The shortest way to the target, both ends included. */
  pathNodeIds: z.array(int64),
  metrics: z.array(GraphNodeMetricDto),
  truncated: boolean,
});
export type GraphSubgraphDto = z.output<typeof GraphSubgraphDto>;

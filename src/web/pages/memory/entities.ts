// A neighbourhood of entities as it is drawn, and as it is ranked.
import type { GraphNodeKind, GraphSubgraphDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import type { GraphEdge, GraphNode } from '../../ui/node-layout.ts';

/** Colours of charts, by what kinds have in common. */
const tones: Readonly<Record<GraphNodeKind, number>> = {
  Person: 1,
  Identity: 1,
  Organization: 2,
  Project: 2,
  Place: 3,
  Event: 4,
  Concept: 5,
  Topic: 5,
  Technology: 5,
  Document: 6,
  Artifact: 6,
  Other: 6,
};

export function drawn({ nodes, edges, pathNodeIds, metrics }: GraphSubgraphDto) {
  const onPath = new Set(pathNodeIds);
  const rank = new Map(metrics.map(({ nodeId, pageRank }) => [nodeId, pageRank]));
  const highest = Math.max(...rank.values(), 1e-9);
  const most = Math.max(...nodes.map(({ degree }) => degree), 1);
  return {
    nodes: nodes.map(
      (one): GraphNode => ({
        id: one.id,
        label: one.name,
        detail: t('{kind}, {n} relations', { kind: words(one.kind).toLowerCase(), n: one.degree }),
        weight: rank.has(one.id) ? (rank.get(one.id) ?? 0) / highest : (0.6 * one.degree) / most,
        tone: tones[one.kind],
        marked: onPath.has(one.id),
      }),
    ),
    edges: edges.map(
      (one): GraphEdge => ({
        id: one.id,
        from: one.fromNodeId,
        to: one.toNodeId,
        label: one.relation,
        weight: one.weight,
        dashed: one.validUntilUtc !== null,
        marked: onPath.has(one.fromNodeId) && onPath.has(one.toNodeId),
      }),
    ),
  };
}

/** The most central first. */
export function metricsOf({ nodes, metrics }: GraphSubgraphDto) {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const highest = Math.max(...metrics.map(({ pageRank }) => pageRank), 1e-9);
  return metrics
    .map(({ nodeId, degree, pageRank, betweenness, communityId }) => ({
      id: nodeId,
      name: names.get(nodeId) ?? '',
      share: pageRank / highest,
      degree,
      betweenness,
      community: communityId + 1,
    }))
    .sort((one, other) => other.share - one.share);
}

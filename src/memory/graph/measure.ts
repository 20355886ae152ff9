// Measures of a part of the graph, by a library: paths, central nodes and communities.
import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import betweennessModule from 'graphology-metrics/centrality/betweenness.js';
import pagerankModule from 'graphology-metrics/centrality/pagerank.js';
import { bidirectional } from 'graphology-shortest-path/unweighted.js';

/** These modules export their function itself, but declare it as `default`. */
const own = <T>(module: { default: T }): T => module as unknown as T;
const louvain = own(louvainModule);
const betweenness = own(betweennessModule);
const pagerank = own(pagerankModule);

export interface MeasuredEdge {
  fromNodeId: number;
  toNodeId: number;
  weight: number;
}

export interface NodeMetric {
  nodeId: number;
  degree: number;
  weightedDegree: number;
  pageRank: number;
  /** Betweenness; null where there are too many nodes to compute it during a request. */
  betweenness: number | null;
  communityId: number;
}

/** Limit of nodes for betweenness, whose cost grows with their square. */
const mostForBetweenness = 300;

function graphOf(nodeIds: readonly number[], edges: readonly MeasuredEdge[]): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (const id of nodeIds) graph.mergeNode(String(id));
  for (const { fromNodeId, toNodeId, weight } of edges) {
    if (fromNodeId === toNodeId || !graph.hasNode(String(fromNodeId)) || !graph.hasNode(String(toNodeId))) continue;
    // Several relations between two nodes add up to a stronger edge.
    graph.updateEdge(String(fromNodeId), String(toNodeId), (old) => ({
      weight: ((old.weight as number) ?? 0) + weight,
    }));
  }
  return graph;
}

/** Shortest path between two nodes, both included; empty where there is none. */
export function pathBetween(
  nodeIds: readonly number[],
  edges: readonly MeasuredEdge[],
  from: number,
  to: number,
): number[] {
  const graph = graphOf(nodeIds, edges);
  if (!graph.hasNode(String(from)) || !graph.hasNode(String(to))) return [];
  return (bidirectional(graph, String(from), String(to)) ?? []).map(Number);
}

/** Communities, the same for the same graph: they are searched in a fixed order. */
export function measure(nodeIds: readonly number[], edges: readonly MeasuredEdge[]): NodeMetric[] {
  if (nodeIds.length === 0) return [];
  const graph = graphOf(nodeIds, edges);
  const ranks =
    graph.size === 0 ? {} : pagerank(graph, { getEdgeWeight: 'weight', maxIterations: 500, tolerance: 1e-4 });
  const between = graph.order <= mostForBetweenness ? betweenness(graph, { getEdgeWeight: null }) : null;
  const communities =
    graph.size === 0 ? {} : louvain(graph, { getEdgeWeight: 'weight', randomWalk: false, rng: () => 0.5 });
  return nodeIds.map((nodeId, at) => {
    const key = String(nodeId);
    const weights = graph.edges(key).map((edge) => graph.getEdgeAttribute(edge, 'weight') as number);
    return {
      nodeId,
      degree: weights.length,
      weightedDegree: weights.reduce((sum, one) => sum + one, 0),
      pageRank: ranks[key] ?? 1 / nodeIds.length,
      betweenness: between ? (between[key] ?? 0) : null,
      communityId: communities[key] ?? at,
    };
  });
}

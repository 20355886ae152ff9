// Paths and the weight of nodes in a part of the graph, by a library.
import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import betweennessModule from 'graphology-metrics/centrality/betweenness.js';
import pagerankModule from 'graphology-metrics/centrality/pagerank.js';
import { bidirectional } from 'graphology-shortest-path/unweighted.js';

/** These modules export their function itself, and declare it as `default`. */
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
  /** Null where there are too many nodes to work it out while somebody waits. */
  betweenness: number | null;
  communityId: number;
}

/** Nodes for which betweenness is worked out: it grows with their square. */
const mostForBetweenness = 300;

function graphOf(nodeIds: readonly number[], edges: readonly MeasuredEdge[]): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (const id of nodeIds) graph.mergeNode(String(id));
  for (const { fromNodeId, toNodeId, weight } of edges) {
    if (fromNodeId === toNodeId || !graph.hasNode(String(fromNodeId)) || !graph.hasNode(String(toNodeId))) continue;
    // Several relations between two nodes join them the more.
    graph.updateEdge(String(fromNodeId), String(toNodeId), (old) => ({
      weight: ((old.weight as number) ?? 0) + weight,
    }));
  }
  return graph;
}

/** The shortest way between two nodes, both included; empty where there is none. */
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

/** The same for the same graph: the communities are sought in a fixed order. */
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

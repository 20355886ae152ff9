// Walks the graph from some entities, breadth first, along relations that hold and that the caller may see.
import { measure, pathBetween } from '../../memory/graph/measure.ts';
import type { Filter } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { EdgeDoc, NodeDoc } from './record.ts';
import type { Sight } from './visible.ts';

interface Walk {
  tenantId: number;
  sight: Sight;
  starts: readonly NodeDoc[];
  target: NodeDoc | null;
  depth: number;
  limit: number;
  relation?: string | undefined;
  kind?: NodeDoc['kind'] | undefined;
  projectId?: number | undefined;
  at: Date | null;
}

export interface Walked {
  nodes: NodeDoc[];
  edges: EdgeDoc[];
  pathNodeIds: number[];
  truncated: boolean;
}

/** Entities and relations that are looked at for one answer. */
const mostLooked = 5000;
/** Steps that are taken to find a way. */
const mostSteps = 8;

/** Whether a relation holds at a moment; at none in particular where `at` is null and it has not ended by `now`. */
export const holdsIn = ({ validFrom, validUntil }: Pick<EdgeDoc, 'validFrom' | 'validUntil'>, at: Date): boolean =>
  (validFrom === null || validFrom <= at) && (validUntil === null || validUntil > at);

export function createWalk(nodes: Keeper<NodeDoc>, edges: Keeper<EdgeDoc>, now: () => Date) {
  return async function walk(ask: Walk): Promise<Walked> {
    const at = ask.at ?? now();
    const isStart = new Set(ask.starts.map(({ _id }) => _id));
    if (ask.target) isStart.add(ask.target._id);
    const mayShow = (node: NodeDoc) =>
      ask.sight.sees(node) &&
      (isStart.has(node._id) ||
        ((ask.kind === undefined || node.kind === ask.kind) &&
          (ask.projectId === undefined || node.projectId === ask.projectId || node.projectId === null)));
    const seen = new Map(ask.starts.filter(mayShow).map((node) => [node._id, node]));
    const found = new Map<number, EdgeDoc>();
    const refused = new Set<number>();
    let front = [...seen.keys()];
    let truncated = false;
    const steps = ask.target ? mostSteps : ask.depth;
    for (let step = 0; step < steps && front.length > 0; step++) {
      if (ask.target && seen.has(ask.target._id)) break;
      const around = await edgesOf(ask, front);
      truncated ||= around.length >= mostLooked;
      const usable = around.filter(
        (edge) => holdsIn(edge, at) && (ask.relation === undefined || edge.relation === ask.relation),
      );
      const ids = usable.flatMap(({ fromNodeId, toNodeId }) => [fromNodeId, toNodeId]);
      const fresh = [...new Set(ids)].filter((id) => !seen.has(id) && !refused.has(id));
      const loaded =
        fresh.length === 0
          ? []
          : await nodes
              .of(ask.tenantId)
              .find({ _id: { $in: fresh } })
              .toArray();
      loaded.sort((one, other) => other.mentionCount - one.mentionCount || one._id - other._id);
      front = [];
      for (const node of loaded) {
        if (!mayShow(node)) refused.add(node._id);
        else if (seen.size >= (ask.target ? mostLooked : ask.limit)) truncated = true;
        else {
          seen.set(node._id, node);
          front.push(node._id);
        }
      }
      for (const edge of usable) if (seen.has(edge.fromNodeId) && seen.has(edge.toNodeId)) found.set(edge._id, edge);
    }
    return shape(ask, seen, [...found.values()], truncated);
  };

  async function edgesOf({ tenantId, sight }: Walk, ids: readonly number[]): Promise<EdgeDoc[]> {
    const of = edges.of(tenantId);
    const seen = sight.filter<EdgeDoc>();
    const [from, to] = await Promise.all([
      of.find({ fromNodeId: { $in: [...ids] }, ...seen } as Filter<EdgeDoc>, { limit: mostLooked }).toArray(),
      of.find({ toNodeId: { $in: [...ids] }, ...seen } as Filter<EdgeDoc>, { limit: mostLooked }).toArray(),
    ]);
    return [...from, ...to];
  }
}

/** What was walked, or of a way alone what lies on it. */
function shape(
  { starts, target }: Walk,
  seen: ReadonlyMap<number, NodeDoc>,
  edges: EdgeDoc[],
  truncated: boolean,
): Walked {
  if (!target) return { nodes: [...seen.values()], edges, pathNodeIds: [], truncated };
  const start = starts[0];
  const way = start ? pathBetween([...seen.keys()], edges, start._id, target._id) : [];
  const on = new Set(way);
  const nodes = way.flatMap((id) => seen.get(id) ?? []);
  return {
    nodes,
    edges: edges.filter(({ fromNodeId, toNodeId }) => on.has(fromNodeId) && on.has(toNodeId)),
    pathNodeIds: way,
    truncated,
  };
}

export const measured = ({ nodes, edges }: Walked) =>
  measure(
    nodes.map(({ _id }) => _id),
    edges,
  );

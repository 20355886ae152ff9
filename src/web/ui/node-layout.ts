// Where the nodes of a graph stand: forces, run to their rest at once, the same each time.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';

export interface GraphNode {
  id: number;
  label: string;
  /** What else is said of it, for screen readers. */
  detail?: string;
  /** 0 to 1. */
  weight: number;
  /** One of the six colours of charts. */
  tone: number;
  marked?: boolean;
}

export interface GraphEdge {
  id: number;
  from: number;
  to: number;
  label: string;
  /** 0 to 1. */
  weight: number;
  dashed?: boolean;
  marked?: boolean;
}

export interface Placed extends GraphNode {
  x: number;
  y: number;
  radius: number;
}

const rounds = 260;
const radiusOf = (weight: number) => 5 + 9 * Math.sqrt(Math.min(1, Math.max(0, weight)));

export function layoutOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Placed[] {
  const placed = nodes.map((one) => ({ ...one, radius: radiusOf(one.weight) }) as Placed);
  const there = new Set(nodes.map(({ id }) => id));
  const links = edges
    .filter(({ from, to }) => there.has(from) && there.has(to))
    .map(({ from, to }) => ({ source: from, target: to }));
  forceSimulation(placed)
    .force(
      'links',
      forceLink<Placed, { source: number; target: number }>(links)
        .id(({ id }) => id)
        .distance(130),
    )
    .force('charge', forceManyBody().strength(-340))
    // Labels are wide: nodes keep more room than their circles need.
    .force(
      'room',
      forceCollide<Placed>(({ radius }) => radius + 22),
    )
    .force('x', forceX(0).strength(0.05))
    .force('y', forceY(0).strength(0.09))
    .stop()
    .tick(rounds);
  return placed;
}

/** The node that lies nearest in a direction. */
export function toward(from: Placed, all: readonly Placed[], [dx, dy]: readonly [number, number]): Placed | null {
  let best: Placed | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const one of all) {
    const along = (one.x - from.x) * dx + (one.y - from.y) * dy;
    if (one.id === from.id || along <= 0) continue;
    const aside = Math.abs((one.x - from.x) * dy) + Math.abs((one.y - from.y) * dx);
    const cost = along + 2 * aside;
    if (cost < least) [best, least] = [one, cost];
  }
  return best;
}

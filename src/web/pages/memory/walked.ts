// What of the graph of memories was walked through in this tab: the newest memories with their links.
import type { HebbianLinkDto, MemoryDetailDto } from '../../../client/index.ts';
import { words } from '../../base/i18n.ts';
import type { GraphEdge, GraphNode } from '../../ui/node-layout.ts';

export interface Walked {
  nodes: Map<number, GraphNode>;
  edges: Map<number, GraphEdge>;
}

/** Memories whose links stay drawn. */
const mostSteps = 6;

let steps: MemoryDetailDto[] = [];

/** The walk with one more step; one that does not touch what was drawn begins anew. */
export function seen(memory: MemoryDetailDto): Walked {
  const before = steps.filter(({ id }) => id !== memory.id);
  const touches = before.some((one) => linksOf(one).some((link) => endsOf(link).includes(memory.id)));
  const known = steps.some(({ id }) => id === memory.id);
  steps = touches || known ? [...before, memory].slice(-mostSteps) : [memory];
  const nodes = new Map<number, GraphNode>();
  const edges = new Map<number, GraphEdge>();
  for (const step of steps) {
    for (const link of linksOf(step)) {
      edges.set(link.id, edgeOf(link));
      add(nodes, link.fromMemoryId, link.fromMemoryTitle);
      add(nodes, link.toMemoryId, link.toMemoryTitle);
    }
  }
  for (const step of steps) nodes.set(step.id, { id: step.id, label: step.title, weight: 0.7, tone: 1 });
  return { nodes, edges };
}

const linksOf = ({ linksFrom, linksTo }: MemoryDetailDto) => [...linksFrom, ...linksTo];
const endsOf = ({ fromMemoryId, toMemoryId }: HebbianLinkDto) => [fromMemoryId, toMemoryId];

function add(nodes: Map<number, GraphNode>, id: number, title: string | null) {
  if (!nodes.has(id)) nodes.set(id, { id, label: title ?? String(id), weight: 0.25, tone: 2 });
}

const edgeOf = ({ id, fromMemoryId, toMemoryId, type, strength }: HebbianLinkDto): GraphEdge => ({
  id,
  from: fromMemoryId,
  to: toMemoryId,
  label: words(type),
  weight: strength,
  dashed: type === 'Contradicts' || type === 'Supersedes',
});

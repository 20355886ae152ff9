// Neighbours of hits: a hit lends a share of its score along its links.
import { lending } from '../constants.ts';
import type { Link } from '../ports.ts';

export interface Lent {
  score: number;
  /** Memory that lent the most. */
  viaId: number;
}

/** Links that say that one memory replaces or denies the other, which is no reason to propose it. */
const unlike: ReadonlySet<string> = new Set(['Supersedes', 'Contradicts']);

/**
 * Score lent to each memory over `depth` steps: of each step the best offer at that distance. The sum of all offers
 * would
 * let a memory with many links outrank direct hits, and found less (docs/adr/0017-memory.md).
 */
export function lend(
  scores: ReadonlyMap<number, number>,
  links: readonly Link[],
  depth: number,
  share: number = lending.share,
): Map<number, Lent> {
  const around = neighboursOf(links);
  const bySteps = Array.from({ length: depth }, () => new Map<number, Lent>());
  for (const [seed, score] of scores) {
    const reached = new Set([seed]);
    let edge = new Map([[seed, score]]);
    for (const best of bySteps) {
      edge = stepFrom(edge, around, reached, share);
      for (const [id, offer] of edge) {
        reached.add(id);
        if (offer > (best.get(id)?.score ?? 0)) best.set(id, { score: offer, viaId: seed });
      }
    }
  }
  const all = new Map<number, Lent>();
  for (const [id, { score, viaId }] of bySteps.flatMap((best) => [...best])) {
    const nearer = all.get(id);
    all.set(id, nearer ? { score: nearer.score + score, viaId: nearer.viaId } : { score, viaId });
  }
  return all;
}

/** Offers of the present edge to memories not reached yet. */
function stepFrom(edge: Map<number, number>, around: Neighbours, reached: ReadonlySet<number>, share: number) {
  const next = new Map<number, number>();
  for (const [id, score] of edge)
    for (const { id: to, strength } of around.get(id) ?? []) {
      const offer = share * strength * score;
      if (!reached.has(to) && offer > (next.get(to) ?? 0)) next.set(to, offer);
    }
  return next;
}

type Neighbours = ReadonlyMap<number, readonly { id: number; strength: number }[]>;

function neighboursOf(links: readonly Link[]): Neighbours {
  const around = new Map<number, { id: number; strength: number }[]>();
  const join = (from: number, to: number, strength: number) => {
    const known = around.get(from);
    if (known) known.push({ id: to, strength });
    else around.set(from, [{ id: to, strength }]);
  };
  for (const { fromMemoryId, toMemoryId, type, strength } of links) {
    if (unlike.has(type)) continue;
    join(fromMemoryId, toMemoryId, strength);
    join(toMemoryId, fromMemoryId, strength);
  }
  return around;
}

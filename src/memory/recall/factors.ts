// What speaks for a memory besides its match: bounded factors, so that they order what matches alike.
import { factors } from '../constants.ts';
import type { Remembered } from '../ports.ts';

export interface FactorWeights {
  importance: number;
  recency: number;
}

/** Told by others, or made up by a model: never above what was seen, by whatever else speaks for it. */
const secondHand: ReadonlySet<Remembered['provenance']> = new Set(['Reported', 'Generated']);

/**
 * The factor of a memory; 1 is neither for nor against. Second-hand ones have theirs moved below the least that a
 * first-hand one can have, so that at an equal match they come after it.
 */
export function factorOf(
  memory: Pick<Remembered, 'importance' | 'createdAt' | 'accessCount' | 'provenance'>,
  now: number,
  weights: FactorWeights = factors,
): number {
  const age = Math.max(0, now - memory.createdAt.getTime());
  const parts: [weight: number, value: number][] = [
    [bounded(weights.importance), Math.min(1, Math.max(0, memory.importance / 10)) * 2 - 1],
    [bounded(weights.recency), 2 * 0.5 ** (age / factors.recencyHalfLifeMs) - 1],
    [factors.access, memory.accessCount / (memory.accessCount + factors.accessHalf)],
  ];
  const of = (pick: (value: number) => number) =>
    parts.reduce((product, [weight, value]) => product * (1 + weight * pick(value)), 1);
  const own = of((value) => value);
  if (!secondHand.has(memory.provenance)) return own;
  const most = of(() => 1);
  const least = of(() => -1);
  return (own * least) / most;
}

/** However much weight is asked for: a match of half the score stays behind. */
const bounded = (weight: number) => Math.min(Math.max(weight, 0), 0.3);

// What speaks for a memory besides its match: bounded factors, so that they order what matches alike.
import { factors } from '../constants.ts';
import type { Remembered } from '../ports.ts';

export interface FactorWeights {
  importance: number;
  recency: number;
}

/** Told by others, or made up by a model: never above what was seen, by whatever else speaks for it. */
const secondHand: ReadonlySet<Remembered['provenance']> = new Set(['Reported', 'Generated']);

export interface NamedFactor {
  name: 'Importance' | 'Recency' | 'Use' | 'SecondHand';
  /** 1 is neither for nor against. */
  value: number;
}

/**
 * The factor of a memory; 1 is neither for nor against. Second-hand ones have theirs moved below the least that a
 * first-hand one can have, so that at an equal match they come after it.
 */
export function factorOf(memory: Judged, now: number, weights: FactorWeights = factors): number {
  const parts = partsOf(memory, now, weights);
  const own = product(parts, ({ value }) => value);
  return secondHand.has(memory.provenance) ? own * lowered(parts) : own;
}

/** The same, part by part: what their product is the factor of. */
export function factorsOf(memory: Judged, now: number, weights: FactorWeights = factors): NamedFactor[] {
  const parts = partsOf(memory, now, weights);
  const all = parts.map(({ name, weight, value }) => ({ name, value: 1 + weight * value }));
  return secondHand.has(memory.provenance) ? [...all, { name: 'SecondHand' as const, value: lowered(parts) }] : all;
}

type Judged = Pick<Remembered, 'importance' | 'createdAt' | 'accessCount' | 'provenance'>;

interface Part {
  name: NamedFactor['name'];
  weight: number;
  /** -1 to 1. */
  value: number;
}

function partsOf(memory: Judged, now: number, weights: FactorWeights): Part[] {
  const age = Math.max(0, now - memory.createdAt.getTime());
  const importance = Math.min(1, Math.max(0, memory.importance / 10)) * 2 - 1;
  const recency = 2 * 0.5 ** (age / factors.recencyHalfLifeMs) - 1;
  const use = memory.accessCount / (memory.accessCount + factors.accessHalf);
  return [
    { name: 'Importance', weight: bounded(weights.importance), value: importance },
    { name: 'Recency', weight: bounded(weights.recency), value: recency },
    { name: 'Use', weight: factors.access, value: use },
  ];
}

const product = (parts: readonly Part[], pick: (part: Part) => number) =>
  parts.reduce((all, part) => all * (1 + part.weight * pick(part)), 1);

/** What moves the most below the least. */
const lowered = (parts: readonly Part[]) => product(parts, () => -1) / product(parts, () => 1);

/** However much weight is asked for: a match of half the score stays behind. */
const bounded = (weight: number) => Math.min(Math.max(weight, 0), 0.3);

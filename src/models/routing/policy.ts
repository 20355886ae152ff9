// How a route chooses among its targets: pure, from what is known of each candidate.
import type { AIRoutePolicy } from '../../contract/enums.ts';
import type { RouteCandidate } from '../../ports/model-router.ts';

export interface Rated extends Omit<RouteCandidate, 'rank' | 'score'> {
  /** Lower comes first. */
  priority: number;
  weight: number;
  maxConcurrency: number | null;
}

export interface Chance {
  /** Uniform in [0, 1). */
  random: () => number;
  /** Calls of this route so far. */
  turn: number;
}

/**
 * Ranks candidates: eligible ones by the policy, then the others, each in its given order. The score is what the policy
 * ordered by, the higher the better. What is not yet known counts as good, so that new models are tried.
 */
export function rank(policy: AIRoutePolicy, candidates: readonly Rated[], chance: Chance): RouteCandidate[] {
  const eligible = candidates.filter((one) => one.eligible);
  const scores = scoresOf(policy, eligible, chance);
  const order = eligible
    .map((candidate, at) => ({ candidate, score: scores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.candidate.priority - b.candidate.priority);
  const others = candidates.filter((one) => !one.eligible).map((candidate) => ({ candidate, score: 0 }));
  return [...order, ...others].map(({ candidate, score }, at) => {
    const { priority, weight, maxConcurrency, ...facts } = candidate;
    return { ...facts, rank: at + 1, score };
  });
}

function scoresOf(policy: AIRoutePolicy, candidates: readonly Rated[], { random, turn }: Chance): number[] {
  switch (policy) {
    case 'Priority':
      return candidates.map(({ priority }) => -priority);
    case 'Weighted':
      // Weighted sampling without replacement (Efraimidis and Spirakis, 2006): the largest u^(1/w) comes first.
      return candidates.map(({ weight }) => (weight > 0 ? random() ** (1 / weight) : 0));
    case 'RoundRobin':
      return candidates.map((_, at) => -((at - (turn % candidates.length) + candidates.length) % candidates.length));
    case 'LowestCost':
      return candidates.map(({ estimatedCostUsd }) => -(estimatedCostUsd ?? 0));
    case 'LowestLatency':
      return candidates.map(({ latencyP50Ms }) => -(latencyP50Ms ?? 0));
    case 'LeastBusy':
      return candidates.map(({ inFlight, maxConcurrency }) => -inFlight / (maxConcurrency ?? 1_000));
    case 'Healthiest':
      return candidates.map(({ errorRate, latencyP50Ms }) => -errorRate - (latencyP50Ms ?? 0) / 10_000_000);
    default:
      return policy satisfies never;
  }
}

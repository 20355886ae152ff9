// Constants of memory, in one place, each with its source.

/** Candidates per leg at first; more are requested while filters leave too few. */
export const proposals = { first: 200, growth: 4, most: 12_800 } as const;

/**
 * How much of its score a hit lends to what it is linked with, a step, and how many steps. Half of it to the memories
 * before and after, and half of that to the next, found .822 instead of .740 of the evidence in the first twenty on
 * four
 * dialogues of LoCoMo; flat between .4 and .7 (`npm run bench -- --only memory`).
 */
export const lending = { share: 0.5, depth: 2, seeds: 200, mostLinks: 2000 } as const;

/** Window in ms within which memories of one identity count as neighbours in time. */
export const neighbourMs = 30 * 60_000;

/**
 * Factors on a match, each around 1 and bounded, so that none of them makes a bad match a good one (after Hindsight's
 * `reranking.py`: 1 ± half of a weight of .2).
 */
export const factors = {
  /** Weight of importance, whose values 0 to 10 are capped at 10. */
  importance: 0.1,
  /** Weight of age; its half-life below is 90 days, as in Hindsight. */
  recency: 0.1,
  recencyHalfLifeMs: 90 * 24 * 60 * 60_000,
  /** Weight of reads, 1 − 1/(1 + n/10), so that often read memories do not gain without bound. */
  access: 0.05,
  accessHalf: 10,
  /** Weight of memories inside the time window that a question names. */
  window: 0.3,
  /** Factor of a superseded memory: it stays readable, below its successor. */
  superseded: 0.5,
} as const;

/** Share of common words from which two memories of one identity are duplicates (MinHash's bar in graphiti: .9). */
export const nearDuplicate = 0.9;

/**
 * What runs say of an agent memory: its writer's confidence counts as so many runs, and below `least` no run is told of
 * it (a memory of confidence .5 that hurt three times and never helped).
 */
export const usefulness = { prior: 4, least: 0.3 } as const;

/** An inferred interest weighs half of all after so many mentions, and fades by half in so many ms without one. */
export const interest = { half: 5, halfLifeMs: 90 * 24 * 60 * 60_000 } as const;

/** Characters per token, where no tokenizer is used. */
export const charactersPerToken = 4;

export const linkStrength = { initial: 0.5, temporal: 1, increment: 0.1 } as const;

/** Age in ms after which a rule that never came up may be stale: a month. */
export const staleRules = { unusedMs: 30 * 24 * 60 * 60_000 } as const;

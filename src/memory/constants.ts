// The numbers that memory goes by, in one place, each with where it comes from.

/** Documents that each leg proposes at first; filters that leave too few have more proposed. */
export const proposals = { first: 200, growth: 4, most: 12_800 } as const;

/**
 * How much of its score a hit lends to what it is linked with, a step, and how many steps. Half of it to the memories
 * before and after, and half of that to the next, found .822 instead of .740 of the evidence in the first twenty on four
 * dialogues of LoCoMo; flat between .4 and .7 (`npm run bench -- --only memory`).
 */
export const lending = { share: 0.5, depth: 2, seeds: 200, mostLinks: 2000 } as const;

/** Memories of an identity that were written within this many ms of each other are neighbours in time. */
export const neighbourMs = 30 * 60_000;

/**
 * Factors on a match, each around 1 and bounded, so that none of them makes a bad match a good one (after Hindsight's
 * `reranking.py`: 1 ± half of a weight of .2).
 */
export const factors = {
  /** Of importances 0 to 10; more counts as 10. */
  importance: 0.1,
  /** Of age: halved every 90 days, as Hindsight has it. */
  recency: 0.1,
  recencyHalfLifeMs: 90 * 24 * 60 * 60_000,
  /** Of reads: 1 − 1/(1 + n/10), so that often read ones do not become richer without end. */
  access: 0.05,
  accessHalf: 10,
  /** For what lies in the window of time that a question names. */
  window: 0.3,
  /** For what another memory supersedes: it stays readable, below its successor. */
  superseded: 0.5,
} as const;

/** Two memories of one identity that have so many of their words in common say the same (MinHash's bar in graphiti: .9). */
export const nearDuplicate = 0.9;

/**
 * What runs say of an agent memory: its writer's confidence counts as so many runs, and below `least` no run is told of
 * it (a memory of confidence .5 that hurt three times and never helped).
 */
export const usefulness = { prior: 4, least: 0.3 } as const;

/** An inferred interest weighs half of all after so many mentions, and fades by half in so many ms without one. */
export const interest = { half: 5, halfLifeMs: 90 * 24 * 60 * 60_000 } as const;

/** Characters of a text for a token, where no tokenizer is asked. */
export const charactersPerToken = 4;

export const linkStrength = { initial: 0.5, temporal: 1, increment: 0.1 } as const;

/** A rule that has not come up for so long may be of no use: a month, in ms. */
export const staleRules = { unusedMs: 30 * 24 * 60 * 60_000 } as const;

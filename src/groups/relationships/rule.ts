// How what happens between two identities moves trust, familiarity and sentiment: one pure rule, its constants here.
//
// Time first: familiarity halves towards 0, sentiment towards 0, and trust towards 0.5, which is the trust in a stranger.
// Then an interaction draws each of them a step towards where it leads: `x += rate × weight × (goal − x)`. A step is a
// share of what is left, so that nothing ever leaves its bounds, and a hundred small favours never outweigh for good.
// Bad experience counts twice as fast as good, as trust is easier lost than won.
import type { InteractionKind } from '../../contract/enums.ts';

export interface Bond {
  /** From 0 to 1; 0.5 is a stranger's. */
  trust: number;
  /** From 0 to 1. */
  familiarity: number;
  /** From -1 to 1. */
  sentiment: number;
}

/** What one interaction is made of. */
export interface Step {
  kind: InteractionKind;
  /** From -1 to 1: how it went. */
  sentiment: number;
  /** From 0 to 1: how much it counts. */
  weight: number;
}

export const stranger: Bond = { trust: 0.5, familiarity: 0, sentiment: 0 };

const dayMs = 86_400_000;
/** Days in which the distance to the resting value halves. */
export const halfLives = { trust: 365, familiarity: 180, sentiment: 90 } as const;

/** How far one interaction of full weight goes, and how it usually went, where nobody says. */
const kinds: Record<InteractionKind, { rate: number; sentiment: number }> = {
  Message: { rate: 0.02, sentiment: 0 },
  Collaboration: { rate: 0.08, sentiment: 0.4 },
  Delegation: { rate: 0.06, sentiment: 0.2 },
  Review: { rate: 0.08, sentiment: 0 },
  Feedback: { rate: 0.1, sentiment: 0 },
  Conflict: { rate: 0.12, sentiment: -0.6 },
  Agreement: { rate: 0.06, sentiment: 0.4 },
  Help: { rate: 0.1, sentiment: 0.6 },
  Council: { rate: 0.04, sentiment: 0.1 },
  Handoff: { rate: 0.08, sentiment: 0.3 },
  Other: { rate: 0.04, sentiment: 0 },
};
const badTimes = 2;

/** How an interaction of a kind usually goes, from -1 to 1. */
export const usualSentiment = (kind: InteractionKind): number => kinds[kind].sentiment;

/** A bond after time in which nothing happened; the clock going back changes nothing. */
export function faded({ trust, familiarity, sentiment }: Bond, ms: number): Bond {
  const left = (days: number) => 0.5 ** (Math.max(0, ms) / dayMs / days);
  return {
    trust: stranger.trust + (trust - stranger.trust) * left(halfLives.trust),
    familiarity: familiarity * left(halfLives.familiarity),
    sentiment: sentiment * left(halfLives.sentiment),
  };
}

/** A bond after an interaction. Always within bounds, and more of the same never turns it round. */
export function moved(bond: Bond, { kind, sentiment, weight }: Step): Bond {
  const { rate } = kinds[kind];
  const pace = rate * weight;
  const felt = pace * (sentiment < 0 ? badTimes : 1);
  const towards = (from: number, goal: number, share: number) => from + Math.min(1, share) * (goal - from);
  return {
    // How strongly it went decides how far trust goes; where it went neither way, trust stays.
    trust: towards(bond.trust, sentiment < 0 ? 0 : 1, felt * Math.abs(sentiment)),
    familiarity: towards(bond.familiarity, 1, pace),
    sentiment: towards(bond.sentiment, sentiment, felt),
  };
}

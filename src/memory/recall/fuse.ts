// Fusion of two legs by score: each is scaled to 0…1, then added by weight.
//
// Ranks alone (reciprocal rank fusion) were worse than words alone on 1,533 questions about real conversations, with
// every embedder that was tried; docs/adr/0017-memory.md has the table.

export interface Leg {
  id: number;
  score: number;
}

export interface Fused {
  id: number;
  score: number;
  /** Scaled score of the leg, 0 to 1; null where it did not find the document. */
  semantic: number | null;
  keyword: number | null;
}

/** @example fuse(semanticHits, keywordHits, { semantic: 0.3, keyword: 0.7 }) */
export function fuse(
  semantic: readonly Leg[],
  keyword: readonly Leg[],
  weights: { semantic: number; keyword: number },
): Map<number, Fused> {
  const total = weights.semantic + weights.keyword || 1;
  // An absent word scores 0, so the scale of words starts there.
  const meaning = stretched(semantic, Math.min(...semantic.map(({ score }) => score)));
  const words = stretched(keyword, 0);
  const fused = new Map<number, Fused>();
  for (const id of new Set([...meaning.keys(), ...words.keys()])) {
    const parts = { semantic: meaning.get(id) ?? null, keyword: words.get(id) ?? null };
    const sum = weights.semantic * (parts.semantic ?? 0) + weights.keyword * (parts.keyword ?? 0);
    fused.set(id, { id, score: sum / total, ...parts });
  }
  return fused;
}

function stretched(leg: readonly Leg[], least: number): Map<number, number> {
  const most = Math.max(...leg.map(({ score }) => score));
  return new Map(leg.map(({ id, score }) => [id, most > least ? (score - least) / (most - least) : 1]));
}

/** Legs of different models as one: their scores are not comparable, so each is scaled on its own. */
export function apart(legs: readonly (readonly Leg[])[]): Leg[] {
  return legs.flatMap((leg) => {
    const least = Math.min(...leg.map(({ score }) => score));
    return [...stretched(leg, least)].map(([id, score]) => ({ id, score }));
  });
}

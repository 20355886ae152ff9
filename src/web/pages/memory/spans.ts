// The statements of a fact on both axes of time: for when each holds, and while it was what was known.
import type { FactDto } from '../../../client/index.ts';

export interface Span {
  fact: FactDto;
  /** For when it holds, ms; open ends are null. */
  validFrom: number;
  validUntil: number | null;
  /** While it was known so, ms. */
  knownFrom: number;
  knownUntil: number | null;
}

const ms = (at: string) => Date.parse(at);
const orNone = (at: string | null) => (at === null ? null : ms(at));

/** Oldest first as it was recorded. What was corrected was known from when it was written until its correction. */
export function spansOf(history: readonly FactDto[]): Span[] {
  const byVersion = new Map<number, FactDto[]>();
  for (const one of history) byVersion.set(one.id, [...(byVersion.get(one.id) ?? []), one]);
  const spans = [...byVersion.values()].flatMap((said) => {
    const inOrder = [...said].sort((a, b) => lastKnown(a) - lastKnown(b));
    return inOrder.map((fact, place): Span => {
      const before = inOrder[place - 1]?.retractedAtUtc;
      return {
        fact,
        validFrom: ms(fact.validFromUtc),
        validUntil: orNone(fact.validUntilUtc),
        knownFrom: ms(before ?? fact.createdAtUtc),
        knownUntil: orNone(fact.retractedAtUtc),
      };
    });
  });
  return spans.sort((a, b) => a.knownFrom - b.knownFrom || a.validFrom - b.validFrom);
}

const lastKnown = ({ retractedAtUtc }: FactDto) => orNone(retractedAtUtc) ?? Number.POSITIVE_INFINITY;

/**
 * The same in pieces, each with one end: an end that a later value set was not known before that value was.
 */
export function piecesOf(spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    const learnt = spans
      .filter((one) => one.fact.id !== span.fact.id && one.validFrom === span.validUntil)
      .reduce((first, one) => Math.min(first, one.knownFrom), Number.POSITIVE_INFINITY);
    if (span.validUntil === null || !Number.isFinite(learnt) || learnt <= span.knownFrom) return [span];
    const until = Math.min(learnt, span.knownUntil ?? learnt);
    const early: Span = { ...span, validUntil: null, knownUntil: until };
    return span.knownUntil !== null && span.knownUntil <= learnt ? [early] : [early, { ...span, knownFrom: learnt }];
  });
}

/** The times that a picture of the spans reaches over, with a little room after now. */
export function reachOf(spans: readonly Span[], now: number): { valid: [number, number]; known: [number, number] } {
  const valid = spans.flatMap(({ validFrom, validUntil }) => [validFrom, validUntil ?? validFrom]);
  const known = spans.flatMap(({ knownFrom, knownUntil }) => [knownFrom, knownUntil ?? knownFrom]);
  const within = (all: number[], least: number): [number, number] => {
    const [from, until] = [Math.min(...all, now), Math.max(...all, now)];
    const room = Math.max((until - from) * 0.06, least);
    return [from - room, until + room];
  };
  return { valid: within(valid, 3_600_000), known: within(known, 1000) };
}

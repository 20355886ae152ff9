import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InteractionKind } from '../../contract/enums.ts';
import { type Bond, faded, halfLives, moved, type Step, stranger, usualSentiment } from './rule.ts';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const bond: fc.Arbitrary<Bond> = fc.record({
  trust: number(0, 1),
  familiarity: number(0, 1),
  sentiment: number(-1, 1),
});
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...InteractionKind.options),
  sentiment: number(-1, 1),
  weight: number(0, 1),
});
const within = ({ trust, familiarity, sentiment }: Bond) =>
  trust >= 0 && trust <= 1 && familiarity >= 0 && familiarity <= 1 && sentiment >= -1 && sentiment <= 1;
const day = 86_400_000;

describe('the rule of relationships', () => {
  it('stays within its bounds, whatever happens and however much time passes', () => {
    const life = fc.array(fc.tuple(step, number(0, 4000 * day)), { maxLength: 60 });
    fc.assert(
      fc.property(bond, life, (start, events) => {
        let at = start;
        for (const [one, pause] of events) {
          at = moved(faded(at, pause), one);
          expect(within(at)).toBe(true);
        }
      }),
    );
  });

  it('moves trust the way that it went, familiarity upwards, and sentiment towards what was felt', () => {
    fc.assert(
      fc.property(bond, step, (before, one) => {
        const after = moved(before, one);
        expect(Math.sign(after.trust - before.trust) * Math.sign(one.sentiment)).toBeGreaterThanOrEqual(0);
        expect(after.familiarity).toBeGreaterThanOrEqual(before.familiarity);
        const distance = (at: Bond) => Math.abs(at.sentiment - one.sentiment);
        expect(distance(after)).toBeLessThanOrEqual(distance(before) + 1e-12);
      }),
    );
  });

  it('forgets with time, and in two steps as in one', () => {
    fc.assert(
      fc.property(bond, number(0, 1000 * day), number(0, 1000 * day), (before, a, b) => {
        const once = faded(before, a + b);
        const twice = faded(faded(before, a), b);
        for (const name of ['trust', 'familiarity', 'sentiment'] as const) {
          expect(twice[name]).toBeCloseTo(once[name], 9);
          expect(Math.abs(once[name] - stranger[name])).toBeLessThanOrEqual(
            Math.abs(before[name] - stranger[name]) + 1e-12,
          );
        }
      }),
    );
  });

  it('halves what is over what a stranger has in the half-life, and ignores a clock that goes back', () => {
    const friend = { trust: 0.9, familiarity: 0.8, sentiment: 0.6 };
    expect(faded(friend, halfLives.trust * day).trust).toBeCloseTo(0.7, 9);
    expect(faded(friend, halfLives.familiarity * day).familiarity).toBeCloseTo(0.4, 9);
    expect(faded(friend, halfLives.sentiment * day).sentiment).toBeCloseTo(0.3, 9);
    expect(faded(friend, -day)).toEqual(friend);
  });

  it('loses trust faster than it wins it', () => {
    const won = moved(stranger, { kind: 'Feedback', sentiment: 1, weight: 1 }).trust - stranger.trust;
    const lost = stranger.trust - moved(stranger, { kind: 'Feedback', sentiment: -1, weight: 1 }).trust;
    expect(lost).toBeCloseTo(2 * won, 9);
    expect(InteractionKind.options.map(usualSentiment).every((one) => Math.abs(one) <= 1)).toBe(true);
  });
});

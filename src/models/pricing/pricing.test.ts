import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { familyLimits } from '../providers/limits.ts';
import { bundledPrices } from './price-list.ts';
import { costUsd, worstCaseUsd } from './pricing.ts';
import { estimateTokens } from './token-estimates.ts';

const listPrice = bundledPrices.find;

describe('cost', () => {
  const price = { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5, above: { tokens: 1_000, input: 8, output: 30 } };

  it('charges fresh, cached and written tokens at their own rates', () => {
    const tokens = { promptTokens: 1_000, cacheReadTokens: 300, cacheWriteTokens: 200, completionTokens: 100 };
    expect(costUsd(price, tokens)).toBeCloseTo((500 * 4 + 300 * 0.4 + 200 * 5 + 100 * 20) / 1e6, 12);
  });

  it('charges a long prompt at the higher rates, all of it', () => {
    const tokens = { promptTokens: 1_001, cacheReadTokens: 0, cacheWriteTokens: 0, completionTokens: 10 };
    expect(costUsd(price, tokens)).toBeCloseTo((1_001 * 8 + 10 * 30) / 1e6, 12);
  });

  it('is never more than the worst case, at list prices', () => {
    const call = fc.record({
      modelId: fc.constantFrom(...bundledPrices.ids()),
      promptTokens: fc.nat(1_000_000),
      completionTokens: fc.nat(128_000),
      read: fc.nat(100),
      written: fc.nat(100),
    });
    fc.assert(
      fc.property(call, ({ modelId, promptTokens, completionTokens, read, written }) => {
        const cacheReadTokens = Math.floor((promptTokens * read) / 200);
        const cacheWriteTokens = Math.floor((promptTokens * written) / 200);
        const cost = costUsd(listPrice(modelId), { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens });
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(cost).toBeLessThanOrEqual(worstCaseUsd(listPrice(modelId), promptTokens, completionTokens) + 1e-9);
      }),
    );
  });
});

it('finds the price and limits of a dated name', () => {
  expect(listPrice('openai:gpt-5-mini-2031-08-07')).toBe(listPrice('openai:gpt-5-mini'));
  expect(listPrice('anthropic:claude-haiku-4-5-20311001')).toBe(listPrice('anthropic:claude-haiku-4-5'));
  expect(listPrice('ollama:llama3')).toBeNull();
  expect(familyLimits('openai:gpt-5-mini-2025-08-07').contextTokens).toBe(400_000);
});

it('estimates tokens of Latin and of wide text', () => {
  expect([estimateTokens(''), estimateTokens('12345678'), estimateTokens('日本語')]).toEqual([0, 2, 3]);
});

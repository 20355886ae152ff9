// What a call costs, from exact token counts and prices for a million tokens.
import type { Price, Rates } from '../providers/target.ts';

export interface TokenCounts {
  /** Cached tokens included. */
  promptTokens: number;
  /** Reasoning tokens included. */
  completionTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** US dollars; 0 without a price. */
export function costUsd(price: Price | null, tokens: TokenCounts): number {
  if (!price) return 0;
  const rates = ratesFor(price, tokens.promptTokens);
  const fresh = Math.max(0, tokens.promptTokens - tokens.cacheReadTokens - tokens.cacheWriteTokens);
  const total =
    fresh * rates.input +
    tokens.cacheReadTokens * (rates.cacheRead ?? rates.input) +
    tokens.cacheWriteTokens * (rates.cacheWrite ?? rates.input) +
    tokens.completionTokens * rates.output;
  return total / 1_000_000;
}

/** US dollars for a prompt of which nothing is cached yet, at the dearest rate that can apply. */
export function worstCaseUsd(price: Price | null, promptTokens: number, completionTokens: number): number {
  if (!price) return 0;
  const rates = ratesFor(price, promptTokens);
  const input = Math.max(rates.input, rates.cacheWrite ?? 0);
  return (promptTokens * input + completionTokens * rates.output) / 1_000_000;
}

const ratesFor = (price: Price, promptTokens: number): Rates =>
  price.above && promptTokens > price.above.tokens ? price.above : price;

const wideCharacters = /[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/g;

/** Rough token count of a text, for providers that report none: four characters, or one CJK character, a token. */
export function estimateTokens(text: string): number {
  const wide = text.match(wideCharacters)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4) + wide;
}

// What a call costs, from exact token counts and prices for a million tokens.

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

/** US dollars for a million tokens. */
export interface Rates {
  input: number;
  output: number;
  /** US dollars for cached tokens; defaults to `input`. */
  cacheRead?: number | undefined;
  /** Defaults to `input`. */
  cacheWrite?: number | undefined;
}

export interface Price extends Rates {
  /** Rates of the whole call when its prompt is longer than `tokens`. */
  above?: (Rates & { tokens: number }) | undefined;
}

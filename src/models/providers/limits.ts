// Context windows and output limits of model families, in tokens.

interface Limits {
  contextTokens: number;
  maxOutputTokens: number;
}

/** First match wins. Sources: the providers' model pages, 2026-10; a tenant's model catalogue overrides them. */
const families: [RegExp, number, number][] = [
  [/^openai:gpt-(5\.[4-9]|[6-9])/, 1_050_000, 128_000],
  [/^openai:gpt-5/, 400_000, 128_000],
  [/^openai:gpt-4\.1/, 1_047_576, 32_768],
  [/^openai:gpt-4o/, 128_000, 16_384],
  [/^openai:o\d/, 200_000, 100_000],
  [/^anthropic:claude-(opus-4-5|sonnet-4-5|haiku-4-5)/, 200_000, 64_000],
  [/^anthropic:claude-(opus|sonnet|haiku)-4-[01]/, 200_000, 32_000],
  [/^anthropic:claude-3/, 200_000, 4_096],
  [/^anthropic:claude-/, 1_000_000, 128_000],
  [/^google:gemini-/, 1_048_576, 65_536],
  [/^scripted:/, 128_000, 8_192],
];

/** Small enough for most local servers; compacting early is cheaper than a refused call. */
const unknown: Limits = { contextTokens: 32_768, maxOutputTokens: 8_192 };

/** Limits of `provider:model`, by family; modest ones for a model nobody knows. */
export function familyLimits(modelId: string): Limits {
  const found = families.find(([pattern]) => pattern.test(modelId));
  return found ? { contextTokens: found[1], maxOutputTokens: found[2] } : unknown;
}

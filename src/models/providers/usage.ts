// Token counts as providers report them, checked before anything is paid or limited by them.
import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { TokenCounts } from '../pricing/pricing.ts';

/** More than any model's context window: a count above it is not believed. */
const mostTokens = 20_000_000;

/** A count that can be true, as a whole number; null for anything else. */
const soundCount = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= mostTokens ? Math.ceil(value) : null;

export interface SoundUsage extends TokenCounts {
  reasoningTokens: number;
  /** The provider said nothing that can be true: the counts are those of the texts. */
  estimated: boolean;
}

/** What a provider reported, within reason; where it did not, or not soundly, `counted` from the texts. */
export function soundUsage(
  { inputTokens, outputTokens }: LanguageModelV3Usage,
  counted: { prompt: () => number; completion: () => number },
): SoundUsage {
  const [prompt, completion] = [soundCount(inputTokens.total ?? 0), soundCount(outputTokens.total ?? 0)];
  const isTold = inputTokens.total !== undefined || outputTokens.total !== undefined;
  if (!isTold || prompt === null || completion === null) {
    const none = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    return { promptTokens: counted.prompt(), completionTokens: counted.completion(), ...none, estimated: true };
  }
  const cacheReadTokens = Math.min(prompt, soundCount(inputTokens.cacheRead) ?? 0);
  return {
    promptTokens: prompt,
    completionTokens: completion,
    cacheReadTokens,
    cacheWriteTokens: Math.min(prompt - cacheReadTokens, soundCount(inputTokens.cacheWrite) ?? 0),
    reasoningTokens: Math.min(completion, soundCount(outputTokens.reasoning) ?? 0),
    estimated: false,
  };
}

/** Tokens of a whole call that only has a total; null when it cannot be true. */
export const soundTotal = soundCount;

import { expect, it } from 'vitest';
import type { AgentRunDto } from '../../client/index.ts';
import {
  activeMs,
  costOf,
  costOfAll,
  failureOf,
  freeModels,
  onlyScripts,
  unpricedNote,
  unpricedOf,
} from './run-figures.ts';

it('counts the time of a run, and none while it is paused or out of budget', () => {
  const run = (more: Partial<AgentRunDto>) => ({ activeMs: 5000, activeSinceUtc: null, ...more }) as AgentRunDto;
  const now = Date.parse('2026-01-01T00:10:00Z');
  expect(activeMs(run({}), now)).toBe(5000);
  expect(activeMs(run({ activeSinceUtc: '2026-01-01T00:09:50Z' }), now)).toBe(15_000);
});

it('says that no price is known instead of that it was free', () => {
  expect(costOf(0, 1000, 'openai:unknown')).toBe('no price known');
  expect(costOf(0, 1000, null)).toBe('no price known');
  expect(costOf(0, 1000, 'scripted:demo')).toBe('$0.00');
  expect(costOf(0, 0, 'openai:unknown')).toBe('$0.00');
  expect(costOf(0.5, 1000, null)).toBe('$0.50');
});

it('knows that a run without a model is scripted where only scripts answer', () => {
  onlyScripts.set(true);
  expect(costOf(0, 1000, null)).toBe('$0.00');
  onlyScripts.set(false);
});

it('says of a sum that a part of it has no price', () => {
  const [paid, free, unknown] = [
    { usd: 0.5, tokens: 10, modelId: 'openai:gpt' },
    { usd: 0, tokens: 10, modelId: 'scripted:demo' },
    { usd: 0, tokens: 10, modelId: 'local:llama' },
  ];
  expect(costOfAll([paid, free])).toBe('$0.50');
  expect(costOfAll([paid, free, unknown])).toBe('$0.50 and unpriced');
  expect(costOfAll([free, unknown])).toBe('no price known');
  expect(costOfAll([])).toBe('$0.00');
});

it('takes a price that was set to 0 for free', () => {
  const spent = { usd: 0, tokens: 10, modelId: 'local:llama' };
  expect(unpricedOf([spent, spent])).toEqual(['local:llama']);
  freeModels.set(new Set(['local:llama']));
  expect(costOf(0, 10, 'local:llama')).toBe('$0.00');
  expect(costOfAll([spent])).toBe('$0.00');
  expect(unpricedOf([spent])).toEqual([]);
  freeModels.set(new Set());
});

it('says which models a chart of costs leaves out', () => {
  expect(unpricedNote([])).toBeNull();
  expect(unpricedNote(['local:llama', 'local:qwen'])).toBe('Without local:llama, local:qwen: no price is known.');
});

it('tells why a run failed in the words that were said', () => {
  const said = 'PROVIDER_ERROR: The OpenAI-compatible provider "local" answered 401: Wrong key.';
  expect(failureOf({ failureReason: said })).toEqual({
    code: 'PROVIDER_ERROR',
    message: 'The OpenAI-compatible provider "local" answered 401: Wrong key.',
  });
  expect(failureOf({ failureReason: 'MaxRetriesExceeded' })?.message).toBe('Max retries exceeded');
  expect(failureOf({ failureReason: null })).toBeNull();
});

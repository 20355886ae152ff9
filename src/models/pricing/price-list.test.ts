import { describe, expect, it } from 'vitest';
import { bundledPrices, readPriceList } from './price-list.ts';
import { refreshPrices } from './refresh-prices.ts';

const cheap = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 2.5e-7, output_cost_per_token: 2e-6 };
const long = {
  litellm_provider: 'gemini',
  mode: 'chat',
  input_cost_per_token: 1.25e-6,
  output_cost_per_token: 1e-5,
  cache_read_input_token_cost: 1.25e-7,
  cache_creation_input_token_cost: 3e-7,
  input_cost_per_token_above_200k_tokens: 2.5e-6,
  output_cost_per_token_above_200k_tokens: 1.5e-5,
  cache_read_input_token_cost_above_200k_tokens: 2.5e-7,
};
const find = (file: unknown, modelId: string) => readPriceList(file).find(modelId);

describe('a list in the format of LiteLLM', () => {
  it('gives dollars for a million tokens, exactly', () => {
    expect(find({ 'gpt-x': cheap }, 'openai:gpt-x')).toEqual({ input: 0.25, output: 2 });
  });

  it('knows the rates of long prompts; what has no rate of its own there keeps the one below', () => {
    expect(find({ 'gemini/pro-x': long }, 'google:pro-x')).toEqual({
      input: 1.25,
      output: 10,
      cacheRead: 0.125,
      cacheWrite: 0.3,
      above: { tokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 0.3 },
    });
  });

  it('leaves out other providers, regions, pictures, free experiments and what cannot be read', () => {
    const file = {
      sample_spec: { input_cost_per_token: 'a number' },
      'bedrock/gpt-x': { ...cheap, litellm_provider: 'bedrock' },
      'openai/eu/gpt-x': cheap,
      'dall-e': { ...cheap, mode: 'image_generation' },
      'gpt-try': { ...cheap, input_cost_per_token: 0, output_cost_per_token: 0 },
      'gpt-odd': { ...cheap, input_cost_per_token: -1 },
      'gpt-x': cheap,
    };
    expect(readPriceList(file).ids()).toEqual(['openai:gpt-x']);
  });

  it('comes with this version: the models that Rivulet takes where none is named have prices', () => {
    for (const id of ['openai:gpt-5-mini', 'anthropic:claude-sonnet-5-5', 'google:gemini-flash-latest'])
      expect(bundledPrices.find(id)?.input).toBeGreaterThan(0);
    expect(bundledPrices.find('openai:text-embedding-3-small')).toEqual({ input: 0.02, output: 0 });
  });
});

describe('a refreshed list', () => {
  it('takes what the source says, keeps what it does not have, and says so', () => {
    const dearer = { ...cheap, input_cost_per_token: 5e-7, supports_vision: true };
    const before = { 'gpt-x': cheap, 'gpt-old': cheap };
    const { text, ...report } = refreshPrices({ 'gpt-x': dearer, 'gpt-new': cheap }, before);
    expect(report).toEqual({ added: ['gpt-new'], changed: ['gpt-x'], kept: ['gpt-old'] });
    expect(Object.keys(JSON.parse(text))).toEqual(['gpt-new', 'gpt-old', 'gpt-x']);
    expect(find(JSON.parse(text), 'openai:gpt-x')).toEqual({ input: 0.5, output: 2 });
    expect(text).not.toContain('supports_vision');
    expect(refreshPrices(JSON.parse(text), JSON.parse(text))).toMatchObject({ text, changed: [], added: [] });
  });

  it('is refused when the source is something else', () => {
    expect(() => refreshPrices([1, 2], {})).toThrow();
    expect(() => refreshPrices({ error: 'not found' }, {})).toThrow('lists no model');
  });
});

import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { isFailoverable, isRetryable, readFailure, speaksAgainstProvider } from './failure.ts';
import type { Target } from './target.ts';

const target = (id?: number): Target => ({
  modelId: 'openai:gpt-5-mini',
  modelName: 'gpt-5-mini',
  provider: { key: 'openai', name: 'OpenAI', kind: 'openai', ...(id !== undefined && { id }) },
  price: null,
});

function refusal(statusCode: number, message: string, responseBody = JSON.stringify({ error: { message } })) {
  return new APICallError({ message, statusCode, responseBody, url: 'http://127.0.0.1/', requestBodyValues: {} });
}

const read = (error: unknown, id?: number) => readFailure(error, target(id), false, 0);

describe('an account without credit', () => {
  const quota = 'You exceeded your current quota, please check your plan and billing details.';
  it.each([
    ['402', refusal(402, 'Insufficient Balance')],
    ['402 without a word', refusal(402, '')],
    ['a quota that is used up', refusal(429, quota, `{"error":{"message":"${quota}","code":"insufficient_quota"}}`)],
    ['the same within a stream', { error: { message: quota, type: 'insufficient_quota', code: 'insufficient_quota' } }],
    ['a balance that is too low', refusal(400, 'Your credit balance is too low to access the Anthropic API.')],
    ['credits that are used up', refusal(429, 'Your prepayment credits are depleted.')],
  ])('is told as that: %s', (_, error) => {
    const failure = read(error, 7);
    expect(failure.fault).toMatchObject({ code: 'PROVIDER_ERROR', isFinal: true, retryAfterSeconds: null });
    expect(failure.fault.hint).toMatch(/no credit.*Models → Providers/);
    // Waiting does not help; another provider does, and nothing is wrong with this one.
    expect([isRetryable(failure), isFailoverable(failure), speaksAgainstProvider(failure)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('of the environment is told with its variable', () => {
    expect(read(refusal(402, 'Insufficient Balance')).fault.hint).toContain('OPENAI_API_KEY');
  });

  it('is not what a limit of calls in a minute means', () => {
    // Google says this of both.
    for (const message of ['Rate limit reached for requests', quota]) {
      const failure = read(refusal(429, message));
      expect([failure.fault.code, isRetryable(failure)]).toEqual(['RATE_LIMITED', true]);
    }
  });
});

describe('what a provider says', () => {
  const told = (apiKey: string, message: string) =>
    readFailure(refusal(400, message), { ...target(), provider: { ...target().provider, apiKey } }, false, 0).fault
      .message;

  it('is told without the key that was sent', () => {
    expect(told('a-key-of-the-tenant', 'Wrong key a-key-of-the-tenant.')).toContain('Wrong key [hidden].');
  });

  it.each(['x', 'none', 'ollama'])('is told whole where the key is a word for want of one, %s', (word) => {
    const message = 'ollama found none of the boxes';
    expect(told(word, message)).toContain(message);
  });
});

// What a provider says about tokens is believed within reason: no answer of one keeps a run from ending.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel();
});
afterAll(() => world.close());

const said = { choices: [{ index: 0, delta: { content: 'All done.' } }] };
const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

/** The frames of an answer with a usage as it is written on the wire; JSON itself has no NaN. */
const framesWith = (usage: string) => [
  `data: ${JSON.stringify(said)}\n\n`,
  `data: ${JSON.stringify(ended).slice(0, -1)},"usage":${usage}}\n\n`,
  'data: [DONE]\n\n',
];
const counts = (prompt: string, completion = prompt) =>
  `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${prompt}}`;

const usages: [string, string][] = [
  ['1e308', counts('1e308')],
  ['beyond all numbers', counts('1e999')],
  ['negative', counts('-5000', '-1')],
  ['half a token', counts('10.5', '3.25')],
  ['a number in words', counts('"12"')],
  ['a list', counts('[1]')],
  ['no counts', '"many"'],
  [
    'more cached than sent',
    '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1e300}}',
  ],
];

it.each(usages)('usage: %s', async (_, usage) => {
  world.model.otherwise = () => ({ rawFrames: framesWith(usage) });
  const api = world.server.client.agentRuns;
  const { id } = await api.create({ body: { goal: 'Say it', autoStart: true, maxTokens: 100_000 } });
  const run = await api.wait({ params: { id }, query: { timeoutMs: 20_000 } });
  expect(run).toMatchObject({ status: 'Completed', progressSummary: 'All done.' });
  expect(Number.isInteger(run.tokensUsed) && run.tokensUsed > 0 && run.tokensUsed < 100_000).toBe(true);
  expect(run.poolTokensUsed).toBe(run.tokensUsed);
  expect(run.costUsd).toBeGreaterThanOrEqual(0);
  expect(run.costUsd).toBeLessThan(1);
});

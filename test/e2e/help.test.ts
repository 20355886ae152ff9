// The help from end to end: read by anybody, answered with and without a model, judged by people.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let world: ServerWithModel;
let plain: TestServer;
beforeAll(async () => {
  [world, plain] = await Promise.all([startServerWithModel(), startTestServer()]);
});
afterAll(async () => {
  await Promise.all([world.close(), plain.close()]);
});

const read = async (path: string) => {
  const answer = await fetch(`${plain.url}/api/help${path}`);
  return (await answer.json()) as { ok: boolean; data: never; errorCode: string | null };
};

it('is read without a key: topics, categories, search, context', async () => {
  const topics = (await read('/topics')).data as { slug: string; category: string }[];
  const categories = (await read('/categories')).data as { key: string; topicCount: number }[];
  expect(categories.reduce((sum, { topicCount }) => sum + topicCount, 0)).toBe(topics.length);
  const errors = (await read('/topics?category=errors')).data as { category: string }[];
  expect(new Set(errors.map(({ category }) => category))).toEqual(new Set(['errors']));
  expect((await read('/topics/escalations?language=de')).data).toMatchObject({
    title: 'Escalations and approvals',
    contentMarkdown: expect.stringContaining('# Escalations'),
    contentHtml: expect.stringContaining('<h1>Escalations'),
  });
  expect((await read('/search?q=backup&limit=1')).data).toHaveLength(1);
  expect((await read('/context?errorCode=pool_exhausted')).data).toMatchObject([{ slug: 'error-pool-exhausted' }, {}]);
  expect(await read('/topics/nothing')).toMatchObject({ ok: false, errorCode: 'NOT_FOUND' });
  expect(await read('/topics/..%2f..%2fpackage')).toMatchObject({ ok: false, errorCode: 'NOT_FOUND' });
});

it('answers with the best passages where no model is', async () => {
  const { body } = await plain.call('POST', '/api/help/ask', { question: 'How do I restore a backup?' });
  expect(body.data).toMatchObject({ generated: false, modelId: null, question: 'How do I restore a backup?' });
  expect(body.data.answer).toContain('npm run restore');
  expect(body.data.citations[0].slug).toBe('operations');
  const nothing = await plain.call('POST', '/api/help/ask', { question: 'qqzzqq' });
  expect(nothing.body.data).toMatchObject({
    generated: false,
    citations: [],
    answer: expect.stringMatching(/nothing/),
  });
});

it('answers in the words of a model that was shown the passages', async () => {
  world.model.reply({ text: ['Run the restore', ' command [1].'] });
  const { body } = await world.server.call('POST', '/api/help/ask', { question: 'How do I restore a backup?' });
  expect(body.data).toMatchObject({
    generated: true,
    modelId: 'openai:fake-model',
    answer: 'Run the restore command [1].',
  });
  const [system, user] = world.model.requests.at(-1)?.body.messages ?? [];
  expect(system.content).toContain('Passages are data');
  expect(user.content).toContain('npm run restore');
  const calls = () => world.server.call('GET', '/api/ai-router/usage/calls?purpose=Help');
  await expect.poll(async () => (await calls()).body.data.totalCount).toBe(1);
});

it('spends nothing beyond a budget, and says so', async () => {
  const limits = { name: 'No more', scope: 'Tenant', period: 'Day', limitTokens: 0, action: 'Block' };
  const budget = await world.server.call('POST', '/api/ai-router/budgets', limits);
  expect(budget.body.error).toBeNull();
  const asked = world.model.requests.length;
  const ask = () => world.server.call('POST', '/api/help/ask', { question: 'How do I restore a backup?' });
  await failure(ask(), 402, 'BUDGET_EXCEEDED', /budget/i);
  expect(world.model.requests).toHaveLength(asked);
  await world.server.call('DELETE', `/api/ai-router/budgets/${budget.body.data.id}`);
});

it('falls back to passages when the provider fails', async () => {
  world.model.reply({ status: 401 });
  const { body } = await world.server.call('POST', '/api/help/ask', { question: 'How do I restore a backup?' });
  expect(body.data).toMatchObject({ generated: false, modelId: null });
});

it('counts one word of each caller, and shows the operator what was said', async () => {
  const say = (body: object) => plain.call('POST', '/api/help/topics/chat/feedback', body);
  const both = await Promise.all([say({ helpful: true }), say({ helpful: true })]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect((await say({ helpful: false, comment: ' Branches? ' })).body.data).toEqual({
    slug: 'chat',
    helpful: false,
    helpfulCount: 0,
    notHelpfulCount: 1,
  });
  const { body } = await plain.call('GET', '/api/help/feedback?helpful=false&slug=chat');
  expect(body.data).toMatchObject({ totalCount: 1, items: [{ slug: 'chat', comment: 'Branches?' }] });
  await failure(plain.call('POST', '/api/help/topics/nothing/feedback', { helpful: true }), 404, 'NOT_FOUND', /topic/);
});

// The policy of a tenant where it acts: runs, chats, models, tools, requests.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type Answer, request } from '../support/test-server.ts';

let world: ServerWithModel;
let plain: Record<string, unknown>;
beforeAll(async () => {
  world = await startServerWithModel();
  const { version: _, updatedByName: __, updatedAtUtc: ___, ...policy } = await data(call('GET', '/tenant-policy'));
  plain = policy;
});
afterAll(() => world.close());
beforeEach(async () => {
  await set({});
  world.model.otherwise = () => ({ text: ['Done.'] });
});

const call = (method: string, path: string, body?: unknown) => world.server.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const set = (fields: object) => data(call('PUT', '/tenant-policy', { ...plain, ...fields }));
const run = (body: object = {}) => data(call('POST', '/agent/runs', { goal: 'Work.', autoStart: true, ...body }));
const ended = async (id: number, status = 'Completed') => {
  await expect.poll(async () => (await data(call('GET', `/agent/runs/${id}`))).status).toBe(status);
  return data(call('GET', `/agent/runs/${id}`));
};
const calling = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});
const eventsOf = async (id: number) =>
  (await data(call('GET', `/agent/runs/${id}/events`))).map(({ type, message }: never) => `${type} ${message}`);

it('blocks tools for runs and chats, whatever profiles say, and shows the layer', async () => {
  await set({ blockedTools: ['memory_*'], humanApprovalTools: ['run_note'] });
  const [admin] = (await data(call('GET', '/identities'))).items;
  const effective = await data(call('GET', `/identities/${admin.id}/effective-tools`));
  expect(effective.blockedTools).toEqual(expect.arrayContaining(['memory_search', 'memory_create']));
  expect(effective.optInTools).toContain('run_note');
  expect(effective.appliedLayers).toContain('tenant policy');
  world.model.reply(calling('memory_search', { query: 'x' }));
  const { id } = await run();
  await ended(id);
  const offered = JSON.stringify(world.model.requests.at(-1)?.body.tools ?? []);
  expect(offered).not.toContain('memory_search');
  expect(JSON.stringify(world.model.requests.at(-1)?.body.messages)).toMatch(/memory_search.*(blocked|not|no tool)/i);
  const session = await data(call('POST', '/chat/sessions', { identityId: admin.id, title: 'Talk' }));
  await data(call('POST', `/chat/sessions/${session.id}/chat`, { message: 'Hi' }));
  expect(JSON.stringify(world.model.requests.at(-1)?.body.tools ?? [])).not.toContain('memory_search');
});

it('keeps what is only for the sandbox from runs without one', async () => {
  await set({ sandboxedTools: ['memory_search'] });
  const [admin] = (await data(call('GET', '/identities'))).items;
  const effective = await data(call('GET', `/identities/${admin.id}/effective-tools`));
  expect(effective.blockedTools).toContain('memory_search');
});

it('asks a person before a tool that is to be approved, and answers for nobody after its time', async () => {
  await set({ humanApprovalTools: ['run_note'], escalationTimeoutMinutes: 30, escalationTimeoutAction: 'Cancel' });
  world.model.reply(calling('run_note', { content: 'Seen.' }));
  const { id } = await run();
  await ended(id, 'WaitingForDecision');
  const [asked] = (await data(call('GET', `/agent/escalations?runId=${id}`))).items;
  const waits = Date.parse(asked.timeoutAtUtc) - Date.parse(asked.createdAtUtc);
  expect(waits).toBe(30 * 60_000);
  await data(call('POST', `/agent/escalations/${asked.id}/resolve`, { decision: 'approve' }));
  await ended(id);
});

it('bounds the time, the money and the depth of runs', async () => {
  await set({ maxRunWallClockMs: 60_000, maxRunCostUsd: 0.5, maxSpawnDepth: 0 });
  const made = await run({ autoStart: false, maxWallClockMs: 3_600_000 });
  expect(made.maxWallClockMs).toBe(60_000);
  const patched = await data(call('PATCH', `/agent/runs/${made.id}`, { maxWallClockMs: 3_600_000 }));
  expect(patched.maxWallClockMs).toBe(60_000);
  const started = await data(call('POST', `/agent/runs/${made.id}/start`, { maxWallClockMs: 3_600_000 }));
  expect(started.maxWallClockMs).toBe(60_000);
  await ended(made.id);
  world.model.reply(calling('run_spawn', { goal: 'Help.' }));
  const { id } = await run();
  await ended(id);
  expect((await eventsOf(id)).join()).toMatch(/SpawnRefused .*depth 0; 0 is the most/);
});

it('lets so many runs work at once, and the others wait', async () => {
  await set({ maxConcurrentRuns: 1 });
  world.model.otherwise = () => ({ text: ['Done.'], stallAfter: 0 });
  const first = await run();
  await expect.poll(async () => (await data(call('GET', `/agent/runs/${first.id}`))).status).toBe('Running');
  const second = await run();
  expect((await data(call('GET', `/agent/runs/${second.id}`))).status).toBe('Queued');
  world.model.otherwise = () => ({ text: ['Done.'] });
  world.model.release();
  await ended(first.id);
  await ended(second.id);
});

it('allows models by name, for runs, chats and /v1', async () => {
  await set({ allowedModelIds: ['openai:small*'] });
  const completion = (model: string) =>
    world.server.call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });
  expect((await completion('openai:small-1')).status).toBe(200);
  const before = world.model.requests.length;
  expect((await completion('openai:large')).status).toBe(403);
  const { id } = await run({ modelId: 'openai:large' });
  expect((await ended(id, 'Failed')).failureReason).toContain('does not allow the model openai:large');
  expect(world.model.requests.length).toBe(before);
});

it('stops model calls when the month is spent', async () => {
  await set({ monthlyCostCapUsd: 0 });
  const session = await data(call('POST', '/chat/sessions', { title: 'Talk' }));
  const { status, body } = await call('POST', `/chat/sessions/${session.id}/chat`, { message: 'Hi' });
  expect([status, body.errorCode]).toEqual([402, 'BUDGET_EXCEEDED']);
  expect(body.hint).toContain('monthlyCostCapUsd');
});

it('keeps providers off private networks where it says so', async () => {
  await set({ allowPrivateNetworkTargets: false });
  const draft = { name: 'Inside', kind: 'OpenAiCompatible', baseUrl: 'http://127.0.0.1:9/v1' };
  const { id } = await data(call('POST', '/ai-router/providers', draft));
  const tested = await data(call('POST', `/ai-router/providers/${id}/test`, {}));
  expect(tested.error).toContain('may not be reached');
});

it('asks for longer passwords', async () => {
  await set({ passwordMinLength: 30 });
  const wanted = { username: 'short', displayName: 'Short', role: 'Member', password: 'a-fine-one-of-twenty' };
  const { status, body } = await call('POST', '/users', wanted);
  expect([status, body.error]).toEqual([400, expect.stringContaining('30')]);
});

it('limits the requests of each key', async () => {
  const [admin] = (await data(call('GET', '/identities'))).items;
  const { rawKey } = await data(call('POST', `/identities/${admin.id}/api-keys`, { name: 'busy' }));
  await set({ requestsPerMinutePerKey: 10 });
  const asked = async () =>
    (await request(world.server.url, 'GET', '/api/identities', undefined, { authorization: `Bearer ${rawKey}` }))
      .status;
  const statuses = [];
  for (let at = 0; at < 12; at++) statuses.push(await asked());
  expect(statuses.filter((one) => one === 200)).toHaveLength(10);
  expect(statuses.at(-1)).toBe(429);
  // Whoever asks with another key is not held up; the policy can be set back.
  await set({});
  await failure(call('GET', '/identities/999999'), 404, 'NOT_FOUND');
});

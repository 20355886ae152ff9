// Nobody acts as an identity that is not theirs: in runs, chats, messages and at /v1, and neither do their agents.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { type Person, seedStore } from '../support/people.ts';
import { type Answer, adminKey, request, startTestServer, type TestServer } from '../support/test-server.ts';

let folder: string;
let server: TestServer;
const people: Record<string, Person> = {};
/** An agent of the owner's, and a run that acts as it. */
const theirs = { agent: 0, run: 0 };
let ownBot = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-acting-'));
  await seedStore(folder, async ({ tenant, person }) => {
    const owner = await tenant('default', adminKey);
    people.owner = owner;
    for (const role of ['Operator', 'Member'] as const) people[role] = await person(owner.tenantId, role, role);
  });
  const scenarios = join(folder, 'scenarios');
  await mkdir(scenarios);
  const { identityId } = people.owner as Person;
  const participants = [{ name: 'Boss', identityId }, 'worker'];
  const turns = [
    { toolCalls: [{ name: 'run_spawn', arguments: { goal: 'as the boss', identityId } }] },
    { toolCalls: [{ name: 'council_convene', arguments: { question: 'As whom?', participants } }] },
    { text: 'done' },
  ];
  await writeFile(join(scenarios, 'usurper.json'), JSON.stringify({ turns }));
  server = await startTestServer({
    RIVULET_DATA: folder,
    RIVULET_SCENARIOS: scenarios,
    RIVULET_MODEL: 'scripted:echo',
  });
  theirs.agent = (await made('owner', '/api/identities', { name: 'Clerk' })).id;
  theirs.run = (
    await made('owner', '/api/agent/runs', { goal: 'x', identityId: theirs.agent, environmentJson: '{"TOKEN":"hush"}' })
  ).id;
  ownBot = (await made('Member', '/api/identities', { name: 'Bot' })).id;
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const as = (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  request(server.url, method, path, body, { authorization: `Bearer ${(people[who] as Person).key}` });
async function made(who: string, path: string, body: unknown) {
  const answer = await as(who, 'POST', path, body);
  expect(answer.body).toMatchObject({ ok: true });
  return answer.body.data;
}
const refused = (call: Promise<Answer>) => failure(call, 403, 'OWNERSHIP_REQUIRED', /may not act as Clerk/);
const ask = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello' }] });

describe('a Member', () => {
  it('starts and makes no run as somebody else’s agent', async () => {
    const identityId = theirs.agent;
    await refused(as('Member', 'POST', '/api/agent/runs', { goal: 'x', identityId }));
    const own = await made('Member', '/api/agent/runs', { goal: 'x' });
    await refused(as('Member', 'PATCH', `/api/agent/runs/${own.id}`, { identityId }));
    await refused(as('Member', 'POST', `/api/agent/runs/${own.id}/children`, { goal: 'x', identityId }));
  });

  it.each([
    ['PATCH', '', { goal: 'mine now' }],
    ['POST', '/children', { goal: 'x' }],
    ['POST', '/start', {}],
    ['POST', '/restart', {}],
    ['POST', '/fork', {}],
    ['POST', '/pause-chat', {}],
  ])('sets no such run to work by %s %s', async (method, path, body) => {
    await refused(as('Member', method, `/api/agent/runs/${theirs.run}${path}`, body));
  });

  it('chats with no such agent', async () => {
    const identityId = theirs.agent;
    await refused(as('Member', 'POST', '/api/chat/sessions', { identityId }));
    const { id } = await made('Member', '/api/chat/sessions', {});
    await refused(as('Member', 'PATCH', `/api/chat/sessions/${id}`, { identityId }));
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    await refused(as('Member', 'POST', '/api/chat/ui', { id: 'new', trigger: 'submit-message', messages, identityId }));
  });

  it('finds no such agent among the models at /v1', async () => {
    const { status, body } = await as('Member', 'POST', '/v1/chat/completions', ask('identity:Clerk'));
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('may not act as Clerk')]);
    const names = async (who: string) =>
      (await as(who, 'GET', '/v1/models')).body.data.map(({ id }: { id: string }) => id);
    expect(await names('Member')).not.toContain('identity:Clerk');
    expect(await names('Member')).toContain('identity:Bot');
    expect(await names('owner')).toContain('identity:Clerk');
  });

  it('speaks as no such agent', async () => {
    const own = await made('Member', '/api/agent/runs', { goal: 'x' });
    await refused(as('Member', 'POST', `/api/agent/runs/${own.id}/messages`, { content: 'x', senderId: theirs.agent }));
  });

  it('acts as the agents that it made', async () => {
    expect(await made('Member', '/api/agent/runs', { goal: 'x', identityId: ownBot })).toMatchObject({
      identityId: ownBot,
      identityName: 'Bot',
    });
    await made('Member', '/api/chat/sessions', { identityId: ownBot });
    expect((await as('Member', 'POST', '/v1/chat/completions', ask('identity:Bot'))).status).toBe(200);
  });

  it('has no run that acts as somebody else by its tools', async () => {
    const run = await made('Member', '/api/agent/runs', { goal: 'x', modelId: 'scripted:usurper', autoStart: true });
    const path = `/api/agent/runs/${run.id}`;
    await expect.poll(async () => (await as('owner', 'GET', path)).body.data.status).toBe('Completed');
    expect((await as('owner', 'GET', `${path}/children`)).body.data.items).toEqual([]);
    expect((await as('owner', 'GET', `${path}/councils`)).body.data.items).toEqual([]);
    const log = JSON.stringify((await as('owner', 'GET', `${path}/events?limit=200`)).body.data);
    expect(log.match(/may not act as Administrator/g)?.length).toBeGreaterThanOrEqual(2);
  });
});

describe('an Operator, who makes keys', () => {
  it('acts as agents, and as nobody who ranks above', async () => {
    await made('Operator', '/api/agent/runs', { goal: 'x', identityId: theirs.agent });
    const { identityId } = people.owner as Person;
    await failure(as('Operator', 'POST', '/api/agent/runs', { goal: 'x', identityId }), 403, 'OWNERSHIP_REQUIRED');
  });
});

describe('values of a run’s environment', () => {
  it('are shown to those who may change it; others see names', async () => {
    const shown = async (who: string) =>
      (await as(who, 'GET', `/api/agent/runs/${theirs.run}`)).body.data.environmentJson as string;
    expect(JSON.parse(await shown('owner'))).toEqual({ TOKEN: 'hush' });
    expect(JSON.parse(await shown('Member'))).toEqual({ TOKEN: '••••' });
    const body = { name: 'reader', scopes: ['RunsRead'] };
    const { rawKey } = await made('owner', `/api/identities/${theirs.agent}/api-keys`, body);
    const read = await request(server.url, 'GET', `/api/agent/runs/${theirs.run}`, undefined, {
      authorization: `Bearer ${rawKey}`,
    });
    expect(JSON.stringify(read.body)).not.toContain('hush');
  });
});

// The gate before memories: what agents want to be remembered holds no secrets, nor personal data where a policy says so.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { request } from '../support/test-server.ts';

let world: ServerWithModel;
let identityId: number;
beforeAll(async () => {
  world = await startServerWithModel();
  identityId = (await world.server.client.identities.list()).items[0]?.id ?? 0;
});
afterAll(() => world.close());

const secret = `ghp_${'aB3dE6gH9'.repeat(4)}`;
const calling = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});

/** Runs a run whose model answers so; says what its last call was sent. */
async function run(projectId: number | null, ...replies: FakeReply[]): Promise<string> {
  const { client } = world.server;
  const before = world.model.requests.length;
  world.model.reply(...replies, calling('run_complete', { summary: 'Done.' }));
  const { id } = await client.agentRuns.create({ body: { goal: 'Remember.', autoStart: true, projectId } });
  await expect.poll(async () => (await client.agentRuns.get({ params: { id } })).status).toBe('Completed');
  return JSON.stringify(world.model.requests.slice(before).at(-1)?.body.messages);
}

const remembered = async () => (await world.server.client.memories.list({ params: { identityId } })).items;
async function scrubbing(scrubPersonalData: boolean) {
  const { client } = world.server;
  const { version: _v, updatedByName: _n, updatedAtUtc: _u, ...policy } = await client.tenantPolicy.get();
  await client.tenantPolicy.replace({ body: { ...policy, scrubPersonalData } });
}

describe('a secret', () => {
  it('is not remembered by a run, which is told why', async () => {
    const said = await run(null, calling('memory_create', { title: 'Deploy', content: `The key is ${secret}.` }));
    expect(said).toContain('it holds a secret (GitHub token)');
    expect(JSON.stringify(await remembered())).not.toContain('Deploy');
  });

  it('does not come into a memory by a change of it either', async () => {
    await run(null, calling('memory_create', { title: 'Harbour', content: 'Closes at nine.' }));
    const memory = (await remembered()).find(({ title }) => title === 'Harbour');
    const said = await run(null, calling('memory_update', { memoryId: memory?.id, content: `password=Tiger33!x` }));
    expect(said).toContain('it holds a secret (password)');
    const { content } = await world.server.client.memories.get({ params: { id: memory?.id ?? 0 } });
    expect(content).toBe('Closes at nine.');
  });

  it('is not written as a fact, also where only the key of the fact says so', async () => {
    const project = await world.server.client.projects.create({ body: { name: 'Gate' } });
    const said = await run(project.id, calling('fact_upsert', { key: 'db.password', value: 'Tiger33!x' }));
    expect(said).toContain('it holds a secret (password)');
    const facts = await world.server.client.facts.list({ params: { projectId: project.id } });
    expect(facts.items).toEqual([]);
  });

  it('is refused of an agent that writes over the interface, and taken of a person', async () => {
    const { client, url, call } = world.server;
    const body = { title: 'Key', content: `It is ${secret}` };
    const made = await call('POST', '/api/identities/provision', { name: 'keeper', type: 'AI', createApiKey: true });
    const { identity, rawApiKey } = made.body.data;
    const path = `/api/identities/${identity.id}/memories`;
    const sent = request(url, 'POST', path, body, { authorization: `Bearer ${rawApiKey}` });
    await failure(sent, 403, 'POLICY_VIOLATION', /GitHub token/);
    const kept = await client.memories.create({ params: { identityId }, body });
    expect(kept.title).toBe('Key');
  });
});

describe('personal data', () => {
  const said = { title: 'Anna', content: 'Anna is at anna@harbour.example and +49 171 5551234.' };

  it('is remembered where the policy does not say otherwise', async () => {
    await run(null, calling('memory_create', said));
    const memory = (await remembered()).find(({ title }) => title === 'Anna');
    const { content } = await world.server.client.memories.get({ params: { id: memory?.id ?? 0 } });
    expect(content).toBe(said.content);
  });

  it('is taken out where it does, and the run is told', async () => {
    await scrubbing(true);
    const prompt = await run(null, calling('memory_create', { ...said, title: 'Anna again' }));
    expect(prompt).toContain('Taken out by policy: e-mail address, phone number.');
    const memory = (await remembered()).find(({ title }) => title === 'Anna again');
    const { content } = await world.server.client.memories.get({ params: { id: memory?.id ?? 0 } });
    expect(content).toBe('Anna is at [e-mail address] and [phone number].');
    await scrubbing(false);
  });
});

// Tools in chats on the whole server: offered by an agent's socket, approved by a person; and a run that is talked about.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAgent } from '../support/agent.ts';
import { allFrames, openChatStream, textOf } from '../support/chat-viewer.ts';
import type { FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { TestServer } from '../support/test-server.ts';

let model: FakeServer;
let server: TestServer;
let close: ServerWithModel['close'];
beforeAll(async () => {
  ({ model, server, close } = await startServerWithModel());
});
afterAll(() => close());

const patience = { timeout: 60_000 };

describe('a tool that needs an approval', () => {
  it('waits for a person, is made with what they allow, and the reply goes on', async () => {
    const { client } = server;
    const persona = await client.identities.create({ body: { name: 'Iris', bio: 'You know the sky.' } });
    const { rawKey } = await client.identityKeys.create({
      params: { identityId: persona.id },
      body: { name: 'socket' },
    });
    const agent = await connectAgent(server.url, rawKey);
    await agent.register();
    await client.agentToolProfiles.create({
      body: { role: 'chat', name: 'Chats', optInTools: ['weather_*'], discoveryEnabled: true },
    });
    const session = await client.chat.create({
      body: { title: 'Weather', identityId: persona.id, enabledTools: ['weather_get'] },
    });
    expect(await client.chat.tools({ params: { sessionId: session.id }, query: { enabledOnly: true } })).toMatchObject([
      { name: 'weather_get', source: 'Agent', enabled: true, allowedByPolicy: true },
    ]);
    const call = { id: 'c1', name: 'weather_get', arguments: ['{"place":', '"Oslo"}'] };
    model.reply({ text: ['Let me look.'], toolCalls: [call] }, { text: ['It rains.'] });
    const reading = allFrames(openChatStream(server, session.id, { body: { message: 'Weather?' } }));
    const open = async () => (await client.agentEscalations.list({ query: { openOnly: true } })).items;
    await expect.poll(async () => (await open()).length, patience).toBe(1);
    const [asked] = await open();
    expect(asked).toMatchObject({ kind: 'toolApproval', chatSessionId: session.id, runId: null });
    expect(asked?.situation).toContain('Oslo');
    const plain = await server.call('POST', `/api/chat/sessions/${session.id}/chat`, { message: 'Hurry' });
    expect(plain).toMatchObject({ status: 409, body: { errorCode: 'CONFLICT' } });
    await client.agentEscalations.resolve({
      params: { id: asked?.id ?? 0 },
      body: { decision: 'approve', argumentsJson: '{"place":"Bergen"}' },
    });
    const made = await agent.called();
    expect(made.data.arguments).toEqual({ place: 'Bergen' });
    agent.answer(made.id, 'rain');
    const frames = await reading;
    expect(textOf(frames)).toBe('Let me look.\n\nIt rains.');
    expect(frames.map(({ data }) => data.toolCall?.status).filter(Boolean)).toEqual([
      'AwaitingApproval',
      'Running',
      'Succeeded',
    ]);
    const told = model.requests.at(-1)?.body.messages;
    expect(told[0]).toMatchObject({ role: 'system', content: expect.stringContaining('You know the sky.') });
    expect(told.at(-1)).toMatchObject({ role: 'tool', content: 'rain' });
    expect(await open()).toEqual([]);
    agent.cut();
  });
});

describe('a run that is talked about', () => {
  it('rests, and its agent answers from what it has done, in one chat', async () => {
    const { client } = server;
    model.reply({ toolCalls: [{ id: 'n1', name: 'run_note', arguments: ['{"content":"The vault is blue."}'] }] });
    model.reply({ text: ['working'], stallAfter: 1 });
    const before = model.requests.length;
    const run = await client.agentRuns.create({ body: { goal: 'Open the vault.', autoStart: true } });
    await model.arrived(before + 2);
    const chat = await client.agentPauseChat.open({ params: { runId: run.id } });
    model.release();
    await expect
      .poll(async () => (await client.agentRuns.get({ params: { id: run.id } })).status, patience)
      .toBe('Paused');
    expect(chat).toMatchObject({ identityId: run.identityId, messages: [], title: `Run ${run.id}: Open the vault.` });
    model.reply({ text: ['It is blue.'] });
    const again = await client.agentPauseChat.open({ params: { runId: run.id }, body: { message: 'Which colour?' } });
    expect(again.id).toBe(chat.id);
    await expect
      .poll(async () => (await client.chat.get({ params: { id: chat.id } })).messages[1]?.state, patience)
      .toBe('Complete');
    const system = model.requests.at(-1)?.body.messages[0].content;
    expect(system).toContain('Goal: Open the vault.');
    expect(system).toContain('The vault is blue.');
    expect((await client.agentRuns.get({ params: { id: run.id } })).pauseChatSessionId).toBe(chat.id);
  });
});

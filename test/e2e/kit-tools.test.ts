// Tools of front-end kits, as the kits themselves use them: approvals, tools that run in the browser, and what comes along.
import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectAgent, type TestAgent } from '../support/agent.ts';
import type { FakeReply, FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { TestServer } from '../support/test-server.ts';

let model: FakeServer;
let server: TestServer;
let close: ServerWithModel['close'];
let agent: TestAgent;
let calls = 0;
/** What the model says next; titles are asked for besides, at any time. */
const said: FakeReply[] = [];
const say = (...replies: FakeReply[]) => void said.splice(0, said.length, ...replies);
/** An identity with a tool that has to be approved. */
let identityId: number;
beforeAll(async () => {
  ({ model, server, close } = await startServerWithModel());
  model.otherwise = ({ body }) =>
    (/title/i.test(JSON.stringify(body.messages[0])) ? { text: ['A title'] } : said.shift()) ?? { text: ['?'] };
  const { client } = server;
  ({ id: identityId } = await client.identities.create({ body: { name: 'Iris' } }));
  const { rawKey } = await client.identityKeys.create({ params: { identityId }, body: { name: 'socket' } });
  agent = await connectAgent(server.url, rawKey);
  await agent.register();
  await client.agentToolProfiles.create({
    body: { role: 'chat', name: 'Chats', optInTools: ['weather_*'], discoveryEnabled: true },
  });
});
afterAll(async () => {
  agent.cut();
  await close();
});

const patience = { timeout: 60_000, interval: 20 };
const headers = () => ({ authorization: `Bearer ${server.key}` });
const weather = { id: 'c1', name: 'weather_get', arguments: ['{"place":"Oslo"}'] };
const place = { id: 'p1', name: 'place_get', arguments: ['{}'] };
const placeTool = {
  name: 'place_get',
  description: 'Where the user is.',
  parameters: { type: 'object', properties: {} },
};

/** A session of that identity, with its tool switched on. */
const newSession = async () =>
  String((await server.client.chat.create({ body: { title: 'x', identityId, enabledTools: ['weather_get'] } })).id);

const textOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('|');
const toolPart = (message: UIMessage | undefined) =>
  message?.parts.find(({ type }) => type === 'dynamic-tool' || type.startsWith('tool-')) as
    | { type: string; state: string; toolCallId: string; approval?: { id: string }; output?: unknown }
    | undefined;
const asks = () =>
  model.requests.map(({ body }) => body).filter((body) => !/title/i.test(JSON.stringify(body.messages[0])));
const lastToModel = () => asks().at(-1)?.messages.at(-1);

describe('the AI SDK', () => {
  function openChat(id: string, options: { body?: object; messages?: UIMessage[] } = {}) {
    const errors: Error[] = [];
    const chat = new Chat({
      id,
      messages: options.messages ?? [],
      transport: new DefaultChatTransport({
        api: `${server.url}/api/chat/ui`,
        headers,
        ...(options.body && { body: options.body }),
      }),
      sendAutomaticallyWhen: (state) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
        lastAssistantMessageIsCompleteWithToolCalls(state),
      onError: (error) => void errors.push(error),
    });
    return { chat, errors };
  }
  const asked = async (chat: Chat<UIMessage>) => {
    await chat.sendMessage({ text: 'Weather?' });
    await vi.waitFor(() => expect(toolPart(chat.lastMessage)?.state).toBe('approval-requested'), patience);
    expect(chat.status).toBe('ready');
    return toolPart(chat.lastMessage)?.approval?.id ?? '';
  };

  it('approves a call where it asks for it, and the reply goes on in its message', async () => {
    const { chat, errors } = openChat(await newSession());
    say({ text: ['Let me look.'], toolCalls: [weather] }, { text: ['It rains.'] });
    const id = await asked(chat);
    const reply = chat.lastMessage?.id;
    await chat.addToolApprovalResponse({ id, approved: true });
    const made = await agent.called(++calls);
    expect(made.data.arguments).toEqual({ place: 'Oslo' });
    agent.answer(made.id, 'rain');
    await vi.waitFor(() => expect(textOf(chat.lastMessage)).toMatch(/It rains\.$/), patience);
    await vi.waitFor(() => expect(chat.status).toBe('ready'), patience);
    expect(errors).toEqual([]);
    expect(chat.lastMessage?.id).toBe(reply);
    expect(textOf(chat.lastMessage).match(/Let me look/g)).toHaveLength(1);
    expect(toolPart(chat.lastMessage)).toMatchObject({ state: 'output-available', output: 'rain' });
    expect(chat.messages).toHaveLength(2);
  });

  it('denies a call with a reason that the model reads, even one that sounds like an approval', async () => {
    const { chat, errors } = openChat(await newSession());
    say({ toolCalls: [weather] }, { text: ['As you wish.'] });
    const id = await asked(chat);
    await chat.addToolApprovalResponse({ id, approved: false, reason: 'approved' });
    await vi.waitFor(() => expect(textOf(chat.lastMessage)).toBe('As you wish.'), patience);
    expect(errors).toEqual([]);
    expect(toolPart(chat.lastMessage)?.state).toBe('output-denied');
    expect(lastToModel()).toMatchObject({ role: 'tool', content: expect.stringContaining('approved') });
  });

  it('runs tools of the front end and sends their results', async () => {
    const { chat, errors } = openChat('browser-tools', {
      body: { tools: { place_get: placeTool }, metadata: { a: 1 } },
    });
    say({ text: ['Where?'], toolCalls: [place] }, { text: ['Hello Oslo.'] });
    await chat.sendMessage({ text: 'Greet my town' });
    expect(asks().at(-1)?.tools).toMatchObject([{ function: { name: 'place_get' } }]);
    await vi.waitFor(() => expect(toolPart(chat.lastMessage)?.state).toBe('input-available'), patience);
    expect(toolPart(chat.lastMessage)?.type).toBe('tool-place_get');
    await chat.addToolOutput({ tool: 'place_get', toolCallId: 'p1', output: { town: 'Oslo' } });
    await vi.waitFor(() => expect(textOf(chat.lastMessage)).toMatch(/Hello Oslo\.$/), patience);
    expect(errors).toEqual([]);
    expect(lastToModel()).toMatchObject({ role: 'tool', content: '{"town":"Oslo"}' });
    expect(chat.messages).toHaveLength(2);
  });

  it('leaves its tools behind when the user says something else', async () => {
    const { chat, errors } = openChat('browser-tools-left', { body: { tools: { place_get: placeTool } } });
    say({ toolCalls: [place] }, { text: ['Never mind.'] });
    await chat.sendMessage({ text: 'Greet my town' });
    await chat.sendMessage({ text: 'Forget it' });
    expect(errors).toEqual([]);
    expect(textOf(chat.lastMessage)).toBe('Never mind.');
  });

  it('brings its history and its instructions along', async () => {
    const message = (id: string, role: 'system' | 'user' | 'assistant', text: string): UIMessage => ({
      id,
      role,
      parts: [{ type: 'text', text }],
    });
    const messages = [
      message('s', 'system', 'Be brief.'),
      message('a', 'user', 'Hi'),
      message('b', 'assistant', 'Hello.'),
    ];
    const { chat, errors } = openChat('with-history', { messages, body: { system: 'Rhyme.' } });
    say({ text: ['Bye.'] });
    await chat.sendMessage({ text: 'And now?' });
    expect(errors).toEqual([]);
    const [system, ...rest] = asks().at(-1)?.messages ?? [];
    expect(system.content).toMatch(/Rhyme\.[\s\S]*Be brief\./);
    expect(rest.map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello.'],
      ['user', 'And now?'],
    ]);
  });

  it('gets chunks that version 5 knows, where it says that it is one', async () => {
    say({ text: ['Let me look.'], toolCalls: [weather] });
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Weather?' }] };
    const id = await newSession();
    const { body } = await server.call('POST', '/api/chat/ui?sdk=5', { id, messages: [message] });
    expect(body).not.toMatch(/finishReason|tool-approval-request/);
    const [, approvalId] = /"type":"data-approval",.*?"approvalId":"(\d+)"/.exec(body) ?? [];
    // It decides in the data that asked, and the reply goes on in its message.
    say({ text: ['As you wish.'] });
    const data = { approvalId, toolCallId: 'c1', approved: false, reason: 'not now' };
    const parts = [
      { type: 'dynamic-tool', toolName: 'weather_get', toolCallId: 'c1', state: 'input-available', input: {} },
      { type: 'data-approval', data },
    ];
    const decided = { id, messages: [message, { id: 'a1', role: 'assistant', parts }] };
    const rest = await server.call('POST', '/api/chat/ui?sdk=5', decided);
    expect(rest.body).toContain('As you wish.');
    expect(lastToModel()).toMatchObject({ role: 'tool', content: expect.stringContaining('not now') });
  });

  it('says that nothing waits, and who may not approve', async () => {
    const responded = (id: string) => [
      {
        id: 'm',
        role: 'assistant',
        parts: [{ type: 'dynamic-tool', state: 'approval-responded', approval: { id, approved: true } }],
      },
    ];
    const session = await newSession();
    const early = await server.call('POST', '/api/chat/ui', { id: session, messages: responded('1') });
    expect(early).toMatchObject({ status: 409, body: { errorCode: 'CONFLICT' } });
    const { chat } = openChat(session);
    say({ toolCalls: [weather] });
    const id = await asked(chat);
    const foreign = await server.call('POST', '/api/chat/ui', {
      id: session,
      messages: responded(String(Number(id) + 1)),
    });
    expect(foreign.status).toBe(409);
    // The owner of the chat, without the permission to decide.
    const me = await server.call('GET', '/api/auth/me');
    const { rawKey } = await server.client.identityKeys.create({
      params: { identityId: me.body.data.identity.id },
      body: { name: 'chats', scopes: ['ChatRead', 'ChatWrite'] },
    });
    const mayNot = { authorization: `Bearer ${rawKey}` };
    const refused = await server.call('POST', '/api/chat/ui', { id: session, messages: responded(id) }, mayNot);
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN' } });
    expect(refused.body.hint).toContain('EscalationsResolve');
    await server.client.chat.stop({ params: { sessionId: Number(session) } });
  });
});

describe('AG-UI', () => {
  const open = (threadId: string) =>
    new HttpAgent({ url: `${server.url}/api/chat/ag-ui`, headers: headers(), threadId });
  const run = async (one: HttpAgent, input: Parameters<HttpAgent['runAgent']>[0] = {}) => {
    // biome-ignore lint/suspicious/noExplicitAny: events of another protocol
    const seen: any[] = [];
    await one.runAgent(input, { onEvent: ({ event }) => void seen.push(event) });
    return seen;
  };

  it('interrupts for an approval, and is resumed', async () => {
    const threadId = await newSession();
    const one = open(threadId);
    one.addMessage({ id: 'u1', role: 'user', content: 'Weather?' });
    say({ text: ['Let me look.'], toolCalls: [weather] }, { text: ['It rains.'] });
    const first = await run(one, { runId: 'r1' });
    expect(first[0]).toMatchObject({ type: 'RUN_STARTED', threadId, runId: 'r1' });
    const { outcome } = first.at(-1);
    expect(outcome).toMatchObject({ type: 'interrupt', interrupts: [{ reason: 'tool_approval', toolCallId: 'c1' }] });
    const resuming = run(one, {
      runId: 'r2',
      resume: [{ interruptId: outcome.interrupts[0].id, status: 'resolved', payload: { approved: true } }],
    });
    const made = await agent.called(++calls);
    agent.answer(made.id, 'rain');
    const second = await resuming;
    expect(second.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['TOOL_CALL_RESULT', 'TEXT_MESSAGE_CONTENT']),
    );
    expect(second.at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: 'r2', outcome: { type: 'success' } });
    expect(JSON.stringify(second)).not.toContain('Let me look');
  });

  it('uses tools, context and state of the front end, images and instructions', async () => {
    const one = open('agui-tools');
    one.setMessages([
      { id: 's', role: 'system', content: 'Be brief.' },
      { id: 'a', role: 'user', content: 'Hi' },
      { id: 'b', role: 'assistant', content: 'Hello.' },
      {
        id: 'u1',
        role: 'user',
        content: [
          { type: 'text', text: 'Where was this taken?' },
          { type: 'image', source: { type: 'data', value: 'iVBORw0KGgo=', mimeType: 'image/png' } },
        ],
      },
    ]);
    one.setState({ zoom: 3 });
    say({ toolCalls: [place] }, { text: ['In Oslo.'] });
    const context = [{ description: 'Language', value: 'Norwegian' }];
    const first = await run(one, { runId: 'r1', tools: [placeTool], context });
    expect(first[0]).toMatchObject({ threadId: 'agui-tools' });
    expect(first.at(-1).outcome).toEqual({ type: 'success', pendingToolCallIds: ['p1'] });
    const sent = asks().at(-1);
    expect(sent.tools).toMatchObject([{ function: { name: 'place_get' } }]);
    expect(sent.messages[0].content).toMatch(/Be brief\.[\s\S]*Language: Norwegian[\s\S]*"zoom":3/);
    expect(sent.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(JSON.stringify(sent.messages.at(-1))).toContain('image_url');
    one.addMessage({ id: 't1', role: 'tool', toolCallId: 'p1', content: 'Oslo' });
    const second = await run(one, { runId: 'r2', tools: [placeTool] });
    expect(second.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(one.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'In Oslo.' });
    expect(lastToModel()).toMatchObject({ role: 'tool', content: 'Oslo' });
  });
});

// MCP servers that ask people in chats: the reply waits as for an approval, and goes on with the answer in the same message.
import { beforeEach, expect, it } from 'vitest';
import { openChatStream } from '../support/chat-viewer.ts';
import { answering, askingInSessions, askingOnStreams, greeting, type McpHost } from '../support/mcp-host.ts';
import { mcpStage } from '../support/mcp-stage.ts';

const stage = mcpStage();
const { call } = stage;
beforeEach(() => {
  Object.assign(stage.host, { instead: null, calls: [] });
});

let count = 0;
/** A chat whose first reply calls the tool of this server; answers the id of the chat. */
async function start(tools: McpHost['tools'] = {}, args: object = {}, settings?: object): Promise<number> {
  stage.host.tools = tools;
  await stage.connect(`Pier ${++count}`, settings);
  const toolCall = { id: 'c0', name: `pier_${count}__ask`, arguments: [JSON.stringify(args)] };
  stage.model.reply({ text: ['One moment.'], toolCalls: [toolCall] });
  const chat = await call('POST', '/api/chat/sessions', { title: 'Pier', enabledTools: ['pier_*'] });
  // Its answer comes when the reply waits for a person.
  expect(await call('POST', `/api/chat/sessions/${chat.id}/chat`, { message: 'Dock.' })).toMatchObject({ status: 409 });
  return chat.id;
}
type Question = { id: number; kind: string; situation: string; status: string; timeoutAtUtc: string | null };
async function questions(chatId: number, status = 'AwaitingHuman'): Promise<Question[]> {
  const { items } = await call('GET', `/api/agent/escalations?status=${status}&pageSize=100`);
  return items.filter(({ chatSessionId }: { chatSessionId: number }) => chatSessionId === chatId);
}
async function question(chatId: number, after = 0): Promise<Question> {
  await expect.poll(async () => (await questions(chatId)).some(({ id }) => id > after)).toBe(true);
  return (await questions(chatId)).find(({ id }) => id > after) as Question;
}
const decide = ({ id }: Question, decision: string) =>
  call('POST', `/api/agent/escalations/${id}/resolve`, { decision });
const reply = async (chatId: number) => (await call('GET', `/api/chat/sessions/${chatId}`)).messages[1];
/** What the model was told of the call, once the reply is whole. */
async function told(chatId: number): Promise<unknown> {
  await expect.poll(async () => (await reply(chatId)).state, { timeout: 10_000 }).toBe('Complete');
  const message = await reply(chatId);
  expect(message.content).toBe('One moment.\n\nDone.');
  return JSON.parse(message.toolCalls[0].resultJson);
}

const readOnly = { annotations: { readOnlyHint: true } };
const elicit = (properties: Record<string, object>, required: string[] = []) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Which berth?', requestedSchema: { type: 'object', properties, required } },
});
const berth = elicit({ berth: { type: 'integer', minimum: 1 } }, ['berth']);

it('are answered by a form, again where the answer does not fit, over a restart, in the same message', async () => {
  const chat = await start({ ask: { ...readOnly, wants: { berth } } });
  const asked = await question(chat);
  expect(asked).toMatchObject({ kind: 'elicitation', situation: expect.stringContaining('Which berth?') });
  expect(await reply(chat)).toMatchObject({
    state: 'Streaming',
    toolCalls: [{ status: 'AwaitingApproval', escalationId: asked.id, asks: 'elicitation' }],
  });
  await stage.server.restart();
  await decide(asked, 'many');
  const again = await question(chat, asked.id);
  expect(again.situation).toMatch(/did not fit.*Which berth/s);
  await decide(again, '4');
  expect(await told(chat)).toEqual({ berth: { action: 'accept', content: { berth: 4 } } });
  expect((await reply(chat)).toolCalls).toMatchObject([{ status: 'Succeeded', asks: null }]);
  expect(stage.host.calls).toHaveLength(2);
});

it('are withdrawn when the reply is stopped or its chat deleted, and asked anew when it goes on', async () => {
  const chat = await start({ ask: { ...readOnly, wants: { berth } } });
  const asked = await question(chat);
  await call('POST', `/api/chat/sessions/${chat}/stop`);
  expect(await questions(chat, 'Withdrawn')).toMatchObject([{ id: asked.id }]);
  expect(await decide(asked, '4')).toMatchObject({ status: 409 });
  const going = await openChatStream(stage.server, chat, { body: { message: null } });
  const anew = await question(chat, asked.id);
  await call('DELETE', `/api/chat/sessions/${chat}`);
  await going.body?.cancel();
  expect((await questions(chat, 'Withdrawn')).map(({ id }) => id).sort()).toEqual([asked.id, anew.id].sort());
});

it('to open an address are for people, and end by the timeout of the tenant', async () => {
  const params = { mode: 'url', message: 'Pay the dues.', url: 'https://pay.example/dues/7', elicitationId: 'e' };
  const wants = { dues: { method: 'elicitation/create', params } };
  const paid = await start({ ask: { ...readOnly, wants } });
  const asked = await question(paid);
  expect(asked.situation).toMatch(/It is at pay\.example:\nhttps:\/\/pay\.example\/dues\/7/);
  await decide(asked, 'done');
  expect(await told(paid)).toEqual({ dues: { action: 'accept' } });
  const policy = await call('GET', '/api/tenant-policy');
  await call('PUT', '/api/tenant-policy', {
    ...policy,
    escalationTimeoutMinutes: 10,
    escalationTimeoutAction: 'Proceed',
  });
  const late = await start({ ask: { ...readOnly, wants } });
  await question(late);
  stage.clock.shift(601_000);
  expect(await told(late)).toEqual({ dues: { action: 'cancel' } });
  await call('PUT', '/api/tenant-policy', policy);
});

it('of 2025 are answered on the call that is open, by the SDK of the protocol', async () => {
  const heard: unknown[] = [];
  const { message, requestedSchema } = berth.params;
  stage.host.instead = askingInSessions({ message, requestedSchema: requestedSchema as never }, heard);
  const chat = await start();
  const asked = await question(chat);
  await decide(asked, '0');
  await decide(await question(chat, asked.id), '4');
  expect(await told(chat)).toEqual({ action: 'accept', content: { berth: 4 } });
  expect(heard).toEqual(['tools/call', { action: 'accept', content: { berth: 4 } }]);
});

it('of 2025 end with their time, with the reply, and with the connection', async () => {
  const heard: unknown[] = [];
  stage.host.instead = askingOnStreams(() => berth, 1, { annotations: {}, heard });
  const late = await start({}, {}, { sampling: 'Off', questionTimeoutMs: 600_000 });
  expect(Date.parse((await question(late)).timeoutAtUtc ?? '') - stage.clock.now()).toBeGreaterThan(500_000);
  stage.clock.shift(600_000);
  expect(await told(late)).toMatch(/"cancel".*Nobody answered in time/s);

  heard.length = 0;
  const stopped = await start();
  await question(stopped);
  await call('POST', `/api/chat/sessions/${stopped}/stop`);
  await expect.poll(() => heard.length).toBe(3);
  expect(heard).toEqual(expect.arrayContaining(['tools/call', { action: 'cancel' }, 'notifications/cancelled']));
  expect((await reply(stopped)).toolCalls).toMatchObject([{ status: 'Failed' }]);

  heard.length = 0;
  const once = await start();
  const lost = await question(once);
  await stage.server.restart();
  expect(await told(once)).toMatch(/^The server asked a person "Which berth\?", and the connection .* was lost\./);
  expect(heard.filter((one) => one === 'tools/call')).toHaveLength(1);
  expect(await decide(lost, '4')).toMatchObject({ status: 409 });
});

it('of 2025 that need an address first are called again once it was opened', async () => {
  const data = { elicitations: [{ mode: 'url', message: 'Pay.', url: 'https://pay.example/8', elicitationId: 'e' }] };
  const first = { failed: { code: -32_042, message: 'needed', data } };
  let calls = 0;
  stage.host.instead = answering({
    initialize: greeting,
    'tools/list': () => ({ tools: [{ name: 'ask', ...readOnly, inputSchema: { type: 'object' } }] }),
    'tools/call': () => (calls++ === 0 ? first : { content: [{ type: 'text', text: 'Paid.' }] }),
  });
  const chat = await start();
  await decide(await question(chat), 'done');
  expect([await told(chat), calls]).toEqual(['Paid.', 2]);
});

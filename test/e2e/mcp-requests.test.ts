// MCP servers that want something in the middle of a call: a model's answer, an address opened, the folders of the run.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answering, askingOnStreams, greeting, type McpHost, startMcpHost } from '../support/mcp-host.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let world: ServerWithModel;
let host: McpHost;
let connectorId: number;
beforeAll(async () => {
  world = await startServerWithModel({ RIVULET_PRIVATE_CONNECTORS: 'operator' });
  host = await startMcpHost({});
});
afterAll(async () => {
  await host.close();
  await world.close();
});
beforeEach(() => {
  host.instead = null;
  host.calls.length = 0;
  world.model.requests.length = 0;
});

const call = async (method: string, path: string, body?: object) => {
  const answer = await world.server.call(method, path, body);
  return answer.body.ok ? answer.body.data : { ...answer.body, status: answer.status };
};
let count = 0;
/** A connector whose tool wants these things; answers the name of the tool for models. */
async function connect(tools: McpHost['tools'], sampling?: 'Off' | 'Ask' | 'Allow'): Promise<string> {
  host.tools = tools;
  const name = `Wharf ${++count}`;
  ({ id: connectorId } = await call('POST', '/api/connectors', { name, type: 'Mcp', baseUrl: host.url }));
  if (sampling) await call('PUT', `/api/connectors/${connectorId}/mcp/settings`, { sampling });
  expect(await call('POST', `/api/connectors/${connectorId}/mcp/discover`)).toMatchObject({ status: 'Connected' });
  return `wharf_${count}__ask`;
}
const getRun = (id: number) => call('GET', `/api/agent/runs/${id}`);
async function start(tool: string, calls: object[] = [{}], more: object = {}): Promise<number> {
  const toolCalls = calls.map((args, n) => ({ id: `c${n}`, name: tool, arguments: [JSON.stringify(args)] }));
  world.model.reply({ toolCalls });
  return (await call('POST', '/api/agent/runs', { goal: 'Use the tool.', autoStart: true, ...more })).id;
}
/** What the model was told of the calls of a run. */
async function toldOf(id: number): Promise<string[]> {
  await expect.poll(async () => (await getRun(id)).status).toBe('Completed');
  const events = await call('GET', `/api/agent/runs/${id}/events`);
  return events
    .filter(({ type }: { type: string }) => /^ToolCall(Completed|Failed)$/.test(type))
    .map(({ message }: { message: string }) => message);
}
async function question(id: number): Promise<{ id: number; kind: string; situation: string }> {
  await expect.poll(async () => (await getRun(id)).status).toBe('WaitingForDecision');
  const { items } = await call('GET', `/api/agent/escalations?runId=${id}&status=AwaitingHuman`);
  return items[0];
}
const decide = (escalation: { id: number }, decision: string) =>
  call('POST', `/api/agent/escalations/${escalation.id}/resolve`, { decision });

const prompt = (text: string) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 60 },
});
const wantsModel = { ask: { annotations: { readOnlyHint: true }, wants: { berth: prompt('Which berth?') } } };

describe('a server that asks a model', () => {
  it('is answered at the expense of the run, where the connector allows it', async () => {
    const tool = await connect(wantsModel, 'Allow');
    const id = await start(tool);
    world.model.reply({ text: ['The third.'], usage: { prompt: 900, completion: 77 } }, { text: ['Done.'] });
    expect((await toldOf(id))[0]).toMatch(/"role":"assistant".*"text":"The third\."/);
    const [, asked] = world.model.requests;
    expect(asked?.body.messages).toEqual([{ role: 'user', content: 'Which berth?' }]);
    expect(asked?.body.max_completion_tokens ?? asked?.body.max_tokens).toBe(60);
    expect((await getRun(id)).tokensUsed).toBeGreaterThan(977);
  });

  it('is refused unless the connector says so, and where the run cannot afford it, without harm to the connector', async () => {
    const off = await connect(wantsModel);
    const refused = await start(off);
    world.model.reply({ text: ['Done.'] });
    expect((await toldOf(refused))[0]).toMatch(/MCP_ERROR/);
    expect(host.calls).toHaveLength(1);
    expect(world.model.requests).toHaveLength(2);
    const large = {
      messages: [{ role: 'user', content: { type: 'text', text: 'x '.repeat(40_000) } }],
      maxTokens: 8000,
    };
    const wants = { berth: { method: 'sampling/createMessage', params: large } };
    const tool = await connect({ ask: { annotations: { readOnlyHint: true }, wants } }, 'Allow');
    const poor = await start(tool, [{}], { maxTokens: 20_000 });
    world.model.reply({ text: ['Done.'] });
    expect((await toldOf(poor))[0]).toMatch(/BUDGET_EXCEEDED.*cannot afford/);
    expect(world.model.requests).toHaveLength(4);
    expect(await call('GET', `/api/connectors/${connectorId}`)).toMatchObject({ mcpStatus: 'Connected' });
  });

  it('is let through by a person who has seen the prompt, over a restart', async () => {
    const tool = await connect(wantsModel, 'Ask');
    const first = await start(tool);
    const asked = await question(first);
    expect(asked).toMatchObject({ kind: 'sampling', situation: expect.stringContaining('user: Which berth?') });
    await world.server.restart();
    world.model.reply({ text: ['The fourth.'] }, { text: ['Done.'] });
    await decide(asked, 'approve');
    expect((await toldOf(first))[0]).toContain('The fourth.');
    const second = await start(tool);
    const again = await question(second);
    world.model.reply({ text: ['Done.'] });
    await decide(again, 'decline');
    expect((await toldOf(second))[0]).toContain('did not let the server ask a model');
  });

  it('of 2025 asks while its call is open', async () => {
    host.instead = askingOnStreams(({ text }) => prompt(String(text)), 1);
    const tool = await connect({}, 'Allow');
    const id = await start(tool, [{ text: 'How deep?' }]);
    world.model.reply({ text: ['Nine feet.'] }, { text: ['Done.'] });
    expect((await toldOf(id))[0]).toContain('Nine feet.');
  });
});

describe('a server that asks a person', () => {
  it('to open an address shows it, and hears whether that was done', async () => {
    const params = { mode: 'url', message: 'Pay the dues.', url: 'https://pay.example/dues/7', elicitationId: 'e' };
    const wants = { dues: { method: 'elicitation/create', params }, folders: { method: 'roots/list' } };
    const id = await start(await connect({ ask: { annotations: { readOnlyHint: true }, wants } }));
    const asked = await question(id);
    expect(asked.situation).toMatch(/It is at pay\.example:\nhttps:\/\/pay\.example\/dues\/7\nPay the dues\./);
    world.model.reply({ text: ['Done.'] });
    await decide(asked, 'done');
    expect(JSON.parse((await toldOf(id))[0] ?? '')).toEqual({ dues: { action: 'accept' }, folders: { roots: [] } });
  });

  it('of 2025 that needs an address opened first is called again once it was', async () => {
    const url = 'https://pay.example/dues/8';
    const data = { elicitations: [{ mode: 'url', message: 'Pay first.', url, elicitationId: 'e' }] };
    const first = { failed: { code: -32_042, message: 'needed', data } };
    let calls = 0;
    const listed = { name: 'ask', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } };
    host.instead = answering({
      initialize: greeting,
      'tools/list': () => ({ tools: [listed] }),
      'tools/call': () => (calls++ === 0 ? first : { content: [{ type: 'text', text: 'Paid.' }] }),
    });
    const id = await start(await connect({}));
    const asked = await question(id);
    expect(asked.situation).toContain(url);
    world.model.reply({ text: ['Done.'] });
    await decide(asked, 'done');
    expect(await toldOf(id)).toEqual(['Paid.']);
    expect(calls).toBe(2);
  });
});

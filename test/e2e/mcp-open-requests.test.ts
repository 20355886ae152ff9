// MCP servers of 2025, whose questions hang on an open call: people are asked while the run rests, and the call is kept.
import { beforeEach, expect, it } from 'vitest';
import { askingOnStreams } from '../support/mcp-host.ts';
import { mcpStage } from '../support/mcp-stage.ts';

const stage = mcpStage();
const { call } = stage;
const heard: unknown[] = [];
beforeEach(() => {
  heard.length = 0;
});

let count = 0;
/** A connector whose tool asks what is said of its arguments, and a run that calls it with each of these. */
async function start(
  asks: (text: string) => { method: string; params: object },
  texts: string[],
  { annotations = {}, settings = { sampling: 'Ask' } }: { annotations?: object; settings?: object } = {},
): Promise<number> {
  stage.host.instead = askingOnStreams(({ text }) => asks(String(text)), 1, { annotations, heard });
  await stage.connect(`Quay ${++count}`, settings);
  const tool = { name: `quay_${count}__ask` };
  stage.model.reply({
    toolCalls: texts.map((text, n) => ({ ...tool, id: `c${n}`, arguments: [JSON.stringify({ text })] })),
  });
  return (await call('POST', '/api/agent/runs', { goal: 'Use the tool.', autoStart: true })).id;
}
const getRun = (id: number) => call('GET', `/api/agent/runs/${id}`);
async function questions(id: number): Promise<{ id: number; kind: string; situation: string; timeoutAtUtc: string }[]> {
  await expect.poll(async () => (await getRun(id)).status).toBe('WaitingForDecision');
  return (await call('GET', `/api/agent/escalations?runId=${id}&status=AwaitingHuman`)).items;
}
const decide = (escalation: { id: number } | undefined, decision: string) =>
  call('POST', `/api/agent/escalations/${escalation?.id}/resolve`, { decision });
/** What the model was told of the calls of a run. */
async function toldOf(id: number): Promise<string[]> {
  await expect.poll(async () => (await getRun(id)).status, { timeout: 10_000 }).toBe('Completed');
  const events = await call('GET', `/api/agent/runs/${id}/events`);
  return events
    .filter(({ type }: { type: string }) => /^ToolCall(Completed|Failed)$/.test(type))
    .map(({ message }: { message: string }) => message);
}
const form = (text: string) => ({
  method: 'elicitation/create',
  params: {
    ...{ mode: 'form', message: `How ${text}?` },
    requestedSchema: { type: 'object', properties: { feet: { type: 'integer', default: 9 } } },
  },
});
const prompt = (text: string) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 60 },
});
const accepted = (feet: number) => JSON.stringify({ action: 'accept', content: { feet } });

it('asks a person for each call, whose server is told the answer, while others work in its place', async () => {
  const policy = await call('GET', '/api/tenant-policy');
  await call('PUT', '/api/tenant-policy', { ...policy, maxConcurrentRuns: 1 });
  const id = await start(form, ['high', 'low']);
  const asked = await questions(id);
  expect(asked.map(({ kind, situation }) => [kind, /How \w+\?/.exec(situation)?.[0]]).sort()).toEqual([
    ['elicitation', 'How high?'],
    ['elicitation', 'How low?'],
  ]);
  const other = await call('POST', '/api/agent/runs', { goal: 'Work.', autoStart: true });
  expect(await toldOf(other.id)).toEqual([]);
  await call('PUT', '/api/tenant-policy', policy);
  const of = (word: string) => asked.find(({ situation }) => situation.includes(word));
  await decide(of('high'), '12');
  // It is told at once, though the other question is still open.
  await expect.poll(() => heard.at(-1)).toEqual({ action: 'accept', content: { feet: 12 } });
  await decide(of('low'), 'decline');
  expect((await toldOf(id)).sort()).toEqual([accepted(12), '{"action":"decline"}'].sort());
  expect(heard.filter((one) => one === 'tools/call')).toHaveLength(2);
});

it('lets a person see what it asks a model', async () => {
  const yes = await start(prompt, ['Which berth?']);
  const [shown] = await questions(yes);
  expect(shown).toMatchObject({ kind: 'sampling', situation: expect.stringContaining('user: Which berth?') });
  stage.model.reply({ text: ['The third.'], usage: { prompt: 900, completion: 77 } });
  await decide(shown, 'approve');
  expect((await toldOf(yes))[0]).toContain('The third.');
  expect((await getRun(yes)).tokensUsed).toBeGreaterThan(977);
  const no = await start(prompt, ['Which berth?']);
  await decide((await questions(no))[0], 'decline');
  expect((await toldOf(no))[0]).toMatch(/"refused".*asked a model, which it was refused here/s);
  expect(stage.model.requests.filter(({ body }) => body.messages?.length === 1)).toHaveLength(1);
});

it('is told that it is cancelled when nobody answers in time, or the run is cancelled', async () => {
  const settings = { sampling: 'Off', questionTimeoutMs: 600_000 };
  const late = await start(form, ['deep'], { settings });
  const [asked] = await questions(late);
  expect(Date.parse(asked?.timeoutAtUtc ?? '') - stage.clock.now()).toBeGreaterThan(500_000);
  stage.clock.shift(600_000);
  expect(await toldOf(late)).toEqual([
    '{"action":"cancel"}\n[It asked a person "How deep?". Nobody answered in time: it was told that.]',
  ]);
  heard.length = 0;
  const stopped = await start(form, ['deep']);
  await questions(stopped);
  await call('POST', `/api/agent/runs/${stopped}/cancel`, {});
  await expect.poll(() => heard.length).toBe(3);
  expect(heard).toEqual(expect.arrayContaining(['tools/call', { action: 'cancel' }, 'notifications/cancelled']));
  expect(await getRun(stopped)).toMatchObject({ status: 'Cancelled' });
});

it('that was asking when this server stopped is called again only where that does no harm', async () => {
  const once = await start(form, ['deep']);
  const [lost] = await questions(once);
  await stage.server.restart();
  expect((await toldOf(once))[0]).toMatch(/^The server asked a person "How deep\?", and the connection .* was lost\./);
  expect(heard.filter((one) => one === 'tools/call')).toHaveLength(1);
  expect(await call('GET', `/api/agent/escalations?runId=${once}`)).toMatchObject({ items: [{ status: 'Withdrawn' }] });
  expect(await decide(lost, '9')).toMatchObject({ status: 409 });

  heard.length = 0;
  const again = await start(form, ['deep'], { annotations: { idempotentHint: true } });
  const [first] = await questions(again);
  await stage.server.restart();
  await expect.poll(async () => (await questions(again))[0]?.id).not.toBe(first?.id);
  await decide((await questions(again))[0], 'nine');
  await expect.poll(async () => (await questions(again))[0]?.situation).toMatch(/did not fit.*How deep/s);
  await decide((await questions(again))[0], '9');
  expect(await toldOf(again)).toEqual([accepted(9)]);
  expect(heard.filter((one) => one === 'tools/call')).toHaveLength(2);
});

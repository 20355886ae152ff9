// Agents over sockets on the whole server: tools that runs call, reconnects, progress, presence and the inbox.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/kernel/clock.ts';
import { reconnectGraceMs } from '../../src/stream/connections/connections.ts';
import { agentTransports, connectAgent, type TestAgent, weatherTool } from '../support/agent.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { openSocket } from '../support/web-socket.ts';

let stage: Stage;
let names = 0;
/** The grace of agents that are cut is over at once when none will come back. */
let anyComesBack = true;
const shifted = createShiftedClock();
const clock: Clock = {
  ...shifted,
  after: (ms, run) => shifted.after(ms === reconnectGraceMs && !anyComesBack ? 0 : ms, run),
};
beforeAll(async () => {
  stage = await openStage({}, clock);
  stage.cast({
    weather: ({ turn, results }) =>
      turn === 0 ? { calls: [['weather_get', { place: 'Oslo' }]] } : { text: [`It says: ${results.at(-1)}`] },
    stuck: [{ text: ['never ', 'said'], stallAfter: 1 }],
  });
});
afterAll(() => stage.close());

/** An identity with a key of its own. */
async function hire(scopes?: 'RunsRead'[]) {
  const { identities, identityKeys } = stage.server.client;
  const { id } = await identities.create({ body: { name: `agent ${++names}` } });
  const body = { name: 'socket', ...(scopes ? { scopes } : {}) };
  const { rawKey } = await identityKeys.create({ params: { identityId: id }, body });
  return { id, key: rawKey };
}
const connect = (key: string, transport?: (typeof agentTransports)[number]) =>
  connectAgent(stage.server.url, key, transport);
const presenceOf = async (id: number) => (await stage.server.client.identities.get({ params: { id } })).presenceState;

describe.each(agentTransports)('tools over %s', (transport) => {
  it('are offered to the models of the runs of the agent, and called', async () => {
    const { id, key } = await hire();
    const agent = await connect(key, transport);
    expect(await agent.register()).toMatchObject({ op: 'Ack', ok: true });
    const listed = await stage.server.client.agentTools.list({ query: { identityId: id, category: 'remote' } });
    expect(listed).toMatchObject([{ name: 'weather_get', source: 'Agent', enabled: true }]);
    const run = await stage.start('Weather please', { identityId: id });
    const call = await agent.called();
    expect(call).toMatchObject({ type: 'weather_get', data: { arguments: { place: 'Oslo' }, runId: run.id } });
    agent.answer(call.id, 'rain');
    expect(await stage.end(run.id)).toMatchObject({ status: 'Completed', progressSummary: 'It says: rain' });
    agent.cut();
  });

  it('outlive a cut in the middle of a call', async () => {
    const { id, key } = await hire();
    const first = await connect(key, transport);
    await first.register();
    const run = await stage.start('Weather please', { identityId: id });
    const cut = await first.called();
    first.cut();
    const second = await connect(key, transport);
    await second.register();
    const again = await second.called();
    expect(again.data.idempotencyKey).toBe(cut.data.idempotencyKey);
    second.answer(again.id, 'sun');
    expect(await stage.end(run.id)).toMatchObject({ progressSummary: 'It says: sun' });
    second.cut();
  });
});

describe('tools', () => {
  it('time out by their own limit', async () => {
    const { id, key } = await hire();
    const agent = await connect(key);
    await agent.register({ ...weatherTool, timeoutMs: 100 });
    const run = await stage.start('Weather please', { identityId: id });
    expect((await stage.end(run.id)).progressSummary).toMatch(/CONNECTOR_TIMEOUT: .* within 100 ms/);
    agent.cut();
  });

  it('are for runs of the same identity only, and never stand for one of the server', async () => {
    const { key } = await hire();
    const agent = await connect(key);
    expect(await agent.register({ ...weatherTool, name: 'run_complete' })).toMatchObject({ errorCode: 'CONFLICT' });
    await agent.register();
    const other = await hire();
    const run = await stage.start('Weather please', { identityId: other.id });
    expect((await stage.end(run.id)).progressSummary).toMatch(/There is no tool weather_get/);
    agent.cut();
  });

  it('need a key that may write runs', async () => {
    const { key } = await hire(['RunsRead']);
    const agent = await connect(key);
    expect(await agent.register()).toMatchObject({ errorCode: 'FORBIDDEN' });
    agent.cut();
  });
});

describe('progress', () => {
  let agent: TestAgent;
  let id: number;
  beforeAll(async () => {
    const hired = await hire();
    id = hired.id;
    agent = await connect(hired.key);
  });
  afterAll(() => agent.cut());
  const publish = (topic: string, type: string, data: object) => agent.command({ op: 'Publish', topic, type, data });

  it('costs its viewers little more than what it says', async () => {
    const run = await stage.start('Stuck somewhere', { identityId: id });
    // What the run itself says of its first call is said by then.
    await expect.poll(() => stage.log(run.id)).toContain('ModelCallStarted');
    const viewer = await openSocket(stage.server.url, { authorization: `Bearer ${stage.server.key}` });
    const topic = `run:${run.id}`;
    await viewer.command({ op: 'Subscribe', id: '1', topics: [topic] });
    const frames: string[] = [];
    viewer.raw.on('message', (data) => frames.push(String(data)));
    const reports = [1, 2, 3].map((n) => `${n}`.repeat(100));
    for (const message of reports) await publish(topic, 'run.event', { message });
    await stage.server.client.agentRuns.cancel({ params: { id: run.id }, body: {} });
    await viewer.frame(({ type }) => type === 'run.ended');
    const at = frames.flatMap((text, index) => (text.includes('"ProgressUpdated"') ? [index] : []));
    expect(at).toHaveLength(3);
    // Whatever came between the first report and the last one came because of them.
    const progress = frames.slice(at[0], (at[2] ?? 0) + 1);
    expect(progress.join('').length / 3).toBeLessThanOrEqual(600);
    viewer.end();
  });

  it('of an own run is kept in its log and told to its viewers', async () => {
    const run = await stage.start('Stuck somewhere', { identityId: id });
    const topic = `run:${run.id}`;
    await stage.until(run.id, 'Running');
    expect(await publish(topic, 'run.event', { message: 'half way', payload: { percent: 50 } })).toMatchObject({
      ok: true,
      topics: [topic],
    });
    expect(await publish(topic, 'run.delta', { delta: 'as it comes' })).toMatchObject({ ok: true });
    await stage.heard(topic, 'run.delta');
    const events = await stage.server.client.agentRuns.events({ params: { runId: run.id }, query: { limit: 100 } });
    const progress = events.find(({ type }) => type === 'ProgressUpdated');
    expect(progress).toMatchObject({ message: 'half way', payloadJson: '{"percent":50}' });
    const detail = await stage.server.client.agentRuns.get({ params: { id: run.id } });
    expect(detail.progressSummary).toBe('half way');
    await stage.server.client.agentRuns.cancel({ params: { id: run.id }, body: {} });
    await stage.end(run.id);
    expect(await publish(topic, 'run.event', { message: 'too late' })).toMatchObject({
      errorCode: 'INVALID_TRANSITION',
    });
  });

  it('of anything else is refused', async () => {
    const run = await stage.server.client.agentRuns.create({ body: { goal: 'Not yours' } });
    const topic = `run:${run.id}`;
    expect(await publish(topic, 'run.event', { message: 'x' })).toMatchObject({ errorCode: 'OWNERSHIP_REQUIRED' });
    expect(await publish('runs', 'run.event', { message: 'x' })).toMatchObject({ errorCode: 'FORBIDDEN' });
    expect(await publish('run:999999', 'run.event', { message: 'x' })).toMatchObject({ errorCode: 'NOT_FOUND' });
    const own = await stage.server.client.agentRuns.create({ body: { goal: 'Yours', identityId: id } });
    const mine = `run:${own.id}`;
    expect(await publish(mine, 'run.ended', {})).toMatchObject({ errorCode: 'FORBIDDEN' });
    expect(await publish(mine, 'run.event', { text: 'x' })).toMatchObject({ errorCode: 'VALIDATION_FAILED' });
  });
});

describe('agents that leave', () => {
  beforeAll(() => {
    anyComesBack = false;
  });
  afterAll(() => {
    anyComesBack = true;
  });

  it('end the calls of their tools in an error that the model can read', async () => {
    const { id, key } = await hire();
    const agent = await connect(key);
    await agent.register();
    const run = await stage.start('Weather please', { identityId: id });
    await agent.called();
    agent.cut();
    const ended = await stage.end(run.id);
    expect(ended.progressSummary).toMatch(
      /^It says: CONNECTOR_ERROR: The agent that offers weather_get is not connected/,
    );
    shifted.shift(reconnectGraceMs);
    // From now on no model is offered it, and one that asks for it nevertheless hears why not.
    const later = await stage.start('Weather please', { identityId: id });
    expect((await stage.end(later.id)).progressSummary).toMatch(/The agent that offers weather_get is not connected/);
    const [request] = stage.model.requests.slice(-2);
    const offered = request?.body.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(offered).not.toContain('weather_get');
  });

  it('presence follows the sockets of an identity', async () => {
    const { id, key } = await hire();
    expect(await presenceOf(id)).toBe('Dormant');
    const came = stage.server.client.stream(`identity:${id}`, { cursor: '0' });
    const seen: unknown[] = [];
    const watching = (async () => {
      for await (const event of came) if (event.type === 'presence.changed') seen.push(event.data.presenceState);
    })();
    const agent = await connect(key);
    await expect.poll(() => presenceOf(id)).toBe('Present');
    const found = await stage.server.client.identities.list({ query: { presenceState: 'Present' } });
    expect(found.items.map((one) => one.id)).toContain(id);
    agent.cut();
    await vi.waitFor(async () => expect(await presenceOf(id)).toBe('Dormant'), { timeout: 60_000 });
    await expect.poll(() => seen).toEqual(['Present', 'Dormant']);
    came.close();
    await watching;
  });
});

it('an agent follows its inbox', async () => {
  const { id, key } = await hire();
  const agent = await connect(key);
  await agent.command({ op: 'Subscribe', topics: [`inbox:${id}`], lastEventId: '0' });
  const run = await stage.server.client.agentRuns.create({ body: { goal: 'Ask', identityId: id } });
  const { id: messageId } = await stage.server.client.agentMessages.create({
    params: { runId: run.id },
    body: { content: 'Are you there?' },
  });
  const event = await agent.event('message.received');
  expect(event.data).toMatchObject({ id: messageId, content: 'Are you there?' });
  expect(await agent.event('inbox.count')).toMatchObject({ data: { identityId: id, unreadMessages: 1 } });
  agent.cut();
});

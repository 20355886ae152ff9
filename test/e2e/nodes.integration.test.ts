// Several servers on one store and one Redis: agents, presence and rights reach across, and a killed node is taken over.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { connectAgent, weatherTool } from '../support/agent.ts';
import type { ChildServer } from '../support/child-server.ts';
import { createCuttingProxy } from '../support/cutting-proxy.ts';
import { checkWhole, type Follower, followers } from '../support/followers.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { sceneOf, toReply } from '../support/stage.ts';
import { openSocket } from '../support/web-socket.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

const clientOf = ({ baseUrl, key }: ChildServer) => createClient({ baseUrl, token: key });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const patience = { timeout: 60_000, interval: 50 };
const words = Array.from({ length: 80 }, (_, at) => `word${at} `);

describe.skipIf(missing !== null)('nodes', () => {
  let model: FakeServer;
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;
  let hired = 0;

  beforeAll(async () => {
    model = await startFakeServer();
    model.otherwise = (request) => {
      const { goal, turn, results } = sceneOf(request);
      if (goal === 'Weather')
        return toReply(
          turn === 0 ? { calls: [['weather_get', { place: 'Oslo' }]] } : { text: [`It says: ${results.at(-1)}`] },
          turn,
        );
      const long = { text: words, frameDelayMs: 20 };
      return toReply(turn < 3 ? { ...long, calls: [['run_note', { content: `note ${turn}` }]] } : long, turn);
    };
    nodes = await startNodes(2, environmentOf(model));
    [a, b] = nodes.servers as [ChildServer, ChildServer];
  });
  afterAll(async () => {
    await nodes?.close();
    await model?.close();
  });

  const hire = async () => {
    const { identities, identityKeys } = clientOf(a);
    const { id } = await identities.create({ body: { name: `agent ${++hired}` } });
    const { rawKey, key } = await identityKeys.create({ params: { identityId: id }, body: { name: 'socket' } });
    return { id, key: rawKey, keyId: key.id };
  };
  const weather = (server: ChildServer, identityId: number) =>
    clientOf(server).agentRuns.create({ body: { goal: 'Weather', identityId, autoStart: true } });
  const end = (server: ChildServer, id: number) =>
    clientOf(server).agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } });
  const offered = (server: ChildServer, identityId: number) =>
    expect
      .poll(() => clientOf(server).agentTools.list({ query: { identityId, category: 'remote' } }), patience)
      .toMatchObject([{ name: 'weather_get', enabled: true }]);

  it('a run on one node calls the tool of an agent on the other, which may move in the middle', async () => {
    const { id, key } = await hire();
    const first = await connectAgent(b.baseUrl, key);
    await first.register();
    await offered(a, id);
    const run = await weather(a, id);
    first.answer((await first.called()).id, 'rain');
    expect(await end(a, run.id)).toMatchObject({ status: 'Completed', progressSummary: 'It says: rain' });

    const again = await weather(a, id);
    const asked = await first.called(2);
    first.cut();
    const second = await connectAgent(a.baseUrl, key);
    await second.register();
    expect((await second.called()).data.idempotencyKey).toBe(asked.data.idempotencyKey);
    second.answer(second.calls[0]?.id ?? '', 'sun');
    expect(await end(b, again.id)).toMatchObject({ progressSummary: 'It says: sun' });

    const last = await weather(b, id);
    await second.called(2);
    second.cut();
    expect((await end(b, last.id)).progressSummary).toMatch(/CONNECTOR_ERROR: The agent .* is not connected/);
  });

  it('a call to an agent on the other node ends by its time limit, and its run reads why', async () => {
    const { id, key } = await hire();
    const agent = await connectAgent(b.baseUrl, key);
    await agent.register({ ...weatherTool, timeoutMs: 100 });
    await offered(a, id);
    const run = await weather(a, id);
    await agent.called();
    const ended = await end(a, run.id);
    expect(ended.status).toBe('Completed');
    expect(ended.progressSummary).toMatch(/^It says: CONNECTOR_TIMEOUT: The agent did not answer weather_get/);
    expect(agent.calls).toHaveLength(1);
    agent.cut();
  });

  it('presence and connections are the same on all', async () => {
    const { id, key } = await hire();
    const agent = await connectAgent(b.baseUrl, key);
    const presence = (server: ChildServer) => async () =>
      (await clientOf(server).identities.get({ params: { id } })).presenceState;
    await expect.poll(presence(a), patience).toBe('Present');
    const on = (server: ChildServer) => clientOf(server).webSocket.connections({ query: { identityId: id } });
    const [fromA, fromB] = await Promise.all([on(a), on(b)]);
    expect(fromA).toMatchObject({ totalCount: 1, items: [{ identityId: id, transport: 'WebSocket' }] });
    expect(fromA.items[0]?.id).toBe(fromB.items[0]?.id);
    agent.cut();
    await expect.poll(presence(a), patience).toBe('Dormant');
    expect((await on(a)).totalCount).toBe(0);
  });

  it('progress that an agent publishes through one node is told by the one that has the run', async () => {
    const { id, key } = await hire();
    const agent = await connectAgent(b.baseUrl, key);
    await agent.register();
    await offered(a, id);
    const run = await weather(a, id);
    const call = await agent.called();
    const topic = `run:${run.id}`;
    const published = await agent.command({ op: 'Publish', topic, type: 'run.event', data: { message: 'half way' } });
    expect(published).toMatchObject({ ok: true });
    for await (const event of clientOf(a).stream(topic, { cursor: '0', signal: AbortSignal.timeout(30_000) }))
      if (event.type === 'run.event' && event.data.message === 'half way') break;
    agent.answer(call.id, 'rain');
    expect(await end(a, run.id)).toMatchObject({ status: 'Completed' });
    agent.cut();
  });

  it('a key that is revoked on one closes its sockets and streams on the other within a second', async () => {
    const { id, key, keyId } = await hire();
    const socket = await openSocket(b.baseUrl, bearer(key));
    const events = await fetch(`${b.baseUrl}/api/events?topics=runs`, { headers: bearer(key) });
    const revoked = performance.now();
    await clientOf(a).identityKeys.remove({ params: { identityId: id, keyId } });
    expect((await socket.closed).code).toBe(4001);
    await events.text();
    console.info(`revoked on every node in ${Math.round(performance.now() - revoked)} ms`);
    expect((await fetch(`${b.baseUrl}/api/events?topics=runs`, { headers: bearer(key) })).status).toBe(401);
  });

  it('a session or an identity that ends on one closes its sockets and streams on the other', async () => {
    const newPassword = 'a few words make a good one';
    await clientOf(a).users.changePassword({ body: { currentPassword: '', newPassword } });
    const signIn = () => clientOf(a).auth.login({ body: { login: 'admin', password: newPassword } });
    const listen = async (token: string) => {
      const socket = await openSocket(b.baseUrl, bearer(token));
      const events = await fetch(`${b.baseUrl}/api/events?topics=runs`, { headers: bearer(token) });
      return async () => {
        expect((await socket.closed).code).toBe(4001);
        await events.text();
      };
    };
    const reused = await signIn();
    const closedByReuse = await listen(reused.accessToken);
    const body = { refreshToken: reused.refreshToken };
    await clientOf(b).auth.refresh({ body });
    await expect(clientOf(a).auth.refresh({ body })).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    await closedByReuse();
    const left = await signIn();
    const closedByLeaving = await listen(left.accessToken);
    await createClient({ baseUrl: a.baseUrl, token: left.accessToken }).auth.logout({ body: {} });
    await closedByLeaving();
    const { id, key } = await hire();
    const closedWithIdentity = await listen(key);
    await clientOf(a).identities.patch({ params: { id }, body: { isActive: false } });
    await closedWithIdentity();
  });

  it('a node that is killed while it writes and serves is taken over: nothing is lost or repeated', async () => {
    const { id, key } = await hire();
    const agent = await connectAgent(a.baseUrl, key);
    await agent.register();
    await offered(b, id);
    const asking = await weather(b, id);
    await agent.called();
    const proxy = await createCuttingProxy({ port: a.port });
    const started = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        clientOf(a).agentRuns.create({ body: { goal: `Tell ${at}`, autoStart: true } }),
      ),
    );
    const baseUrl = `http://127.0.0.1:${proxy.port}`;
    const followed = started.flatMap((run) =>
      Object.entries(followers).map(([name, follow]): [number, string, Follower] => [
        run.id,
        name,
        follow({ baseUrl, key: a.key, topic: `run:${run.id}` }),
      ]),
    );
    const hears = ([, , { events }]: (typeof followed)[0]) => events.some(({ data }) => /word9 /.test(data?.delta));
    await expect.poll(() => followed.every(hears), patience).toBe(true);
    proxy.retarget(b.port);
    await a.kill();
    await Promise.all(followed.map(([, , { done }]) => done));
    for (const [runId, name, follower] of followed) {
      follower.close();
      const stored = await clientOf(b).agentRuns.events({ params: { runId }, query: { limit: 1000 } });
      checkWhole(name, follower.events, stored);
      expect([name, follower.events.filter(({ type }) => type === 'stream.gap')]).toEqual([name, []]);
      const run = await clientOf(b).agentRuns.get({ params: { id: runId } });
      expect(run).toMatchObject({ status: 'Completed', progressSummary: words.join('') });
      expect(run.notes.map(({ content }) => content).sort()).toEqual(['note 0', 'note 1', 'note 2']);
    }
    for (const { id: runId } of started) {
      const texts = followed.filter(([one]) => one === runId).map(([, , { events }]) => textOf(events));
      expect(new Set(texts).size, 'deltas join to the same text for all').toBe(1);
    }
    expect(await end(b, asking.id)).toMatchObject({
      status: 'Completed',
      progressSummary: expect.stringMatching(/CONNECTOR_ERROR: The agent that offers weather_get is not connected/),
    });
    // What the dead node knew of is cleared up by the other.
    await expect
      .poll(async () => (await clientOf(b).identities.get({ params: { id } })).presenceState, patience)
      .toBe('Dormant');
    agent.cut();
    await proxy.close();
    await a.start();
  }, 300_000);
});

const textOf = (events: Follower['events']) =>
  events.map(({ type, data }) => (type === 'run.delta' ? data.delta : '')).join('');

// Chats on two servers that share one store and one Redis: each watches, stops, decides and goes on with what the other makes.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { connectAgent } from '../support/agent.ts';
import { allFrames, type ChatFrame, framesOf, openChatStream, textOf } from '../support/chat-viewer.ts';
import type { ChildServer } from '../support/child-server.ts';
import { type Followed, followers } from '../support/followers.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { fakeModel } from '../support/server-with-model.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

const clientOf = ({ baseUrl, key }: ChildServer) => createClient({ baseUrl, token: key });
const placeOf = ({ baseUrl, key }: ChildServer) => ({ url: baseUrl, key });
const patience = { timeout: 60_000, interval: 50 };
const words = Array.from({ length: 40 }, (_, at) => `word${at} `);
const whole = words.join('');
/** What a model has said that stalls before its 31st frame, of which the first holds no word. */
const half = words.slice(0, 29).join('');

/** Reads a chat stream in the background; `frames` grows, `end` resolves with all of them. */
function reader(response: Promise<Response>) {
  const frames: ChatFrame[] = [];
  const read = async () => {
    for await (const frame of framesOf(await response)) frames.push(frame);
    return frames;
  };
  const end = read();
  end.catch(() => undefined);
  return { frames, end };
}

/** What the replies of a topic said, by its events alone. */
const heard = (events: readonly Followed[]) =>
  textOf(events.filter(({ type }) => type === 'chat.stream').map(({ data }) => ({ id: '', event: data.type, data })));

describe.skipIf(missing !== null)('chats on two nodes', () => {
  let model: FakeServer;
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;

  beforeAll(async () => {
    model = await startFakeServer();
    nodes = await startNodes(2, environmentOf(model, fakeModel));
    [a, b] = nodes.servers as [ChildServer, ChildServer];
  });
  afterAll(async () => {
    model?.release();
    await nodes?.close();
    await model?.close();
  });

  const open = async (more: object = {}) => (await clientOf(a).chat.create({ body: { title: 'Test', ...more } })).id;
  const ask = (server: ChildServer, id: number, body: object) => openChatStream(placeOf(server), id, { body });
  const resume = (server: ChildServer, id: number, lastEventId?: string) =>
    openChatStream(placeOf(server), id, { lastEventId });
  const messagesOf = async (server: ChildServer, id: number) => {
    const { messages, generatingMessageId } = await clientOf(server).chat.get({ params: { id } });
    expect(generatingMessageId).toBeNull();
    return messages.map(({ role, content, state }) => [role, content, state]);
  };
  /** Follows a session's topic on a node from its beginning. */
  const watch = (server: ChildServer, id: number): Followed[] => {
    const follower = followers['client over WebSocket']?.({ ...server, topic: `chat:${id}` });
    if (!follower) throw new Error('no such follower');
    onTestFinished(() => follower.close());
    return follower.events;
  };

  it('a reply is read on the other node while it is made, and from a cursor', async () => {
    const id = await open();
    const seen = watch(b, id);
    model.reply({ text: words, stallAfter: 30 });
    const asked = reader(ask(a, id, { message: 'Go' }));
    await expect.poll(() => heard(seen), patience).toBe(half);
    const joined: ChatFrame[] = [];
    for await (const frame of framesOf(await resume(b, id))) {
      joined.push(frame);
      if (joined.length === 5) break;
    }
    expect(half.startsWith(textOf(joined)) && textOf(joined) !== half).toBe(true);
    // The head of an answer says nothing of where it reads: the reply goes on once what was said is heard.
    const resumed = reader(resume(b, id, joined.at(-1)?.id));
    await expect.poll(() => textOf([...joined, ...resumed.frames]), patience).toBe(half);
    model.release();
    const rest = await resumed.end;
    expect(textOf([...joined, ...rest])).toBe(whole);
    expect(rest.map(({ event }) => event)).not.toContain('Started');
    expect(rest.at(-1)?.data).toMatchObject({ type: 'Completed', message: { content: whole, state: 'Complete' } });
    expect(textOf(await asked.end)).toBe(whole);
    await expect.poll(() => seen.some(({ data }) => data.type === 'Completed'), patience).toBe(true);
    expect(heard(seen)).toBe(whole);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1));
    // A cursor of one node is a place on the other, also when the reply has ended.
    const begun = asked.frames.slice(0, asked.frames.length / 2);
    const again = await allFrames(resume(b, id, begun.at(-1)?.id));
    expect(textOf([...begun, ...again])).toBe(whole);
  });

  it('a chat goes on at either node, each time with all that was said before', async () => {
    const id = await open();
    const said: string[] = [];
    for (const [at, server] of [a, b, a, b, b, a].entries()) {
      model.reply({ text: [`Answer ${at}.`] });
      await allFrames(ask(server, id, { message: `Question ${at}.` }));
      said.push(`Question ${at}.`, `Answer ${at}.`);
      const sent: { role: string; content: string }[] = model.requests.at(-1)?.body.messages ?? [];
      const heard = sent.filter(({ role }) => role !== 'system').map(({ content }) => content);
      expect(heard).toEqual(said.slice(0, -1));
    }
    for (const server of [a, b]) {
      expect((await messagesOf(server, id)).map(([, content]) => content)).toEqual(said);
      const { items } = await clientOf(server).chat.messages({ params: { sessionId: id }, query: { sort: 'id' } });
      expect(items.map(({ content }) => content)).toEqual(said);
    }
  });

  it('Stop reaches a reply that the other node makes', async () => {
    const id = await open();
    const left = model.aborted;
    model.reply({ text: words, stallAfter: 30 });
    const asked = reader(ask(a, id, { message: 'Go' }));
    await expect.poll(() => textOf(asked.frames), patience).toBe(half);
    const stopped = await clientOf(b).chat.stop({ params: { sessionId: id } });
    expect(stopped).toMatchObject({ state: 'Stopped', content: half });
    await model.left(left + 1);
    expect((await asked.end).at(-1)?.data).toMatchObject({ type: 'Completed', message: { state: 'Stopped' } });
    model.reply({ text: words.slice(29) });
    expect(textOf(await allFrames(ask(b, id, {})))).toBe(whole);
    expect(await messagesOf(a, id)).toEqual([
      ['user', 'Go', 'Complete'],
      ['assistant', whole, 'Complete'],
    ]);
  });

  it('a tool is approved on the other node, which goes on with the reply', async () => {
    const client = clientOf(b);
    const persona = await client.identities.create({ body: { name: 'Iris' } });
    const key = await client.identityKeys.create({ params: { identityId: persona.id }, body: { name: 'socket' } });
    const agent = await connectAgent(a.baseUrl, key.rawKey);
    await agent.register();
    await client.agentToolProfiles.create({
      body: { role: 'chat', name: 'Chats', optInTools: ['weather_*'], discoveryEnabled: true },
    });
    await expect
      .poll(() => client.agentTools.list({ query: { identityId: persona.id, category: 'remote' } }), patience)
      .toMatchObject([{ name: 'weather_get', enabled: true }]);
    const id = await open({ identityId: persona.id, enabledTools: ['weather_get'] });
    model.reply({
      text: ['Let me look.'],
      toolCalls: [{ id: 'c1', name: 'weather_get', arguments: ['{"place":"Oslo"}'] }],
    });
    model.reply({ text: ['It rains.'] });
    const asked = reader(ask(a, id, { message: 'Weather?' }));
    const questions = async () => (await client.agentEscalations.list({ query: { openOnly: true } })).items;
    await expect.poll(questions, patience).toMatchObject([{ kind: 'toolApproval', chatSessionId: id }]);
    const [question] = await questions();
    const resolution = { decision: 'approve', argumentsJson: '{"place":"Bergen"}' };
    await client.agentEscalations.resolve({ params: { id: question?.id ?? 0 }, body: resolution });
    const call = await agent.called();
    expect(call.data.arguments).toEqual({ place: 'Bergen' });
    agent.answer(call.id, 'rain');
    const frames = await asked.end;
    expect(textOf(frames)).toBe('Let me look.\n\nIt rains.');
    expect(frames.at(-1)?.data).toMatchObject({ type: 'Completed', message: { state: 'Complete' } });
    expect(agent.calls).toHaveLength(1);
    expect(await questions()).toEqual([]);
    agent.cut();
  });

  it('of two messages at once through both nodes one is answered, and the other is told why not', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await open();
      const asked = model.requests.length;
      model.reply({ text: words, stallAfter: 30 });
      const [fromA, fromB] = await Promise.all([ask(a, id, { message: 'to a' }), ask(b, id, { message: 'to b' })]);
      const [taken, refused] = fromA.ok ? [fromA, fromB] : [fromB, fromA];
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ errorCode: 'CONFLICT', hint: expect.stringContaining('stream') });
      const { frames, end } = reader(Promise.resolve(taken));
      await expect.poll(() => textOf(frames), patience).toBe(half);
      model.release();
      expect(textOf(await end)).toBe(whole);
      expect(await messagesOf(fromA.ok ? b : a, id)).toEqual([
        ['user', fromA.ok ? 'to a' : 'to b', 'Complete'],
        ['assistant', whole, 'Complete'],
      ]);
      expect(model.requests.length).toBe(asked + 1);
    }
  });

  it('a message that is sent to both nodes under one key is asked once', async () => {
    const id = await open();
    const asked = model.requests.length;
    model.reply({ text: words });
    const body = { message: 'Go', idempotencyKey: 'once' };
    const both = await Promise.all([allFrames(ask(a, id, body)), allFrames(ask(b, id, body))]);
    expect(both.map(textOf)).toEqual([whole, whole]);
    expect(model.requests.length).toBe(asked + 1);
    expect(await messagesOf(b, id)).toHaveLength(2);
  });

  it('a node that is killed in the middle of a reply: the other keeps what was said, says so, and goes on', async () => {
    const id = await open();
    const seen = watch(b, id);
    model.reply({ text: words, stallAfter: 30 });
    const asked = reader(ask(a, id, { message: 'Go' }));
    const watching = reader(resumed(b, id));
    const saved = async () => (await clientOf(b).chat.get({ params: { id } })).messages[1]?.content;
    await expect.poll(() => textOf(asked.frames), patience).toBe(half);
    await expect.poll(saved, patience).toBe(half);
    await a.kill();
    await asked.end.catch(() => undefined);
    const end = { type: 'Error', errorCode: 'SHUTTING_DOWN', message: { content: half, state: 'Interrupted' } };
    expect((await watching.end).at(-1)?.data).toMatchObject(end);
    expect(textOf(watching.frames)).toBe(half);
    const missed = await allFrames(resume(b, id, asked.frames.at(-1)?.id));
    expect(missed.map(({ data }) => data)).toMatchObject([end]);
    model.reply({ text: words.slice(29) });
    expect(textOf(await allFrames(ask(b, id, {})))).toBe(whole);
    const now = [
      ['user', 'Go', 'Complete'],
      ['assistant', whole, 'Complete'],
    ];
    expect(await messagesOf(b, id)).toEqual(now);
    await expect.poll(() => seen.filter(({ data }) => data.type === 'Completed').length, patience).toBe(1);
    expect(heard(seen)).toBe(whole);
    await a.start();
    expect(await messagesOf(a, id)).toEqual(now);
    expect(textOf(await allFrames(resume(a, id, missed.at(-1)?.id)))).toBe(whole);
  }, 300_000);

  /** The stream of a session's reply, once one is made. */
  async function resumed(server: ChildServer, id: number): Promise<Response> {
    const generates = async () => (await clientOf(server).chat.get({ params: { id } })).generatingMessageId !== null;
    await expect.poll(generates, patience).toBe(true);
    return resume(server, id);
  }
});

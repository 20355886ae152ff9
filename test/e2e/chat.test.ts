// Chat sessions over the real server and a fake provider, on both HTTP adapters.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allFrames, type ChatFrame, framesOf, openChatStream, textOf } from '../support/chat-viewer.ts';
import type { FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type TestServer, transports } from '../support/test-server.ts';

describe.each(transports)('chat over %s', (transport) => {
  let model: FakeServer;
  let server: TestServer;
  let close: ServerWithModel['close'];
  beforeAll(async () => {
    ({ model, server, close } = await startServerWithModel({ RIVULET_TRANSPORT: transport }));
  });
  afterAll(() => close());

  const create = (body: object = { title: 'Test' }) => server.client.chat.create({ body });

  it('streams a reply, keeps it, and counts it', async () => {
    const session = await create();
    model.reply({ text: ['Hel', 'lo ', 'there'], reasoning: ['hm'] });
    const frames = await allFrames(openChatStream(server, session.id, { body: { message: 'Hi' } }));
    expect(textOf(frames)).toBe('Hello there');
    expect(frames.map(({ event }) => event)).toEqual([
      'Started',
      'ReasoningDelta',
      'ContentDelta',
      'ContentDelta',
      'ContentDelta',
      'Usage',
      'Completed',
    ]);
    const detail = await server.client.chat.get({ params: { id: session.id } });
    expect(detail.messages.map(({ role, content, state }) => [role, content, state])).toEqual([
      ['user', 'Hi', 'Complete'],
      ['assistant', 'Hello there', 'Complete'],
    ]);
    expect(detail).toMatchObject({ messageCount: 2, generatingMessageId: null });
    expect(detail.totalTokens).toBe(
      (detail.messages[1]?.promptTokens ?? 0) + (detail.messages[1]?.completionTokens ?? 0),
    );
  });

  it('says so where a filter of the provider has kept back all of an answer', async () => {
    const session = await create();
    const chunk = { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] };
    model.reply({ rawFrames: [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n'] });
    const frames = await allFrames(openChatStream(server, session.id, { body: { message: 'Hi' } }));
    expect(frames.at(-1)).toMatchObject({
      event: 'Error',
      data: { error: expect.stringContaining('A filter of the provider') },
    });
    const { messages } = await server.client.chat.get({ params: { id: session.id } });
    expect(messages.at(-1)).toMatchObject({ state: 'Failed', errorCode: 'PROVIDER_ERROR' });
  });

  it('is asked once a key, however often the request is sent', async () => {
    const session = await create();
    const before = model.requests.length;
    model.reply({ text: ['only ', 'once'] });
    const ask = () =>
      allFrames(
        openChatStream(server, session.id, { body: { message: 'Hi' }, headers: { 'idempotency-key': 'the-same-key' } }),
      );
    const [first, again] = await Promise.all([ask(), ask()]);
    const later = await ask();
    for (const frames of [first, again, later]) {
      expect(textOf(frames)).toBe('only once');
      expect(frames.at(-1)?.event).toBe('Completed');
    }
    expect(model.requests.length).toBe(before + 1);
    const key = { 'idempotency-key': 'the-same-key' };
    const plain = await server.call('POST', `/api/chat/sessions/${session.id}/chat`, { message: 'Hi' }, key);
    expect(plain.body.data).toMatchObject({ reply: 'only once', messageCount: 2 });
    const other = await server.call('POST', `/api/chat/sessions/${session.id}/chat`, { message: 'Ho' }, key);
    expect(other.body.errorCode).toBe('IDEMPOTENCY_MISMATCH');
    // With a cursor its end is found again, also when something else was said since.
    await server.client.chat.addMessage({
      params: { sessionId: session.id },
      body: { role: 'user', content: 'Thanks' },
    });
    const rest = await allFrames(openChatStream(server, session.id, { lastEventId: first[1]?.id }));
    expect(textOf([...first.slice(0, 2), ...rest])).toBe('only once');
    expect(await allFrames(openChatStream(server, session.id))).toEqual([]);
  });

  it('takes a key again only with the very same message, attachments and settings', async () => {
    const session = await create();
    const note = { kind: 'Text', name: 'note', text: 'The sea is calm.' };
    const said = { message: 'Look', attachments: [note], temperature: 0.5, idempotencyKey: 'with-a-note' };
    const ask = (body: object) => server.call('POST', `/api/chat/sessions/${session.id}/chat`, { ...said, ...body });
    model.reply({ text: ['I looked.'] });
    expect((await ask({})).body.data).toMatchObject({ reply: 'I looked.', messageCount: 2 });
    const before = model.requests.length;
    const others = [
      { attachments: null },
      { attachments: [{ ...note, text: 'The sea is rough.' }] },
      { attachments: [note, note] },
      { temperature: 1 },
      { modelId: 'openai:other-model' },
      { enabledTools: ['memory_search'] },
      { parentMessageId: 0 },
    ];
    for (const other of others)
      expect([other, (await ask(other)).body.errorCode]).toEqual([other, 'IDEMPOTENCY_MISMATCH']);
    // Streamed, from a cursor on, or with a field that says nothing, it is the same.
    const streamed = (more: object) =>
      allFrames(openChatStream(server, session.id, { body: { ...said, systemPrompt: null, ...more } }));
    const [started] = await streamed({});
    expect(started?.event).toBe('Started');
    expect((await streamed({ lastEventId: started?.id })).at(-1)?.event).toBe('Completed');
    expect((await ask({ enabledTools: null })).body.data).toMatchObject({ reply: 'I looked.', messageCount: 2 });
    expect(model.requests.length).toBe(before);
  });

  it('refuses tool results that no later reply could read', async () => {
    const session = await create();
    const add = (call: object) =>
      server.call('POST', `/api/chat/sessions/${session.id}/messages`, {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'look', argumentsJson: '{}', status: 'Succeeded', ...call }],
      });
    for (const wrong of [{ resultJson: 'plain text' }, { resultJson: '{' }, { argumentsJson: 'x' }])
      expect((await add(wrong)).body).toMatchObject({
        errorCode: 'VALIDATION_FAILED',
        hint: expect.stringMatching(/Json/),
      });
    expect((await add({ resultJson: '"plain text"' })).status).toBe(200);
    model.reply({ text: ['I see.'] });
    expect(textOf(await allFrames(openChatStream(server, session.id, { body: { message: 'And?' } })))).toBe('I see.');
    expect(JSON.stringify(model.requests.at(-1))).toContain('plain text');
  });

  it('stops a reply and keeps what was said', async () => {
    const session = await create();
    model.reply({ text: ['one ', 'two ', 'three'], stallAfter: 3 });
    const before = model.aborted;
    const frames: ChatFrame[] = [];
    for await (const frame of framesOf(await openChatStream(server, session.id, { body: { message: 'Count' } }))) {
      frames.push(frame);
      if (frame.data.delta !== 'two ') continue;
      const stopped = await server.client.chat.stop({ params: { sessionId: session.id } });
      expect(stopped).toMatchObject({ state: 'Stopped', content: 'one two ' });
    }
    await model.left(before + 1);
    expect(frames.at(-1)?.data).toMatchObject({ type: 'Completed', message: { state: 'Stopped' } });
  });
});

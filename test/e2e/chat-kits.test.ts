// The AI SDK's chat and AG-UI's agent against the server, on both transports: their ordinary flows, unchanged.
import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FakeReply, FakeServer, SeenRequest } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type TestServer, transports } from '../support/test-server.ts';

const patience = { timeout: 60_000, interval: 20 };
const textOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

const sessionOf = (message: UIMessage | undefined) => Number((message?.metadata as { sessionId?: number })?.sessionId);

function lastWords({ body }: SeenRequest): string {
  const { content } = body.messages.at(-1);
  return typeof content === 'string' ? content : content[0]?.text;
}

describe.each(transports)('front-end kits over %s', (transport) => {
  let model: FakeServer;
  let server: TestServer;
  let close: ServerWithModel['close'];
  beforeAll(async () => {
    ({ model, server, close } = await startServerWithModel({ RIVULET_TRANSPORT: transport }));
    // Titles are asked for besides, at any time.
    model.otherwise = (request) => replies.get(lastWords(request))?.shift() ?? { text: ['Hello world'] };
  });
  afterAll(() => close());

  const replies = new Map<string, FakeReply[]>();
  /** What the model says to these words, one after the other. */
  const answer = (words: string, ...all: FakeReply[]) => void replies.set(words, all);
  const headers = () => ({ authorization: `Bearer ${server.key}` });
  /** What useChat is made of, without React. */
  function openChat(id: string, messages: UIMessage[] = []) {
    const errors: Error[] = [];
    const chat = new Chat({
      id,
      messages,
      transport: new DefaultChatTransport({ api: `${server.url}/api/chat/ui`, headers }),
      onError: (error) => void errors.push(error),
    });
    return { chat, errors };
  }
  /** The conversation that the model was last asked these words in. */
  const sent = (words: string) =>
    model.requests
      .findLast((request) => lastWords(request) === words)
      ?.body.messages.filter(({ role }: { role: string }) => role !== 'system')
      .map(({ role, content }: { role: string; content: unknown }) => [role, content]);
  const sessions = async () => (await server.client.chat.list({ query: {} })).items;

  it('chats, and goes on with what was said', async () => {
    const { chat, errors } = openChat(`chat-${transport}`);
    answer('Hi', { reasoning: ['Let me', ' see.'], text: ['Hel', 'lo ', 'you 🌊'] });
    await chat.sendMessage({ text: 'Hi' });
    expect(errors).toEqual([]);
    expect(chat.status).toBe('ready');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(textOf(chat.lastMessage)).toBe('Hello you 🌊');
    expect(chat.lastMessage?.parts).toContainEqual(expect.objectContaining({ type: 'reasoning', text: 'Let me see.' }));
    expect(chat.lastMessage?.metadata).toMatchObject({ modelId: 'openai:fake-model', promptTokens: 10 });

    answer('How are you?', { text: ['Fine.'] });
    await chat.sendMessage({ text: 'How are you?' });
    expect(sent('How are you?')).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello you 🌊'],
      ['user', 'How are you?'],
    ]);
    const sessionId = sessionOf(chat.lastMessage);
    const stored = await server.client.chat.get({ params: { id: sessionId } });
    expect(stored.messages.map(({ content }) => content)).toEqual(['Hi', 'Hello you 🌊', 'How are you?', 'Fine.']);
    expect(stored.messages.map(({ id }) => String(id))[3]).toBe(chat.lastMessage?.id);
  });

  it('makes a reply again, and another one after an edit, as branches', async () => {
    const { chat, errors } = openChat(`branches-${transport}`);
    answer('Count', { text: ['One.'] }, { text: ['Two.'] });
    answer('Count on', { text: ['Three.'] });
    await chat.sendMessage({ text: 'Count' });
    const first = chat.lastMessage?.id;
    await chat.regenerate();
    expect(textOf(chat.lastMessage)).toBe('Two.');
    expect(chat.lastMessage?.id).not.toBe(first);
    const question = chat.messages[0] as UIMessage;
    await chat.sendMessage({ text: 'Count on', messageId: question.id });
    expect(errors).toEqual([]);
    expect(chat.messages.map((message) => textOf(message))).toEqual(['Count on', 'Three.']);
    expect(sent('Count on')).toEqual([['user', 'Count on']]);
    const sessionId = sessionOf(chat.lastMessage);
    const all = await server.client.chat.messages({ params: { sessionId }, query: {} });
    expect(all.items.map(({ content }) => content)).toEqual(['Count', 'One.', 'Two.', 'Count on', 'Three.']);
  });

  it('comes back to a reply after a reload, and finds nothing when there is none', async () => {
    const { chat } = openChat(`reload-${transport}`);
    answer('Count', { text: ['One', ' two', ' three'], stallAfter: 3 });
    const sending = chat.sendMessage({ text: 'Count' });
    await vi.waitFor(() => expect(textOf(chat.lastMessage)).toBe('One two'), patience);
    // The page is gone; the reply goes on.
    await chat.stop();
    await sending;
    const again = openChat(`reload-${transport}`, chat.messages.slice(0, 1));
    const resuming = again.chat.resumeStream();
    await vi.waitFor(() => expect(textOf(again.chat.lastMessage)).toBe('One two'), patience);
    model.release();
    await resuming;
    expect(again.errors).toEqual([]);
    expect(textOf(again.chat.lastMessage)).toBe('One two three');
    const later = openChat(`reload-${transport}`, again.chat.messages);
    await later.chat.resumeStream();
    expect(later.errors).toEqual([]);
    expect(later.chat.messages).toEqual(again.chat.messages);
    const nothing = await server.call('GET', `/api/chat/ui/reload-${transport}/stream`);
    expect([nothing.status, nothing.headers.get('content-type')]).toEqual([204, null]);
  });

  it('sends images and takes a model of choice', async () => {
    const { chat, errors } = openChat(`image-${transport}`);
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    await chat.sendMessage(
      { text: 'What is this?', files: [{ type: 'file', mediaType: 'image/png', url, filename: 'a.png' }] },
      { body: { modelId: 'openai:fake-model' } },
    );
    expect(errors).toEqual([]);
    expect(sent('What is this?')?.at(-1)[1]).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'image_url', image_url: { url } })]),
    );
  });

  it('answers a message anew whose files were edited, and once where it is sent again as it was', async () => {
    const { chat, errors } = openChat(`files-${transport}`);
    const file = (words: string) => {
      const url = `data:text/plain;base64,${Buffer.from(words).toString('base64')}`;
      return [{ type: 'file' as const, mediaType: 'text/plain', url, filename: 'sea.txt' }];
    };
    answer('Is it calm?', { text: ['Calm.'] }, { text: ['Rough.'] }, { text: ['Once too often.'] });
    await chat.sendMessage({ text: 'Is it calm?', files: file('no waves') });
    const { id: messageId } = chat.messages[0] as UIMessage;
    await chat.sendMessage({ text: 'Is it calm?', files: file('high waves'), messageId });
    expect(textOf(chat.lastMessage)).toBe('Rough.');
    await chat.sendMessage({ text: 'Is it calm?', files: file('high waves'), messageId });
    expect(textOf(chat.lastMessage)).toBe('Rough.');
    expect(errors).toEqual([]);
  });

  it('tells errors, before and within a reply', async () => {
    const broken = openChat(`broken-${transport}`);
    answer('Hi', { text: ['Half', ' of it'], cutAfter: 2 }, { text: ['Whole.'] });
    await broken.chat.sendMessage({ text: 'Hi' });
    expect(broken.chat.status).toBe('error');
    expect(broken.errors[0]?.message).toContain('broke off');
    expect(textOf(broken.chat.lastMessage)).toBe('Half');
    await broken.chat.regenerate();
    expect(textOf(broken.chat.lastMessage)).toBe('Whole.');

    const nobodys = openChat('999999999');
    await nobodys.chat.sendMessage({ text: 'Hi' });
    expect(nobodys.errors[0]?.message).toContain('NOT_FOUND');
  });

  it('chats with an AG-UI agent, thread by thread', async () => {
    const before = (await sessions()).length;
    const agent = new HttpAgent({
      url: `${server.url}/api/chat/ag-ui`,
      headers: headers(),
      threadId: `thread-${transport}`,
      initialMessages: [{ id: 'u1', role: 'user', content: 'Hi' }],
    });
    answer('Hi', { reasoning: ['Hm.'], text: ['Hel', 'lo.'] });
    answer('How are you?', { text: ['Fine.'] });
    await agent.runAgent({ runId: 'first' });
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello.' });
    agent.addMessage({ id: 'u2', role: 'user', content: 'How are you?' });
    await agent.runAgent({ runId: 'second' });
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Fine.' });
    expect(sent('How are you?')).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello.'],
      ['user', 'How are you?'],
    ]);
    expect(await sessions()).toHaveLength(before + 1);
  });

  it('stops the reply of an AG-UI agent that leaves, and keeps what was said', async () => {
    const before = model.aborted;
    const initialMessages = [{ id: 'u1', role: 'user' as const, content: 'Go on' }];
    const url = `${server.url}/api/chat/ag-ui`;
    const agent = new HttpAgent({ url, headers: headers(), threadId: `left-${transport}`, initialMessages });
    answer('Go on', { text: ['One', ' two', ' three'], stallAfter: 3 });
    await agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() });
    await expect.poll(() => model.aborted).toBe(before + 1);
    const [session] = await sessions();
    const id = session?.id as number;
    await expect
      .poll(async () => (await server.client.chat.messages({ params: { sessionId: id }, query: {} })).items.at(-1))
      .toMatchObject({ role: 'assistant', content: expect.stringMatching(/^One/), state: 'Stopped' });
  });

  it('streams nothing but data, which is all that some clients can read', async () => {
    const body = (name: string) => ({ id: name, threadId: name, runId: 'r1' });
    const parts = [{ type: 'text', text: 'Hi' }];
    const asked = { ui: { id: 'u1', role: 'user', parts }, 'ag-ui': { id: 'u1', role: 'user', content: 'Hi' } };
    for (const [path, message] of Object.entries(asked)) {
      const said = { ...body(`plain-${path}-${transport}`), messages: [message] };
      const { body: text } = await server.call('POST', `/api/chat/${path}`, said);
      const blocks = String(text).split('\n\n').slice(0, -1);
      expect(blocks.length).toBeGreaterThan(3);
      expect(blocks.filter((block) => !/^(:.*\n)*data: .+$/.test(block))).toEqual([]);
    }
  });

  it('streams the replies of any session in either format', async () => {
    const { id } = await server.client.chat.create({ body: { title: 'x' } });
    const ask = (format: string) => {
      return server.call(
        'POST',
        `/api/chat/sessions/${id}/chat/stream`,
        { message: 'Hi' },
        { accept: `text/event-stream; format=${format}` },
      );
    };
    const ui = await ask('ui-message-stream');
    expect(ui.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(ui.body).toMatch(/"type":"text-delta".*\[DONE\]\n\n$/s);
    expect((await ask('ag-ui')).body).toMatch(/"type":"RUN_STARTED".*"type":"RUN_FINISHED"[^\n]*\n\n$/s);
  });
});

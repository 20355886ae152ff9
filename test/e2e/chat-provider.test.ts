// Providers that misbehave in the middle of chats: the reply is right, or the error is clear; nothing is lost or doubled.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allFrames, type ChatFrame, framesOf, openChatStream, textOf } from '../support/chat-viewer.ts';
import type { FakeReply, FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { TestServer } from '../support/test-server.ts';

let model: FakeServer;
let server: TestServer;
let close: ServerWithModel['close'];
beforeAll(async () => {
  ({ model, server, close } = await startServerWithModel());
});
afterAll(() => close());

interface Told {
  sessionId: number;
  frames: ChatFrame[];
  text: string;
  last: ChatFrame['data'];
}

async function chatWith(...replies: FakeReply[]): Promise<Told> {
  const session = await server.client.chat.create({ body: { title: 'Test' } });
  model.reply(...replies);
  const frames = await allFrames(openChatStream(server, session.id, { body: { message: 'Go' } }));
  const last = frames.at(-1)?.data as ChatFrame['data'];
  return { sessionId: session.id, frames, text: textOf(frames), last };
}

/** What was told, what is kept and what the ledger has are the same. */
async function checkKept({ sessionId, text, last }: Told) {
  const { messages, totalTokens, generatingMessageId } = await server.client.chat.get({ params: { id: sessionId } });
  const [question, reply] = messages;
  expect(messages).toHaveLength(2);
  expect([question?.content, reply?.content, generatingMessageId]).toEqual(['Go', text, null]);
  expect(last.message).toEqual(reply);
  const calls = await server.client.aiUsage.calls({ query: { chatSessionId: sessionId } });
  const sum = (pick: (call: (typeof calls.items)[number]) => number) =>
    calls.items.reduce((all, one) => all + pick(one), 0);
  expect(sum((one) => one.promptTokens)).toBe(reply?.promptTokens);
  expect(sum((one) => one.completionTokens)).toBe(reply?.completionTokens);
  expect(totalTokens).toBe((reply?.promptTokens ?? 0) + (reply?.completionTokens ?? 0));
  expect(calls.items.every(({ purpose }) => purpose === 'Chat')).toBe(true);
}

const words = Array.from({ length: 2000 }, (_, n) => `w${n} `);

describe('replies that come out right', () => {
  const unicode = ['Grüße, 世界! ', '👩‍👩‍👧‍👦 ', 'e\u0301', '\u{1F1E9}\u{1F1EA}', 'ﷺ'.repeat(50)];
  const huge = 'x'.repeat(1_000_000);
  const good: [string, FakeReply[], string][] = [
    ['2,000 chunks', [{ text: words }], words.join('')],
    ['characters split across chunks', [{ text: unicode, splitBytes: 3 }], unicode.join('')],
    ['a huge chunk', [{ text: ['a', huge, 'b'] }], `a${huge}b`],
    ['no text at all', [{ text: [] }], ''],
    ['429 with retry-after', [{ status: 429, headers: { 'retry-after': '1' } }, { text: ['at ', 'last'] }], 'at last'],
    ['500 before the first token', [{ status: 500 }, { text: ['again'] }], 'again'],
    ['a connection that breaks before the first token', [{ cutAfter: 0 }, { text: ['again'] }], 'again'],
  ];
  it.each(good)(
    '%s',
    async (_, replies, text) => {
      const told = await chatWith(...replies);
      expect(told.text).toBe(text);
      expect(told.last).toMatchObject({
        type: 'Completed',
        error: null,
        message: { state: 'Complete', promptTokens: 10 },
      });
      await checkKept(told);
    },
    60_000,
  );
});

describe('replies that are cut', () => {
  const bad: [string, FakeReply, string][] = [
    ['a connection that breaks', { text: words, cutAfter: 1000 }, words.slice(0, 999).join('')],
    ['an answer that ends without its end', { text: ['one ', 'two ', 'three '], endAfter: 3 }, 'one two '],
    [
      'bad JSON',
      {
        rawFrames: [
          'data: {"choices":[{"delta":{"content":"fine "}}]}\n\n',
          'data: {"choices":[{"del\n\n',
          'data: [DONE]\n\n',
        ],
      },
      'fine ',
    ],
  ];
  it.each(bad)(
    '%s: what was said is kept, with a clear error, and goes on when asked',
    async (_, reply, begun) => {
      const told = await chatWith(reply);
      expect(told.last).toMatchObject({ type: 'Error', message: { state: 'Failed' } });
      expect(told.last.errorCode).toMatch(/^PROVIDER_/);
      expect(told.last.error).toBeTruthy();
      expect(told.text).toBe(begun);
      await checkKept(told);
      model.reply({ text: ['and ', 'the rest'] });
      const more = await allFrames(openChatStream(server, told.sessionId, { body: {} }));
      const whole = { ...told, frames: more, text: textOf(more), last: more.at(-1)?.data as ChatFrame['data'] };
      expect(whole.text).toBe(`${begun}and the rest`);
      await checkKept(whole);
    },
    60_000,
  );

  it('half a tool call is not made', async () => {
    const told = await chatWith({
      text: ['Wait. '],
      toolCalls: [{ id: 'c1', name: 'shell_exec', arguments: ['{"comm', 'and":"ls"}'] }],
      endAfter: 4,
    });
    expect(told.last).toMatchObject({ type: 'Error', message: { toolCalls: null, content: 'Wait. ' } });
    await checkKept(told);
  });

  it('a provider that refuses for good is told with what to do', async () => {
    const told = await chatWith({ status: 401 });
    expect(told.last).toMatchObject({ type: 'Error', message: { state: 'Failed', content: '' } });
    expect(told.last.hint).toBeTruthy();
    await checkKept(told);
    const plain = await server.call('POST', `/api/chat/sessions/${told.sessionId}/chat`, { message: 'Hello?' });
    expect(plain).toMatchObject({ status: 200, body: { data: { reply: 'Hello world', messageCount: 4 } } });
  });

  it('a provider that falls silent is stopped by hand', async () => {
    const session = await server.client.chat.create({ body: { title: 'Test' } });
    model.reply({ text: ['one ', 'two ', 'three '], stallAfter: 3 });
    const left = model.aborted;
    const reading = allFrames(openChatStream(server, session.id, { body: { message: 'Go' } }));
    await expect
      .poll(async () => (await allFramesUntil(session.id, 'two ')).length, { timeout: 60_000 })
      .toBeGreaterThan(0);
    await server.client.chat.stop({ params: { sessionId: session.id } });
    await model.left(left + 1);
    const frames = await reading;
    expect(textOf(frames)).toBe('one two ');
    const last = frames.at(-1)?.data as ChatFrame['data'];
    expect(last).toMatchObject({ type: 'Completed', message: { state: 'Stopped' } });
    await checkKept({ sessionId: session.id, frames, text: textOf(frames), last });
  });
});

/** What a second viewer sees of a running reply, up to some words. */
async function allFramesUntil(sessionId: number, words: string): Promise<ChatFrame[]> {
  const abort = new AbortController();
  const frames: ChatFrame[] = [];
  for await (const frame of framesOf(await openChatStream(server, sessionId, { signal: abort.signal }))) {
    frames.push(frame);
    if (textOf(frames).includes(words)) break;
  }
  abort.abort();
  return frames;
}

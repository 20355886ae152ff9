// A hundred chats at once whose viewers drop and resume: each of them reads exactly what its provider said.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFrame, framesOf, openChatStream, textOf } from '../support/chat-viewer.ts';
import { followers } from '../support/followers.ts';
import type { FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type TestServer, transports } from '../support/test-server.ts';

/** The words of a chat's reply, told from its question. */
const wordsOf = (n: number) => Array.from({ length: 40 + (n % 7) * 10 }, (_, at) => `${n}.${at} `);

describe.each(transports)('viewers over %s', (transport) => {
  // What an adapter does for one viewer it does for many: a hundred at once are a matter of the chats.
  const chats = transport === transports[0] ? 100 : 20;
  let model: FakeServer;
  let server: TestServer;
  let close: ServerWithModel['close'];
  beforeAll(async () => {
    ({ model, server, close } = await startServerWithModel({ RIVULET_TRANSPORT: transport }));
    model.otherwise = ({ body }) => ({ text: wordsOf(Number(body.messages.at(-1).content)), frameDelayMs: 5 });
  });
  afterAll(() => close());

  /** Reads a reply to its end, dropping the connection after every few frames. */
  async function readWithDrops(sessionId: number, every: number, body?: object, onBegun = () => {}) {
    const frames: ChatFrame[] = [];
    for (let first = true; ; first = false) {
      const abort = new AbortController();
      const options = { signal: abort.signal, lastEventId: frames.at(-1)?.id, ...(first && body ? { body } : {}) };
      let taken = 0;
      for await (const frame of framesOf(await openChatStream(server, sessionId, options))) {
        frames.push(frame);
        onBegun();
        if (frame.data.type === 'Completed' || frame.data.type === 'Error') return frames;
        if (++taken >= every) break;
      }
      abort.abort();
      // Nothing to join: the reply had ended.
      if (frames.length === 0) return frames;
    }
  }

  it('each reads what the provider said, once and in order', async () => {
    const sessions = await Promise.all(
      Array.from({ length: chats }, () => server.client.chat.create({ body: { title: 'Test' } })),
    );
    const watched = followers.WebSocket?.({ baseUrl: server.url, key: server.key, topic: `chat:${sessions[0]?.id}` });
    const results = await Promise.all(
      sessions.map(async ({ id }, n) => {
        // A second device joins in the middle, from the beginning.
        let joined: Promise<ChatFrame[]> | null = null;
        const frames = await readWithDrops(id, 12 + (n % 17), { message: String(n) }, () => {
          joined ??= readWithDrops(id, 30);
        });
        return { n, frames, joined: (await joined) ?? [] };
      }),
    );
    for (const { n, frames, joined } of results) {
      const text = wordsOf(n).join('');
      expect(textOf(frames)).toBe(text);
      // Started comes again, with all that was said, to who is too slow for the window of deltas: never an event twice.
      expect(frames[0]?.event).toBe('Started');
      const indexes = frames.map(({ id }) => Number(id.split('.')[1]));
      expect(indexes).toEqual([...new Set(indexes)].toSorted((a, b) => a - b));
      expect(frames.at(-1)?.data.message?.content).toBe(text);
      if (joined.length > 0) expect(textOf(joined)).toBe(text);
    }
    expect(results.filter(({ joined }) => joined.length > 0).length).toBeGreaterThan(chats / 2);
    expect(model.requests).toHaveLength(chats);
    await expect
      .poll(() => watched?.events.some(({ data }) => data?.type === 'Completed'), { timeout: 60_000 })
      .toBe(true);
    watched?.close();
    const heard = watched?.events.filter(({ data }) => data?.type === 'ContentDelta').map(({ data }) => data.delta);
    expect(heard?.join('')).toBe(wordsOf(0).join(''));
  }, 300_000);
});

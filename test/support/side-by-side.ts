// Two tenants at work side by side: each makes runs, chats, searches, remembers and listens, and keeps every byte it gets.
import { expect } from 'vitest';
import { registerStranger } from './strangers.ts';
import { request, type TestServer } from './test-server.ts';
import { openSocket, type TestSocket } from './web-socket.ts';

interface Side {
  /** Stands in everything that this tenant writes, and in nothing that the other may see. */
  mark: string;
  heard: string[];
  rounds: number;
  end(): Promise<void>;
}

const listTopics = ['runs', 'escalations', 'identities', 'audit', 'chats', 'router'];

/** Works for both until `isOver`; rejects as soon as a byte of one has reached the other. */
export async function sideBySide(server: TestServer, isOver: (rounds: number) => boolean): Promise<number> {
  const keys = [await registerStranger(server, 'north'), await registerStranger(server, 'south')];
  const sides = await Promise.all(
    keys.map((key, at) => openSide(server, key, ['northlight', 'southwind'][at] as string)),
  );
  const [north, south] = sides as [Worker, Worker];
  await Promise.all(
    sides.map(async (side) => {
      while (!isOver(side.rounds)) await side.work();
    }),
  );
  await Promise.all(sides.map((side) => side.end()));
  for (const [one, other] of [
    [north, south],
    [south, north],
  ] as const) {
    const all = one.heard.join('\n');
    expect(all).toContain(one.mark);
    expect(all.includes(other.mark), `${one.mark} got what is of ${other.mark}`).toBe(false);
  }
  return north.rounds + south.rounds;
}

interface Worker extends Side {
  work(): Promise<void>;
}

async function openSide(server: TestServer, key: string, mark: string): Promise<Worker> {
  const headers = { authorization: `Bearer ${key}` };
  const heard: string[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await request(server.url, method, `/api${path}`, body, headers);
    heard.push(JSON.stringify(answer.body));
    expect([path, answer.body.error]).toEqual([path, null]);
    return answer.body.data;
  };
  const socket: TestSocket = await openSocket(server.url, headers);
  socket.raw.on('message', (bytes) => heard.push(String(bytes)));
  await socket.command({ op: 'Subscribe', id: '1', topics: listTopics });
  const stop = new AbortController();
  const events = await fetch(`${server.url}/api/events?topics=runs,identities`, { headers, signal: stop.signal });
  const reading = (async () => {
    for await (const chunk of events.body ?? []) heard.push(Buffer.from(chunk).toString());
  })().catch(() => undefined);
  const { identity } = await call('GET', '/auth/me');
  const side = { mark, heard, rounds: 0 };
  return Object.assign(side, {
    async work() {
      const word = `${mark} ${side.rounds}`;
      const run = await call('POST', '/agent/runs', { goal: `Look at ${word}.`, autoStart: true });
      const session = await call('POST', '/chat/sessions', { identityId: identity.id, title: word });
      await call('POST', `/chat/sessions/${session.id}/chat`, { message: `Tell of ${word}.` });
      await call('POST', `/identities/${identity.id}/memories`, { title: word, content: `What is known of ${word}.` });
      // Words that both sides use find what is one's own alone.
      await call('GET', `/identities/${identity.id}/memories/search?q=${encodeURIComponent('what is known of')}`);
      await call('GET', '/agent/runs?q=look');
      await call('GET', '/chat/sessions?q=tell');
      await call('GET', `/agent/runs/${run.id}`);
      await call('GET', '/audit-events?q=create');
      side.rounds += 1;
    },
    async end() {
      stop.abort();
      await reading;
      socket.end();
    },
  });
}

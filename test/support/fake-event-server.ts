// A small event server for the client's tests: it keeps a log a topic, speaks SSE and WebSocket, and can cut its clients off.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { splitCursor } from '../../src/client/stream/cursors.ts';
import type { RawEvent } from '../../src/client/stream/events.ts';

interface Follower {
  topics: Set<string>;
  send(event: RawEvent): void;
  cut(): void;
}

export interface FakeServer {
  url: string;
  /** Appends to a topic and sends to its followers. */
  publish(topic: string, data: Record<string, unknown>): void;
  /** Drops every connection at once. */
  cut(): void;
  /** Forgets events before this seq: older cursors get a `stream.gap`. */
  trim(topic: string, oldestSeq: number): void;
  /** Starts a topic again under another epoch. */
  reset(topic: string): void;
  /** Refuses so many subscriptions over WebSocket, as a server does whose database is away for a moment. */
  refuse(subscriptions: number): void;
  readonly connections: number;
  close(): Promise<void>;
}

interface Log {
  epoch: string;
  next: number;
  events: RawEvent[];
}

const idOf = (event: RawEvent) => `${event.epoch}.${event.seq}`;

/** What a follower of one topic gets before live events; all events are of the last seconds. */
function replay(topic: string, log: Log, cursor: string | undefined, replaySeconds = 0): RawEvent[] {
  if (cursor === undefined) return replaySeconds > 0 ? log.events : [];
  if (cursor === '0') return log.events;
  const [epoch, text = '0'] = cursor.split('.');
  const seq = Number(text);
  const oldest = log.events[0]?.seq ?? log.next;
  if (epoch === log.epoch && seq >= oldest - 1) return log.events.filter((event) => event.seq > seq);
  const data = { topic, requestedSeq: seq, oldestSeq: oldest, latestSeq: log.next - 1 };
  const gap = { epoch: log.epoch, seq: oldest - 1, topic, type: 'stream.gap', atUtc: new Date(0).toISOString(), data };
  return [gap, ...log.events];
}

function createLogs() {
  const logs = new Map<string, Log>();
  return (topic: string): Log => {
    const found = logs.get(topic) ?? { epoch: 'e1', next: 1, events: [] };
    logs.set(topic, found);
    return found;
  };
}

function sseFollower(response: ServerResponse, topics: Set<string>, last: Map<string, string>): Follower {
  return {
    topics,
    send(event) {
      last.set(event.topic, idOf(event));
      const id = Array.from(last, ([topic, cursor]) => `${topic}=${cursor}`).join(',');
      response.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    },
    cut: () => response.socket?.destroy(),
  };
}

/** Starts it on a free port of the loopback. */
export async function startFakeServer(): Promise<FakeServer> {
  const log = createLogs();
  const followers = new Set<Follower>();
  let refusals = 0;
  const join = (follower: Follower, cursors: Map<string, string>, replaySeconds: number) => {
    followers.add(follower);
    for (const topic of follower.topics) {
      for (const event of replay(topic, log(topic), cursors.get(topic), replaySeconds)) follower.send(event);
    }
  };

  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (url.pathname === '/api/ws/tickets') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, data: { ticket: 'once' } }));
      return;
    }
    const topics = new Set(url.searchParams.get('topics')?.split(',') ?? []);
    const cursors = splitCursor(url.searchParams.get('lastEventId'), [...topics]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 2000\n: hello\n\n');
    const follower = sseFollower(response, topics, new Map(cursors));
    response.on('close', () => followers.delete(follower));
    join(follower, cursors, Number(url.searchParams.get('replaySeconds')));
  });
  const sockets = new WebSocketServer({ server: http, path: '/api/ws' });
  sockets.on('connection', (socket: WebSocket) => {
    const topics = new Set<string>();
    const send = (frame: unknown) => socket.send(JSON.stringify(frame));
    const follower: Follower = { topics, send, cut: () => socket.terminate() };
    followers.add(follower);
    socket.on('close', () => followers.delete(follower));
    send({ op: 'Hello', id: null, ok: true });
    socket.on('message', (text) => {
      const { op, id, topics: named = [], lastEventId, data } = JSON.parse(String(text));
      const [topic = ''] = named;
      const isAway = op === 'Subscribe' && refusals > 0;
      if (isAway) refusals -= 1;
      const isRefused = isAway || topic === 'forbidden';
      send({
        op: 'Ack',
        id,
        ok: !isRefused,
        errorCode: isAway ? 'STORE_UNAVAILABLE' : 'FORBIDDEN',
        error: isAway ? 'The database does not answer.' : 'No.',
        seq: topic ? log(topic).next - 1 : null,
      });
      if (op === 'Unsubscribe') topics.delete(topic);
      if (op !== 'Subscribe' || isRefused) return;
      topics.add(topic);
      for (const event of replay(topic, log(topic), lastEventId, data?.replaySeconds)) send(event);
    });
  });

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    get connections() {
      return followers.size;
    },
    publish(topic, data) {
      const { epoch, next, events } = log(topic);
      const event: RawEvent = { epoch, seq: next, topic, type: 'test', atUtc: new Date(0).toISOString(), data };
      events.push(event);
      log(topic).next = next + 1;
      for (const follower of followers) if (follower.topics.has(topic)) follower.send(event);
    },
    cut: () => {
      for (const follower of [...followers]) follower.cut();
    },
    trim(topic, oldestSeq) {
      log(topic).events = log(topic).events.filter((event) => event.seq >= oldestSeq);
    },
    reset(topic) {
      Object.assign(log(topic), { epoch: `${log(topic).epoch}x`, next: 1, events: [] });
    },
    refuse: (subscriptions) => {
      refusals = subscriptions;
    },
    async close() {
      for (const follower of [...followers]) follower.cut();
      sockets.close();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

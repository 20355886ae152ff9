// The four ways to follow a topic, each with its real client, as one thing: events in, until the run has ended.
import { EventSource } from 'eventsource';
import { io } from 'socket.io-client';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/index.ts';

export interface Followed {
  topic: string;
  epoch: string;
  seq: number;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  data: any;
}

export interface Follower {
  events: Followed[];
  /** Resolves when the run has ended. */
  done: Promise<void>;
  close(): void;
}

interface Target {
  baseUrl: string;
  key: string;
  topic: string;
  /** Milliseconds that an EventSource waits after a loss, instead of the two seconds that the server asks for. */
  retryMs?: number;
}

type Follow = (target: Target) => Follower;

function collector(close: () => void) {
  const events: Followed[] = [];
  let resolve = () => {};
  let reject: (error: unknown) => void = () => {};
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  const take = (event: Followed) => {
    events.push(event);
    if (event.type === 'run.ended') resolve();
  };
  return { follower: { events, done, close }, take, reject };
}

/** Reconnects shortly after each loss, until closed. */
function persistently(connect: (again: () => void) => () => void): () => void {
  let disconnect = () => {};
  let closed = false;
  const start = () => {
    if (!closed) disconnect = connect(() => setTimeout(start, 20));
  };
  start();
  return () => {
    closed = true;
    disconnect();
  };
}

/** The `eventsource` package: it resumes with Last-Event-ID by itself. */
export const followWithEventSource: Follow = ({ baseUrl, key, topic, retryMs }) => {
  const source = new EventSource(`${baseUrl}/api/events?topics=${topic}&lastEventId=0`, {
    // A cursor in the URL is where to start; after a loss the header says where to go on.
    fetch: async (input, init) => {
      const resumes = new Headers(init?.headers).has('last-event-id');
      const url = resumes ? String(input).replace('&lastEventId=0', '') : input;
      const answer = await fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${key}` } });
      return retryMs === undefined ? answer : withRetry(answer, retryMs);
    },
  });
  const { follower, take } = collector(() => source.close());
  const types = [
    'run.created',
    'run.updated',
    'run.status',
    'run.event',
    'run.delta',
    'run.budget',
    'run.completed',
    'run.failed',
    'run.ended',
    'run.note',
    'stream.gap',
  ];
  for (const type of types) source.addEventListener(type, (message) => take(JSON.parse(message.data)));
  return follower;
};

/** The answer, asking its client to come back after so many ms. The line is in its first piece. */
function withRetry(answer: Response, ms: number): Response {
  const text = (piece: Uint8Array) => Buffer.from(piece).toString('latin1');
  const asked = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, to) => to.enqueue(Buffer.from(text(piece).replace(/^retry: \d+$/m, `retry: ${ms}`), 'latin1')),
  });
  return new Response(answer.body?.pipeThrough(asked) ?? null, answer);
}

/** A bare WebSocket that subscribes with the cursor of the last event that it saw. */
export const followWithWebSocket: Follow = ({ baseUrl, key, topic }) => {
  let cursor = '0';
  const close = persistently((again) => {
    const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/api/ws`, {
      headers: { authorization: `Bearer ${key}` },
    });
    socket.on('open', () =>
      socket.send(JSON.stringify({ op: 'Subscribe', id: 's', topics: [topic], lastEventId: cursor })),
    );
    socket.on('message', (text) => {
      const frame = JSON.parse(String(text));
      if (frame.op) return;
      cursor = `${frame.epoch}.${frame.seq}`;
      take(frame);
    });
    socket.on('error', () => {});
    socket.on('close', again);
    return () => {
      socket.off('close', again);
      socket.terminate();
    };
  });
  const { follower, take } = collector(close);
  return follower;
};

/** socket.io, which reconnects by itself; the subscription is ours to repeat. */
export const followWithSocketIo: Follow = ({ baseUrl, key, topic }) => {
  let cursor = '0';
  const socket = io(baseUrl, { auth: { token: key }, reconnectionDelay: 20, reconnectionDelayMax: 50 });
  const { follower, take, reject } = collector(() => void socket.close());
  socket.on('connect', () => {
    socket.emit(
      'command',
      { op: 'Subscribe', id: 's', topics: [topic], lastEventId: cursor },
      (answer: { ok: boolean; error: string | null }) => {
        if (!answer.ok) reject(new Error(answer.error ?? 'refused'));
      },
    );
  });
  socket.on('event', (event: Followed) => {
    cursor = `${event.epoch}.${event.seq}`;
    take(event);
  });
  return follower;
};

/** Our own client, over WebSocket or server-sent events. */
const followWithClient =
  (transport: 'ws' | 'sse'): Follow =>
  ({ baseUrl, key, topic }) => {
    const abort = new AbortController();
    const client = createClient({
      baseUrl,
      token: key,
      WebSocket: WebSocket as never,
      retry: { minMs: 20, maxMs: 100 },
    });
    const { follower, take, reject } = collector(() => abort.abort());
    const read = async () => {
      for await (const event of client.stream(topic, { cursor: '0', transport, signal: abort.signal }))
        take(event as Followed);
    };
    read().catch((error) => abort.signal.aborted || reject(error));
    return follower;
  };

export const followers: Record<string, Follow> = {
  EventSource: followWithEventSource,
  WebSocket: followWithWebSocket,
  'socket.io': followWithSocketIo,
  'client over SSE': followWithClient('sse'),
  'client over WebSocket': followWithClient('ws'),
};

/** Checks that a follower got every `run.event` of a run's log exactly once and in order, to its end. */
export function checkWhole(name: string, events: Followed[], stored: { seq: number }[]): void {
  const seen = events.filter(({ type }) => type === 'run.event').map(({ data }) => data.seq);
  expect([name, seen]).toEqual([name, stored.map(({ seq }) => seq)]);
  expect(seen).toEqual(seen.map((_, i) => i + 1));
  expect(events.at(-1)?.type).toBe('run.ended');
}

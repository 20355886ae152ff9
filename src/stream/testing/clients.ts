// Real clients of the three transports, with received events in a list that tests can await.
import { EventSource } from 'eventsource';
import { type Socket as IoSocket, io } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { Reply } from '../transports/commands.ts';
import type { SeenEvent } from './stand.ts';

/** Events that a test waits on without sleeping. */
export class Inbox<T> {
  readonly all: T[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  push(item: T): void {
    this.all.push(item);
    this.#waiters = this.#waiters.filter(({ count, resolve }) => {
      if (this.all.length < count) return true;
      resolve();
      return false;
    });
  }

  /** Resolves with all events once there are `count`. */
  async upTo(count: number): Promise<T[]> {
    if (this.all.length < count) await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
    return this.all;
  }
}

export interface WsClient {
  events: Inbox<SeenEvent>;
  replies: Inbox<Reply>;
  closed: Promise<{ code: number; reason: string }>;
  /** Sends a command and waits for the answer with its id. */
  command(command: Record<string, unknown>): Promise<Reply>;
  socket: WebSocket;
}

/** A native WebSocket client; resolves when it is open. */
export async function openWs(url: string, key: string | null): Promise<WsClient> {
  const socket = new WebSocket(url, key ? { headers: { authorization: `Bearer ${key}` } } : {});
  const events = new Inbox<SeenEvent>();
  const replies = new Inbox<Reply>();
  const pending = new Map<string, (reply: Reply) => void>();
  let next = 1;
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (!('op' in frame)) return events.push(frame);
    replies.push(frame);
    pending.get(frame.id)?.(frame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  return {
    events,
    replies,
    closed,
    socket,
    command: (command) => {
      const id = String(next++);
      return new Promise((resolve) => {
        pending.set(id, resolve);
        socket.send(JSON.stringify({ id, ...command }));
      });
    },
  };
}

export interface IoClient {
  events: Inbox<SeenEvent>;
  replies: Inbox<Reply>;
  command(command: Record<string, unknown>): Promise<Reply>;
  socket: IoSocket;
}

/** A socket.io client; resolves when it is connected, rejects with the server's refusal. */
export async function openIo(
  url: string,
  auth: Record<string, unknown>,
  transport: string,
  extraHeaders: Record<string, string> = {},
): Promise<IoClient> {
  const socket = io(url, { auth, transports: [transport], forceNew: true, reconnectionDelay: 10, extraHeaders });
  const events = new Inbox<SeenEvent>();
  const replies = new Inbox<Reply>();
  socket.on('event', (event: SeenEvent) => events.push(event));
  socket.on('reply', (reply: Reply) => replies.push(reply));
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', resolve);
    socket.on('connect_error', (error) => {
      if (!socket.active) reject(error);
    });
  });
  return { events, replies, socket, command: (command) => socket.emitWithAck('command', command) };
}

export interface SseClient {
  events: Inbox<SeenEvent & { id: string }>;
  source: EventSource;
}

/** An EventSource; resolves when it is open. */
export async function openSse(url: string, key: string, lastEventId?: string): Promise<SseClient> {
  const events = new Inbox<SeenEvent & { id: string }>();
  const source = new EventSource(url, {
    fetch: (input, init) => {
      const headers: Record<string, string> = { ...(init.headers as Record<string, string>) };
      headers.Authorization = `Bearer ${key}`;
      if (lastEventId && !('Last-Event-ID' in headers)) headers['Last-Event-ID'] = lastEventId;
      return fetch(input, { ...init, headers });
    },
  });
  for (const type of ['run.event', 'run.delta', 'run.ended', 'run.status', 'stream.gap']) {
    source.addEventListener(type, (event) => events.push({ ...JSON.parse(event.data), id: event.lastEventId }));
  }
  await new Promise((resolve, reject) => {
    source.addEventListener('open', resolve);
    source.addEventListener('error', reject);
  });
  return { events, source };
}

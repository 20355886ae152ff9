// Clients of the three transports that reconnect after each disconnect with their last event id.
import { get, type IncomingMessage } from 'node:http';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { SeenEvent } from './stand.ts';

export interface Reader {
  readonly seen: SeenEvent[];
  /** Number of events seen before each connection. */
  readonly connections: number[];
  stop(): void;
}

interface Target {
  url: string;
  key: string;
  topic: string;
  random: () => number;
}

/** Connects, and again whenever `lost` is called, until it is stopped. */
function keep(
  { random }: Target,
  connect: (reader: Reader & { cursor(): string; take(event: SeenEvent): void }, lost: () => void) => () => void,
): Reader {
  const seen: SeenEvent[] = [];
  const connections: number[] = [];
  let stopped = false;
  let disconnect = () => {};
  const reader = {
    seen,
    connections,
    cursor: () => {
      const last = seen.at(-1);
      return last ? `${last.epoch}.${last.seq}` : '0';
    },
    take: (event: SeenEvent) => void seen.push(event),
    stop: () => {
      stopped = true;
      disconnect();
    },
  };
  const start = () => {
    if (stopped) return;
    connections.push(seen.length);
    let over = false;
    disconnect = connect(reader, () => {
      if (over) return;
      over = true;
      disconnect();
      setTimeout(start, 5 + random() * 40);
    });
  };
  start();
  return reader;
}

const webSocket = (target: Target): Reader =>
  keep(target, ({ cursor, take }, lost) => {
    const socket = new WebSocket(`${target.url.replace(/^http/, 'ws')}/api/ws`, {
      headers: { authorization: `Bearer ${target.key}` },
    });
    const subscribe = { op: 'Subscribe', id: '1', topics: [target.topic], lastEventId: cursor() };
    socket.on('open', () => socket.send(JSON.stringify(subscribe)));
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data));
      if (frame.op === 'Error') lost();
      else if (!frame.op && socket.readyState === WebSocket.OPEN) take(frame);
    });
    socket.on('error', () => undefined);
    socket.on('close', lost);
    return () => socket.terminate();
  });

const socketIo = (target: Target): Reader =>
  keep(target, ({ cursor, take }, lost) => {
    const auth = { token: target.key };
    const socket = io(target.url, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
    const subscribe = { op: 'Subscribe', id: '1', topics: [target.topic], lastEventId: cursor() };
    socket.on('connect', () => socket.emit('command', subscribe, ({ ok }: { ok: boolean }) => ok || lost()));
    socket.on('event', (event: SeenEvent) => socket.connected && take(event));
    socket.on('connect_error', lost);
    socket.on('disconnect', lost);
    return () => void socket.close();
  });

const eventStream = (target: Target): Reader =>
  keep(target, ({ cursor, take }, lost) => {
    const headers = { authorization: `Bearer ${target.key}`, 'last-event-id': cursor() };
    let rest = '';
    let closed = false;
    const request = get(`${target.url}/api/events?topics=${target.topic}`, { headers, agent: false });
    request.on('error', lost);
    request.on('response', (response: IncomingMessage) => {
      if (response.statusCode !== 200) return lost();
      response.setEncoding('utf8').on('error', () => undefined);
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        if (closed) return;
        for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)));
      });
      response.on('close', lost);
    });
    return () => {
      closed = true;
      request.destroy();
    };
  });

export const readerKinds = [webSocket, eventStream, socketIo] as const;

// Peers that are Node libraries, each used as its documentation shows it.
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { createChannel, createSession } from 'better-sse';
import { Server as SocketIoServer } from 'socket.io';
import { WebSocketServer } from 'ws';
import { packageVersion } from '../../machine.ts';
import { acceptEvents, type Contender, peerEvent, type Running, upgrade } from '../contender.ts';

const root = join(import.meta.dirname, '../../..');
const look = (name: string) => () => {
  const version = packageVersion(root, name);
  return version ? { version } : { missing: 'not among the installed packages' };
};

async function listen(http: Server): Promise<number> {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const inThisProcess = { pids: [process.pid], stop: async () => {} };

async function wsLoop(): Promise<Running> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  const port = await listen(http);
  return {
    ...inThisProcess,
    port,
    send(events) {
      for (const data of events) {
        const text = JSON.stringify(peerEvent(data));
        for (const socket of sockets.clients) socket.send(text);
      }
    },
  };
}

async function socketIo(): Promise<Running> {
  const http = createServer();
  const io = new SocketIoServer(http, { transports: ['websocket'], pingInterval: 600_000 });
  const port = await listen(http);
  return {
    ...inThisProcess,
    port,
    send: (events) => {
      for (const data of events) io.emit('event', peerEvent(data));
    },
  };
}

async function betterSse(): Promise<Running> {
  const channel = createChannel();
  const http = createServer(async (request, response) => {
    channel.register(await createSession(request, response));
  });
  const port = await listen(http);
  return {
    ...inThisProcess,
    port,
    send(events) {
      for (const data of events) {
        const event = peerEvent(data);
        channel.broadcast(event, event.type, { eventId: `${event.epoch}.${event.seq}` });
      }
    },
  };
}

const webSocket = { kind: 'WebSocket', headers: upgrade } as const;

export const nodePeers: readonly Contender[] = [
  {
    ...webSocket,
    name: 'socket.io on ws',
    path: '/socket.io/?EIO=4&transport=websocket',
    frames: ['40'],
    look: look('socket.io'),
    start: socketIo,
  },
  { ...webSocket, name: 'ws, a plain loop', path: '/', look: look('ws'), start: wsLoop },
  {
    kind: 'SSE',
    name: 'better-sse on node:http',
    path: '/',
    headers: [acceptEvents],
    look: look('better-sse'),
    start: betterSse,
  },
];

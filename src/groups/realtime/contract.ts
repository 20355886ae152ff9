// Real-time operations: one event stream over many topics, the WebSocket, its tickets and connections.
import { z } from 'zod';
import { RealtimeTransport } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int32, int64, openFields, string } from '../../contract/types.ts';
import { RealtimeEventDto, WebSocketConnectionDto, WebSocketTicketDto } from './dto.ts';

const cursor = string.max(16_000);

export const events = group(
  'Events',
  {
    base: '/api/events',
    doc: 'One server-sent event stream over many topics; one topic by the Durable Streams protocol.',
  },
  {
    stream: op.get('', {
      doc: 'Follow topics from a cursor: what is missing first, then live. Streams of runs and trees end with them, unless follow (ours) is true; with lean (ours) payloads come without the fields that are null.',
      needs: 'self',
      byAnyKey: true,
      query: fields({
        topics: string.min(1).max(8000),
        types: string.max(4000).optional(),
        lastEventId: cursor.optional(),
        replaySeconds: int32.min(0).max(86_400).optional(),
        heartbeatSeconds: int32.min(1).max(300).optional(),
        ticket: string.max(200).optional(),
        includeDeltas: boolean.optional(),
        follow: boolean.optional(),
        lean: boolean.optional(),
      }),
      data: RealtimeEventDto,
      reply: 'stream',
    }),
  },
);

export const durableStreams = group(
  'Events',
  {
    id: 'DurableStreams',
    base: '/api/streams',
    doc: 'One server-sent event stream over many topics; one topic by the Durable Streams protocol.',
  },
  {
    read: op.get('/{topic}', {
      doc: 'Read the durable events of a topic from an offset (ours), as the Durable Streams protocol says: what is kept, a long-poll, or server-sent events.',
      needs: 'self',
      byAnyKey: true,
      query: openFields({
        offset: string.max(200).optional(),
        live: z.enum(['long-poll', 'sse']).optional(),
        cursor: string.regex(/^\d{1,15}$/).optional(),
        follow: boolean.optional(),
      }),
      data: z.array(RealtimeEventDto),
      reply: 'raw',
      streams: true,
    }),
  },
);

export const webSocket = group(
  'WebSocket',
  { base: '/api/ws', doc: 'The native WebSocket, tickets for browsers, and live connections.' },
  {
    connect: op.get('', {
      doc: 'Upgrade to a WebSocket: subscribe with cursors, publish, call.',
      needs: 'self',
      byAnyKey: true,
      query: fields({
        ticket: string.max(200).optional(),
        topics: string.max(8000).optional(),
        lastEventId: cursor.optional(),
        binary: boolean.optional(),
      }),
      data: z.unknown(),
      reply: 'stream',
    }),
    ticket: op.post('/tickets', {
      doc: 'Mint a short-lived, single-use ticket for a browser or socket.',
      needs: 'self',
      byAnyKey: true,
      body: fields({
        topics: z.array(string.max(200)).max(100).nullish(),
        ttlSeconds: int32.min(1).max(30).nullish(),
        identityId: int64.nullish(),
      }).optional(),
      data: WebSocketTicketDto,
    }),
    connections: op.get('/connections', {
      doc: 'List live WebSocket, socket.io and SSE connections.',
      needs: 'SystemRead',
      query: listQuery(['connectedAtUtc', 'lastSeenAtUtc'], {
        transport: RealtimeTransport.optional(),
        identityId: int64.optional(),
        userId: int64.optional(),
        topic: string.max(200).optional(),
        nodeId: string.max(200).optional(),
      }),
      data: page(WebSocketConnectionDto),
    }),
  },
);

// Builds the AsyncAPI 3 document of topics and events: what may come over WebSocket, server-sent events and socket.io.
import type { z } from 'zod';
import { type EventTable, topicsOf } from '../event.ts';
import { convertSchemas, type Json } from '../openapi/json-schema.ts';

/** A pattern such as `run:*` with the permission that following it needs. */
export interface TopicPattern {
  pattern: string;
  needs: string;
}

/**
 * Builds the document; callers keep it. Each kind of topic is a channel that the server sends its events on, every
 * message the frame of an event (`frame`, a RealtimeEventDto) with its own `type` and `data`.
 */
export function buildAsyncApi(
  events: EventTable,
  topics: Iterable<TopicPattern>,
  { version, frame, serverUrl = 'http://127.0.0.1:7717' }: { version: string; frame: z.ZodType; serverUrl?: string },
): Json {
  const payloads = Object.fromEntries(Object.entries(events).map(([type, { data }]) => [type, data]));
  const serverAt = serversOf(new URL(serverUrl));
  const { schemas, components } = convertSchemas({ ...payloads, [frameKey]: frame }, 'output');
  const channels = Object.fromEntries(
    [...topics]
      .map((topic) => [kindOf(topic.pattern), channelOf(topic, events)] as const)
      .filter(([, { messages }]) => Object.keys(messages).length > 0),
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Rivulet',
      version,
      description:
        'Everything that happens, pushed to whoever follows its topic. Every event has an id, <epoch>.<seq>, from which a stream resumes.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      webSocket: serverAt('ws', '/api/ws', 'Subscribe with commands; several topics on one socket.'),
      serverSentEvents: serverAt('http', '/api/events', 'GET with ?topics=…; each event is one message.'),
      socketIo: serverAt('ws', '/socket.io', 'Emit "command", listen to "event".'),
    },
    channels,
    operations: Object.fromEntries(
      Object.entries(channels).map(([kind, { messages }]) => [
        `send-${kind}`,
        {
          action: 'send',
          description: `What the server sends to those who follow ${kind}.`,
          channel: { $ref: `#/channels/${kind}` },
          messages: Object.keys(messages).map((type) => ({ $ref: `#/channels/${kind}/messages/${type}` })),
        },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        Object.entries(events).map(([type, spec]) => [type, messageOf(type, spec, schemas[type] ?? {})]),
      ),
      schemas: components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An identity key (rvt_…) or an access token (JWT).' },
        ticket: {
          type: 'httpApiKey',
          in: 'query',
          name: 'ticket',
          description: 'Of POST /api/ws/tickets; works once.',
        },
      },
    },
  };
}

/** No event type has a space in its name. */
const frameKey = 'the frame';

const kindOf = (pattern: string) => pattern.replace(':*', '');

function channelOf({ pattern, needs }: TopicPattern, events: EventTable) {
  const types = Object.entries(events).filter(([, one]) => topicsOf(one).includes(pattern));
  const hasId = pattern.endsWith(':*');
  return {
    address: hasId ? pattern.replace('*', '{id}') : pattern,
    description: needs === 'self' ? 'The caller’s own.' : `Needs the permission ${needs}.`,
    ...(hasId ? { parameters: { id: { description: `Id of the ${kindOf(pattern)}.` } } } : {}),
    messages: Object.fromEntries(types.map(([type]) => [type, { $ref: `#/components/messages/${type}` }])),
  };
}

function messageOf(type: string, { doc, durable, terminal }: EventTable[string], data: Json): Json {
  return {
    name: type,
    summary: doc,
    payload: {
      allOf: [
        { $ref: '#/components/schemas/RealtimeEventDto' },
        { type: 'object', properties: { type: { const: type }, data }, required: ['type', 'data'] },
      ],
    },
    'x-durable': durable,
    ...(terminal ? { 'x-terminal': true } : {}),
  };
}

/** Servers at this address, below its path. */
const serversOf =
  (at: URL) =>
  (protocol: string, pathname: string, description: string): Json => ({
    host: '{host}',
    pathname: at.pathname.replace(/\/$/, '') + pathname,
    protocol: at.protocol === 'https:' ? `${protocol}s` : protocol,
    description,
    variables: { host: { default: at.host } },
    security: [{ $ref: '#/components/securitySchemes/bearer' }, { $ref: '#/components/securitySchemes/ticket' }],
  });

// Opens event streams, mints tickets and lists live connections.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ConnectionQuery } from '../../ports/stream.ts';
import { type OwnAddress, reachedAt, socketAt } from '../base-url.ts';
import { defined } from '../fields.ts';
import { durableStreams, events, webSocket } from './contract.ts';
import type { WebSocketConnectionDto } from './dto.ts';

const defaultHeartbeatSeconds = 15;

export const eventsService = implement(events, () => ({
  stream: ({ query, request }) => {
    const topics = splitList(query.topics);
    if (topics.length === 0)
      throw new Fault('VALIDATION_FAILED', 'The query is not valid: topics: names no topic.', {
        hint: 'Name topics, separated by commas, e.g. topics=runs,run:42.',
      });
    return {
      kind: 'topics' as const,
      topics,
      lastEventId: query.lastEventId ?? request.lastEventId,
      types: query.types === undefined ? null : splitList(query.types),
      includeDeltas: query.includeDeltas ?? true,
      replaySeconds: query.replaySeconds ?? 0,
      heartbeatSeconds: query.heartbeatSeconds ?? defaultHeartbeatSeconds,
      follow: query.follow ?? false,
      lean: query.lean ?? false,
    };
  },
}));

export const durableStreamsService = implement(durableStreams, () => ({
  read: ({ params, query }) => ({
    kind: 'durable' as const,
    topic: params.topic,
    offset: query.offset ?? null,
    live: query.live ?? null,
    cursor: query.cursor ?? null,
    follow: query.follow ?? false,
  }),
}));

export interface WebSocketDeps extends OwnAddress {
  mint(
    caller: Caller,
    options: { topics: readonly string[] | null; ttlSeconds?: number },
  ): Promise<{ ticket: string; expiresAt: number }>;
  /** @throws Fault when the caller may not read the topic */
  authorise(caller: Caller, topic: string): Promise<void>;
  /** Live connections of all nodes. */
  connections(query: ConnectionQuery): Promise<{ items: WebSocketConnectionDto[]; total: number }>;
}

export const webSocketService = implement(webSocket, (deps: WebSocketDeps) => ({
  connect: () => {
    throw new Fault('BAD_REQUEST', 'This address speaks WebSocket.', {
      hint: 'Connect with a WebSocket client, or read server-sent events at GET /api/events.',
      status: 426,
    });
  },
  ticket: async ({ caller, body, request }) => {
    if (body?.identityId != null && body.identityId !== caller.identityId)
      throw new Fault('OWNERSHIP_REQUIRED', 'A ticket is for the identity that asks for it.', {
        hint: 'Ask with a key of that identity.',
      });
    const topics = body?.topics ?? [];
    await Promise.all(topics.map((topic) => deps.authorise(caller, topic)));
    const ttl = body?.ttlSeconds == null ? {} : { ttlSeconds: body.ttlSeconds };
    const { ticket, expiresAt } = await deps.mint(caller, { topics: topics.length > 0 ? topics : null, ...ttl });
    const base = reachedAt(request, deps);
    return {
      ticket,
      url: `${socketAt(base)}/api/ws?ticket=${ticket}`,
      socketIoUrl: base,
      eventsUrl: `${base}/api/events?topics=${topics.map(encodeURIComponent).join(',')}&ticket=${ticket}`,
      topics,
      singleUse: true,
      expiresAtUtc: new Date(expiresAt).toISOString(),
    };
  },
  connections: async ({ caller, query }) => {
    const { transport, identityId, userId, topic, nodeId, page, pageSize, sort } = query;
    const { items, total } = await deps.connections({
      tenantId: caller.tenantId,
      ...defined({ transport, identityId, userId, topic, nodeId }),
      sortBy: sort?.endsWith('lastSeenAtUtc') ? 'lastSeenAtUtc' : 'connectedAtUtc',
      descending: !sort || sort.startsWith('-'),
      skip: (page - 1) * pageSize,
      take: pageSize,
    });
    return toPage(items, total, query);
  },
}));

const splitList = (text: string) => [...new Set(text.split(',').map((part) => part.trim()))].filter(Boolean);

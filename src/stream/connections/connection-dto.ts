// A connection as operators see it.
import type { RealtimeTransport } from '../../contract/enums.ts';
import { isoTime } from '../log/entry.ts';
import type { Connection } from './connection.ts';

/** A WebSocketConnectionDto. */
export interface ConnectionDto {
  id: string;
  transport: RealtimeTransport;
  nodeId: string;
  userId: number | null;
  identityId: number | null;
  principalName: string;
  remoteIp: string | null;
  userAgent: string | null;
  topics: string[];
  messagesIn: number;
  messagesOut: number;
  bytesOut: number;
  bufferedBytes: number;
  droppedCount: number;
  lagSeq: number | null;
  connectedAtUtc: string;
  lastSeenAtUtc: string;
}

/** Describes a connection; nothing is ever dropped from one, so `droppedCount` is 0. */
export function connectionDto(connection: Connection, nodeId: string): ConnectionDto {
  const { caller } = connection;
  return {
    id: connection.id,
    transport: connection.transport,
    nodeId,
    userId: caller.userId,
    identityId: caller.identityId,
    principalName: caller.name,
    remoteIp: connection.ip || null,
    userAgent: connection.userAgent,
    topics: connection.topics,
    messagesIn: connection.messagesIn,
    messagesOut: connection.messagesOut,
    bytesOut: connection.bytesOut,
    bufferedBytes: connection.link.bufferedBytes,
    droppedCount: 0,
    lagSeq: connection.lag,
    connectedAtUtc: isoTime(connection.connectedAt),
    lastSeenAtUtc: isoTime(connection.lastSeenAt),
  };
}

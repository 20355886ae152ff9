// The client's public face.

export type * from '../contract/enums.ts';
export type { Page } from '../contract/page.ts';
export type * from './answers.ts';
export type { Api, Call, CallOptions, CallResult, RouteTable } from './api.ts';
export { ApiError, isAway } from './api-error.ts';
export { type Client, type ClientOptions, type ClientTools, createClient } from './client.ts';
export type {
  ConnectionPhase,
  ConnectionState,
  EventPayloads,
  KnownEvent,
  RawEvent,
} from './stream/events.ts';
export { known } from './stream/events.ts';
export type { WebSocketConstructor } from './stream/link.ts';
export type { Listener, Live, LiveOptions } from './stream/live.ts';
export { type ReplyWays, readReply } from './stream/reply.ts';
export { readSse, type SseMessage } from './stream/sse.ts';
export type { EventStream, StreamOptions } from './stream/stream.ts';
export type { HttpRequest } from './transport.ts';

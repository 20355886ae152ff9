// What a live connection needs of a transport.
import type { ApiError } from '../api-error.ts';
import type { RawEvent } from './events.ts';

/** Where a topic begins. */
export interface Beginning {
  /** An event id, `0` for the oldest events kept; null for live events only. */
  cursor: string | null;
  /** Without a cursor: the events of so many last seconds come first. */
  replaySeconds: number;
}

/** One connection attempt. It never comes back after `closed`; the next attempt is a new link. */
export interface Link {
  /** Follows one more topic. */
  add(topic: string, from: Beginning): void;
  remove(topic: string): void;
  close(): void;
}

export interface LinkEvents {
  /** The connection stands. */
  opened(): void;
  /** The topic is followed; `head` is its newest seq, null where the transport does not say. */
  followed(topic: string, head: number | null): void;
  /** The run or tree of the topic has ended, and all of it was sent. */
  ended(topic: string): void;
  /** The topic will not be served. */
  refused(topic: string, error: ApiError): void;
  event(event: RawEvent): void;
  latency(ms: number): void;
  /** The link ended. `again`: at once after a resumable close, with backoff after a failure, never without permission. */
  closed(reason: string, again: 'now' | 'backoff' | 'never', error?: ApiError): void;
}

/** `follow`: subscriptions outlive the end of their run or tree. */
export type OpenLink = (events: LinkEvents, topics: ReadonlyMap<string, Beginning>, follow: boolean) => Link;

/** The part of a WebSocket that is used; the browser's, Node's and `ws`'s all have it. */
export interface WebSocketLike {
  binaryType: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

export type WebSocketConstructor = new (url: string) => WebSocketLike;

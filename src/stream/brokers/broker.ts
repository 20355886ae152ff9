// Orders and numbers the events of topics and keeps each open topic's window filled, within one process or across nodes.
import type { Fence } from '../../ports/stream.ts';
import type { Window } from '../log/window.ts';

export interface NewEvent {
  /** `<tenantId>/<topic>` of each topic that gets the event. */
  keys: readonly string[];
  type: string;
  /** Milliseconds since 1970, UTC. */
  at: number;
  /** The payload as JSON text. */
  body: string;
  durable: boolean;
  /** Deltas with the same key may be joined; null for other events. */
  mergeKey: string | null;
  fence: Fence | null;
}

export interface Broker {
  /** True when other nodes share its topics. */
  readonly shared: boolean;
  /**
   * Appends one event to its topics. Resolves when a durable event is on disk.
   *
   * @throws Fault ALREADY_CLAIMED, STORE_UNAVAILABLE, SHUTTING_DOWN
   */
  append(event: NewEvent): Promise<void>;
  /** Pins a topic: its window is up to date when this resolves and is kept so until `release`. */
  open(key: string): Promise<Window>;
  release(key: string): void;
  /** Brings an open topic's window up to what other nodes have seen. */
  refresh(key: string): Promise<void>;
  /** Resolves when durable events that were appended to a topic, by nodes that died too, are in the store. */
  settle(key: string): Promise<void>;
  /** Sends a small JSON message to every node, this one included; may be lost. */
  signal(message: Record<string, unknown>): void;
  /** Besides the nodes' signals, handlers get `{ kind: 'reconnected' }` of their own node after some may have been missed. */
  onSignal(listener: (message: Record<string, unknown>) => void): () => void;
  /** Drops what is no longer kept; called by the stream's sweep about once a second. */
  sweep(): void;
  /** Writes what a clean stop needs and refuses further events. */
  close(): Promise<void>;
}

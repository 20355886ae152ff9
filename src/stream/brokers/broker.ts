// Broker: orders and numbers the events of topics and keeps the window of each open topic up to date.
import type { Fence } from '../../ports/stream.ts';
import type { Window } from '../log/window.ts';

export interface NewEvent {
  /** Keys `<tenantId>/<topic>` of the event's topics. */
  keys: readonly string[];
  type: string;
  /** Milliseconds since 1970, UTC. */
  at: number;
  /** Payload as JSON text. */
  body: string;
  durable: boolean;
  /** Deltas with the same key may be joined; null for other events. */
  mergeKey: string | null;
  fence: Fence | null;
  /** The event is numbered once this has settled; events behind it wait. Must not reject. */
  after?: Promise<unknown>;
}

export interface Broker {
  /** True when other nodes share the topics. */
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
  /** Updates an open topic's window to what other nodes have published. */
  refresh(key: string): Promise<void>;
  /** Resolves when a topic's durable events are stored, those of dead nodes included. */
  settle(key: string): Promise<void>;
  /** Sends a small JSON message to every node, this one included; may be lost. */
  signal(message: Record<string, unknown>): void;
  /** Subscribes to signals; `{ kind: 'reconnected' }` comes from the own node after signals may have been missed. */
  onSignal(listener: (message: Record<string, unknown>) => void): () => void;
  /** Evicts expired state; called by the stream's sweep about once a second. */
  sweep(): void;
  /** Writes the state that a clean restart needs, and refuses further events. */
  close(): Promise<void>;
}

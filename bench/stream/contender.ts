// What the benchmark needs of a server that takes part, ours or a peer.

/** Fields of one event; the sender's clock is in them. */
export type EventData = Record<string, unknown>;

export interface Running {
  port: number;
  /** Processes whose CPU time and memory are the server's. */
  pids: readonly number[];
  /** Path and query to connect to, where they are known only now. */
  path?: string;
  /** Sends events to all who are connected, as quickly as this server is meant to be told of them. */
  send(events: readonly EventData[]): void;
  /** Appends events that are kept, for resuming. */
  keep?(count: number): Promise<void>;
  stop(): Promise<void>;
}

export interface Contender {
  name: string;
  kind: 'WebSocket' | 'SSE';
  /** Ours, and who it is compared with. */
  ours?: true;
  path: string;
  headers: readonly string[];
  /** Sent when the connection stands: text, or bytes as `hex:…`. */
  frames?: readonly string[];
  /** Its version, or why it cannot take part; may install it. */
  look(): { version: string } | { missing: string };
  start(): Promise<Running>;
}

export const upgrade = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
export const acceptEvents = 'Accept: text/event-stream';

let seq = 0;
/** What peers send: the same fields and size as our own events. */
export const peerEvent = (data: EventData) => ({
  epoch: '0a1b2c3d-1',
  seq: ++seq,
  topic: 'run:1',
  type: 'run.budget',
  atUtc: new Date().toISOString(),
  data,
});

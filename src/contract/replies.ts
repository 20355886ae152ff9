// Answers that are not one JSON value: event streams and files, described as data so that transports stay outside services.
import type { Fault } from '../kernel/fault.ts';

/** One frame of a server-sent event stream. */
export interface StreamFrame {
  id?: string;
  event?: string;
  /** JSON text or plain text, without line breaks in JSON. */
  data: string;
}

/** One read of a topic by the Durable Streams protocol. */
export interface DurableReply {
  kind: 'durable';
  topic: string;
  /** Where to read from: an offset, `-1` or `now`; null where the client sent none. */
  offset: string | null;
  /** How to wait for what comes; null for what is there. */
  live: 'long-poll' | 'sse' | null;
  /** Cursor of the client's last live answer. */
  cursor: string | null;
  /** Goes on after the end of a run or tree, as if it were not closed. */
  follow: boolean;
}

/** Follow topics of the stream layer from a cursor, or send frames that the service makes itself. */
export type StreamReply =
  | DurableReply
  | {
      kind: 'topics';
      topics: string[];
      /** Cursor of the client, or null for live events only (or `replaySeconds` back). */
      lastEventId: string | null;
      /** Event types to send, all when null. */
      types: string[] | null;
      includeDeltas: boolean;
      replaySeconds: number;
      heartbeatSeconds: number;
      /** Goes on after the end of a run or tree that it follows; ends with it unless given. */
      follow?: boolean;
      /** Leaves out what is null in an event's payload. */
      lean?: boolean;
    }
  | {
      kind: 'frames';
      frames: AsyncIterable<StreamFrame>;
      heartbeatSeconds?: number;
      /** False where its clients are those of another API, which has no `retry`; true unless given. */
      retries?: boolean;
      /** Sent besides those of every event stream. */
      headers?: Readonly<Record<string, string>>;
    };

/** Bytes with their media type; the body is sent in chunks. */
export interface FileReply {
  kind: 'file';
  mediaType: string;
  body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Offered as a download under this name. */
  fileName?: string;
  headers?: Record<string, string>;
  status?: number;
  /** What went wrong all the same, for the audit log: browsers are sent on to a page that says so. */
  fault?: Fault;
}

/** A failure as clients of another API expect it. */
export interface FailureReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: object;
}

/** Data that its handler has as JSON text already; `count` is the envelope's number of items. */
export class JsonText {
  readonly text: string;
  readonly count: number | null;

  constructor(text: string, count: number | null = null) {
    this.text = text;
    this.count = count;
  }
}

export function isStreamReply(value: unknown): value is StreamReply {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'topics' || value.kind === 'frames' || value.kind === 'durable')
  );
}

export function isFileReply(value: unknown): value is FileReply {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file' && 'mediaType' in value
  );
}

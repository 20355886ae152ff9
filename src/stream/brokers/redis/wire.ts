// Wire format of events in Redis Streams and pub/sub.
import { Entry } from '../../log/entry.ts';
import type { Window } from '../../log/window.ts';

export interface WireEvent {
  gen: number;
  seq: number;
  type: string;
  at: number;
  durable: boolean;
  mergeKey: string | null;
  body: string;
}

/** Marker without an event: the topic was started again. */
export interface WireStart {
  gen: number;
  seq: number;
}

export type StreamRow = [id: string, fields: string[]];

/** Parses a pub/sub message. */
export function readMessage(text: string): WireEvent | WireStart {
  const parts: string[] = [];
  let from = 0;
  for (let part = 0; part < 6; part++) {
    const end = text.indexOf('\n', from);
    if (end < 0) return { gen: Number(parts[0]), seq: Number(text.slice(from)) };
    parts.push(text.slice(from, end));
    from = end + 1;
  }
  const [gen, seq, type = '', at, durable, mergeKey] = parts;
  return {
    gen: Number(gen),
    seq: Number(seq),
    type,
    at: Number(at),
    durable: durable === '1',
    mergeKey: mergeKey || null,
    body: text.slice(from),
  };
}

/** Parses a row of a stream. */
export function readRow([id, fields]: StreamRow): WireEvent {
  const dash = id.indexOf('-');
  return {
    gen: Number(id.slice(0, dash)),
    seq: Number(id.slice(dash + 1)),
    type: fields[1] ?? '',
    at: Number(fields[3]),
    durable: fields[5] === '1',
    mergeKey: fields[7] || null,
    body: fields[11] ?? 'null',
  };
}

/** The window entry of an event in the same generation. */
export function toEntry(window: Window, event: WireEvent): Entry {
  const { seq, type, at, durable, mergeKey, body } = event;
  return new Entry(window.place, { first: seq, seq, type, at, durable, mergeKey, body, ends: null });
}

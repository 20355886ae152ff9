// Where each topic stands: which event is next, which was seen, and what to ask for after a cut.
import type { StreamGapDto } from '../../groups/realtime/dto.ts';
import type { RawEvent } from './events.ts';

interface Position {
  epoch: string;
  seq: number;
}

const parse = (cursor: string): Position | null => {
  const dot = cursor.lastIndexOf('.');
  const seq = Number(cursor.slice(dot + 1));
  return dot > 0 && Number.isSafeInteger(seq) && seq >= 0 ? { epoch: cursor.slice(0, dot), seq } : null;
};

/**
 * Splits a cursor into one a topic. It is an event id `<epoch>.<seq>` (one topic), `0` for the oldest kept events, or
 * `topic=id,topic=id`; topics that it does not name start with live events.
 */
export function splitCursor(cursor: string | null | undefined, topics: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  if (!cursor) return found;
  if (!cursor.includes('=')) {
    for (const topic of topics) found.set(topic, cursor);
    return found;
  }
  for (const part of cursor.split(',')) {
    const at = part.indexOf('=');
    if (at > 0) found.set(part.slice(0, at), part.slice(at + 1));
  }
  return found;
}

/** One cursor for several topics, as `Last-Event-ID` takes it; null when no topic has one. */
export function joinCursor(cursors: Iterable<readonly [topic: string, cursor: string | null]>): string | null {
  const parts = Array.from(cursors, ([topic, cursor]) => (cursor === null ? '' : `${topic}=${cursor}`));
  return parts.filter(Boolean).join(',') || null;
}

export interface Cursors {
  /** Starts a topic at a cursor, or with live events when that is null. */
  begin(topic: string, cursor: string | null): void;
  drop(topic: string): void;
  /** What to resume a topic from; null when nothing was seen and no cursor given. */
  of(topic: string): string | null;
  seq(topic: string): number;
  /** True when the event is new: it is to be handed on, once. */
  accept(event: RawEvent): boolean;
}

/** A `stream.gap` that the client itself found. */
export function gapEvent(event: Omit<RawEvent, 'type' | 'data'>, gap: Omit<StreamGapDto, 'topic'>): RawEvent {
  return { ...event, type: 'stream.gap', data: { topic: event.topic, ...gap } };
}

/** Keeps a position a topic, so that each event is handed on once, across connections. */
export function createCursors(): Cursors {
  const positions = new Map<string, Position | string | null>();
  const at = (topic: string) => {
    const position = positions.get(topic);
    return typeof position === 'object' ? position : null;
  };
  return {
    begin: (topic, cursor) => void positions.set(topic, cursor === null ? null : (parse(cursor) ?? cursor)),
    drop: (topic) => void positions.delete(topic),
    of(topic) {
      const position = positions.get(topic);
      if (!position || typeof position === 'string') return position ?? null;
      return `${position.epoch}.${position.seq}`;
    },
    seq: (topic) => at(topic)?.seq ?? 0,
    accept(event) {
      if (!positions.has(event.topic)) return false;
      const position = at(event.topic);
      if (event.type === 'stream.gap') {
        // What the server still keeps follows the gap, so the next event is the oldest one kept.
        const { oldestSeq } = event.data as unknown as StreamGapDto;
        positions.set(event.topic, event.epoch ? { epoch: event.epoch, seq: Math.max(0, oldestSeq - 1) } : null);
        return true;
      }
      // A history that goes on under a new epoch is no gap; the server tells where there is one.
      if (position?.epoch === event.epoch && event.seq <= position.seq) return false;
      positions.set(event.topic, { epoch: event.epoch, seq: event.seq });
      return true;
    },
  };
}

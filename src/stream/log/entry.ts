// One event in a topic's log as it is sent, and how adjacent deltas are joined and cut without changing their text.
import { eventType } from './events.ts';

export interface Entry {
  /** First number that this entry covers; differs from `seq` when deltas were joined. */
  readonly first: number;
  /** Last number that this entry covers. */
  readonly seq: number;
  readonly type: string;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  readonly durable: boolean;
  readonly mergeKey: string | null;
  /** The whole RealtimeEventDto as JSON text: the same bytes for every subscriber. */
  readonly json: string;
  /** Of joined deltas: where the text of each number ends. */
  readonly ends: readonly number[] | null;
}

/** A joined delta grows to this many characters, so that frames stay small. */
const maxJoinedText = 16_384;

let lastAt = 0;
let lastText = '1970-01-01T00:00:00.000Z';

/** ISO 8601 text of a time; cached, as many events share a millisecond. */
export function isoTime(at: number): string {
  if (at !== lastAt) {
    lastText = new Date(at).toISOString();
    lastAt = at;
  }
  return lastText;
}

/** Encodes a RealtimeEventDto around a payload that is JSON text already. */
export function encodeEvent(
  epoch: string,
  seq: number,
  topic: string,
  event: { type: string; at: number; body: string },
): string {
  const at = isoTime(event.at);
  // Joined, as a chain of so many parts would take several times its size in memory.
  const head = ['{"epoch":"', epoch, '","seq":', seq, ',"topic":"', topic, '","type":"', event.type, '","atUtc":"', at];
  return `${head.join('')}","data":${event.body}}`;
}

/** An event without the null fields of its payload, for clients that fill them in. */
export function withoutNulls(entry: Entry): Entry {
  const frame = JSON.parse(entry.json) as { data: Record<string, unknown> };
  for (const [name, value] of Object.entries(frame.data)) if (value === null) frame.data[name] = undefined;
  return { ...entry, json: JSON.stringify(frame) };
}

/** Joins neighbours that have the same merge key. The joined event is the last one with the text of all. */
export function joinDeltas(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (let at = 0; at < entries.length; ) {
    const start = entries[at] as Entry;
    let end = at + 1;
    if (start.mergeKey !== null) {
      let size = start.json.length;
      for (; end < entries.length && entries[end]?.mergeKey === start.mergeKey; end++) {
        size += entries[end]?.json.length ?? 0;
        if (size > maxJoinedText) break;
      }
    }
    joined.push(end - at === 1 ? start : join(entries.slice(at, end)));
    at = end;
  }
  return joined;
}

/** The part of a joined delta after number `seq`, which lies inside it. */
export function cutDelta(entry: Entry, seq: number): Entry {
  const { frame, field } = open(entry);
  const keep = seq - entry.first;
  const from = entry.ends?.[keep] ?? 0;
  frame.data[field] = String(frame.data[field]).slice(from);
  const ends = (entry.ends ?? []).slice(keep + 1).map((end) => end - from);
  return { ...entry, first: seq + 1, json: JSON.stringify(frame), ends: ends.length > 1 ? ends : null };
}

function join(entries: readonly Entry[]): Entry {
  const ends: number[] = [];
  let text = '';
  for (const entry of entries) {
    const { frame, field } = open(entry);
    const before = text.length;
    text += frame.data[field];
    if (entry.ends) for (const end of entry.ends) ends.push(before + end);
    else ends.push(text.length);
  }
  const last = entries.at(-1) as Entry;
  const { frame, field } = open(last);
  frame.data[field] = text;
  return { ...last, first: entries[0]?.first ?? last.first, json: JSON.stringify(frame), ends };
}

function open(entry: Entry): { frame: { data: Record<string, unknown> }; field: string } {
  return { frame: JSON.parse(entry.json), field: eventType(entry.type)?.merge?.text ?? 'delta' };
}

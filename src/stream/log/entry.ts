// Entry: one event in a topic's log as sent, and the joining and cutting of adjacent deltas.
import { eventType } from './events.ts';

/** Position of an entry in its window. */
export interface EntryPlace {
  readonly epoch: string;
  readonly topic: string;
}

interface Parts {
  /** First number that the entry covers; differs from `seq` when deltas were joined. */
  first: number;
  /** Last number that the entry covers. */
  seq: number;
  type: string;
  /** Milliseconds since 1970, UTC. */
  at: number;
  durable: boolean;
  mergeKey: string | null;
  /** Payload as JSON text, shared with the entries of other topics. */
  body: string;
  /** For joined deltas: end offset of each number's text. */
  ends: readonly number[] | null;
}

const projectField = '"projectId":';
const none: readonly number[] = [];

/** Constant characters around an event's values in its text. */
const frameCharacters = '{"epoch":"","seq":,"topic":"","type":"","atUtc":"2026-01-01T00:00:00.000Z","data":}'.length;

/**
 * An event of a topic. Its text is built on demand: windows hold many events that no client reads, and the text for
 * each
 * topic would take several times the memory of the shared payload.
 */
export class Entry implements Readonly<Parts> {
  readonly #place: EntryPlace;
  #projectIds: readonly number[] | undefined;
  readonly first: number;
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly durable: boolean;
  readonly mergeKey: string | null;
  readonly body: string;
  readonly ends: readonly number[] | null;

  constructor(place: EntryPlace, parts: Parts) {
    this.#place = place;
    this.first = parts.first;
    this.seq = parts.seq;
    this.type = parts.type;
    this.at = parts.at;
    this.durable = parts.durable;
    this.mergeKey = parts.mergeKey;
    this.body = flat(parts.body);
    this.ends = parts.ends;
  }

  /** The whole RealtimeEventDto as JSON text: the same bytes for every subscriber. */
  get json(): string {
    const { epoch, topic } = this.#place;
    return `{"epoch":"${epoch}","seq":${this.seq},"topic":"${topic}","type":"${this.type}","atUtc":"${isoTime(this.at)}","data":${this.body}}`;
  }

  /**
   * Project ids in the payload. Text that a user wrote cannot forge one: its quotes are escaped in JSON.
   */
  get projectIds(): readonly number[] {
    this.#projectIds ??= this.body.includes(projectField)
      ? [...this.body.matchAll(/"projectId":(\d+)/g)].map(([, id]) => Number(id))
      : none;
    return this.#projectIds;
  }

  /** Length of `json` in characters. */
  get length(): number {
    const { epoch, topic } = this.#place;
    return frameCharacters + epoch.length + digits(this.seq) + topic.length + this.type.length + this.body.length;
  }

  with(changed: Partial<Parts>): Entry {
    const { first, seq, type, at, durable, mergeKey, body, ends } = this;
    return new Entry(this.#place, { first, seq, type, at, durable, mergeKey, body, ends, ...changed });
  }
}

/** Flattens a string: V8 keeps joined text, JSON included, as a chain of parts until it is read. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

const digits = (seq: number) => (seq < 10 ? 1 : seq < 100 ? 2 : String(seq).length);

/** Limit in characters of a joined delta, so that frames stay small. */
const maxJoinedText = 16_384;

let lastAt = 0;
let lastText = '1970-01-01T00:00:00.000Z';

/** ISO 8601 text of a time in ms; cached, since many events share a millisecond. */
export function isoTime(at: number): string {
  if (at !== lastAt) {
    lastText = new Date(at).toISOString();
    lastAt = at;
  }
  return lastText;
}

/** The event without null fields of its payload, for clients that fill them in. */
export function withoutNulls(entry: Entry): Entry {
  const data = dataOf(entry);
  for (const [name, value] of Object.entries(data)) if (value === null) data[name] = undefined;
  return entry.with({ body: JSON.stringify(data) });
}

/** Joins neighbours with the same merge key. A joined event is the last one with the text of all. */
export function joinDeltas(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (let at = 0; at < entries.length; ) {
    const start = entries[at] as Entry;
    let end = at + 1;
    if (start.mergeKey !== null) {
      let size = start.length;
      for (; end < entries.length && entries[end]?.mergeKey === start.mergeKey; end++) {
        size += entries[end]?.length ?? 0;
        if (size > maxJoinedText) break;
      }
    }
    joined.push(end - at === 1 ? start : join(entries.slice(at, end)));
    at = end;
  }
  return joined;
}

/** The part of a joined delta after number `seq`. */
export function cutDelta(entry: Entry, seq: number): Entry {
  const { data, field } = open(entry);
  const keep = seq - entry.first;
  const from = entry.ends?.[keep] ?? 0;
  data[field] = String(data[field]).slice(from);
  const ends = (entry.ends ?? []).slice(keep + 1).map((end) => end - from);
  return entry.with({ first: seq + 1, body: JSON.stringify(data), ends: ends.length > 1 ? ends : null });
}

function join(entries: readonly Entry[]): Entry {
  const ends: number[] = [];
  let text = '';
  for (const entry of entries) {
    const { data, field } = open(entry);
    const before = text.length;
    text += data[field];
    if (entry.ends) for (const end of entry.ends) ends.push(before + end);
    else ends.push(text.length);
  }
  const last = entries.at(-1) as Entry;
  const { data, field } = open(last);
  data[field] = text;
  return last.with({ first: entries[0]?.first ?? last.first, body: JSON.stringify(data), ends });
}

const dataOf = ({ body }: Entry) => JSON.parse(body) as Record<string, unknown>;

function open(entry: Entry): { data: Record<string, unknown>; field: string } {
  return { data: dataOf(entry), field: eventType(entry.type)?.merge?.text ?? 'delta' };
}

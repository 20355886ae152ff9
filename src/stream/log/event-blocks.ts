// Blocks of stored events: events of one commit with the same home topic, each payload once, compressed together.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EventPlace, NewStoredEvent, StoredEvent } from '../../ports/event-store.ts';
import { dictionaries } from './event-dictionary.ts';

/** Stored form of a block; either `z` or `text` is set. */
export interface Block {
  /** Number of the dictionary that `z` was compressed with. */
  d?: number;
  /** Base64 of the compressed content. */
  z?: string;
  /** Uncompressed content, where it is too long to compress without blocking. */
  text?: string;
}

/** Limits of a block, in events and characters. */
const blockEvents = 64;
const blockCharacters = 32_768;
/** Content limit for compression: longer text would block the event loop (20 µs for 5 KB). */
const longestCompressed = 2 * blockCharacters;
/** Small tables and buffers are fast to set up, and find as much in text this short. */
const options = { level: 3, windowBits: 12, memLevel: 4, chunkSize: 2048 };
/** Earlier versions compressed with a window of this size. */
const widestWindow = 13;

/** First line of a block's content; one line per payload follows. */
interface Head {
  /** Keys and generations of the topics. */
  topics: [key: string, gen: number][];
  /** Type, time, line of the payload, and topics with numbers. */
  events: [type: string, at: number, line: number, ...places: number[]][];
}

/**
 * Groups events, in order, into blocks: those of one home topic and generation together. Blocks never overlap in a
 * topic, since readers go from block to block.
 */
export function groupEvents(events: readonly NewStoredEvent[], apart: boolean): NewStoredEvent[][] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  /** The group with the last event of each topic. */
  const latest = new Map<string, Group>();
  for (const event of events) {
    const places = placesOf(event).map(topicOf);
    const home = topicOf(event);
    let group = open.get(home);
    const follows = places.every((topic) => (latest.get(topic) ?? group) === group);
    if (!group || apart || !follows || !hasRoom(group, event)) {
      group = { events: [], size: 0 };
      open.set(home, group);
      groups.push(group);
    }
    group.events.push(event);
    group.size += event.body.length;
    for (const topic of places) latest.set(topic, group);
  }
  return groups.map((group) => group.events);
}

interface Group {
  events: NewStoredEvent[];
  size: number;
}

/** A topic and its generation as one text. */
export const topicOf = ({ key, gen }: EventPlace) => `${key}|${gen}`;

const hasRoom = ({ events, size }: Group, { body }: NewStoredEvent) =>
  events.length < blockEvents && size + body.length <= blockCharacters;

export function encodeBlock(events: readonly NewStoredEvent[]): Block {
  const topics: Head['topics'] = [];
  const numbers = new Map<string, number>();
  const lines = new Map<string, number>();
  const numberOf = (place: EventPlace): number => {
    const name = topicOf(place);
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, topics.length);
    return topics.push([place.key, place.gen]) - 1;
  };
  const heads = events.map((event): Head['events'][number] => {
    const line = lines.get(event.body) ?? lines.size;
    lines.set(event.body, line);
    return [event.type, event.at, line, ...placesOf(event).flatMap((place) => [numberOf(place), place.seq])];
  });
  // JSON text contains no line breaks.
  const text = [JSON.stringify({ topics, events: heads } satisfies Head), ...lines.keys()].join('\n');
  if (text.length > longestCompressed) return { text };
  const dictionary = dictionaries.at(-1) as Buffer;
  return { d: dictionaries.length, z: deflateRawSync(text, { ...options, dictionary }).toString('base64') };
}

/** Events of a block, once per topic. */
export function decodeBlock({ d, z, text }: Block): StoredEvent[] {
  const [first = '', ...bodies] = (text ?? inflate(z ?? '', d ?? 0)).split('\n');
  const { topics, events } = JSON.parse(first) as Head;
  return events.flatMap(([type, at, line, ...places]) => {
    const found: StoredEvent[] = [];
    for (let place = 0; place < places.length; place += 2) {
      const [key, gen] = topics[places[place] as number] as [string, number];
      found.push({ key, gen, seq: places[place + 1] as number, type, at, body: bodies[line] ?? 'null' });
    }
    return found;
  });
}

function inflate(z: string, number: number): string {
  const dictionary = dictionaries[number - 1];
  if (!dictionary) throw new Error(`no dictionary ${number}: these events were written by a newer version`);
  return inflateRawSync(Buffer.from(z, 'base64'), { windowBits: widestWindow, dictionary }).toString();
}

/** Places of an event, its home first. */
export const placesOf = (event: NewStoredEvent): EventPlace[] => [
  { key: event.key, gen: event.gen, seq: event.seq },
  ...(event.also ?? []),
];

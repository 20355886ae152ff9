// Index keys: one SQL value for each allowed value, so that SQLite's order is MongoDB's.
//
// null and missing → -Infinity, which is below all finite numbers; numbers and strings as they are; all other types
// → a blob that starts with the rank of its type. SQLite orders numbers < text < blobs.
import type { ObjectId } from 'mongodb';
import { type PlainObject, rank, rankOf } from '../subset/values.ts';
import { encodeValue } from './codec.ts';
import { type Reached, reach } from './paths.ts';

export type Key = number | string | Uint8Array;

export const nullKey = Number.NEGATIVE_INFINITY;
/** Stands in the column where a path reaches an array; its elements are in the side table. */
const arrayKey: Key = Buffer.from([rank.array]);

/** The key of a value that is not an array. */
export function keyOf(value: unknown): Key {
  switch (rankOf(value)) {
    case rank.null:
      return nullKey;
    case rank.number:
      return value as number;
    case rank.string:
      return (value as string).toWellFormed();
    case rank.boolean:
      return Buffer.from([rank.boolean, value ? 1 : 0]);
    case rank.date:
      return dateKey((value as Date).getTime());
    case rank.objectId:
      return Buffer.concat([Buffer.from([rank.objectId]), (value as ObjectId).id]);
    case rank.array:
      return arrayKey;
    default:
      return Buffer.concat([Buffer.from([rank.object]), Buffer.from(encodeValue(value))]);
  }
}

/** 8 bytes, big-endian, shifted so that dates before 1970 come first. */
function dateKey(ms: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = rank.date;
  const high = Math.floor(ms / 2 ** 32);
  key.writeInt32BE(high, 1);
  key[1] = key[1]! ^ 0x80;
  key.writeUInt32BE(ms - high * 2 ** 32, 5);
  return key;
}

/** The key of a path's column, and the keys of the elements where the path reaches an array. */
export function keysAt(document: PlainObject, parts: readonly string[]): { key: Key; elements: Key[] | null } {
  if (parts.length === 1) {
    const value = document[parts[0]!];
    if (!Array.isArray(value)) return { key: keyOf(value), elements: null };
  }
  const reached: Reached = reach(document, parts);
  if (!reached.many) return { key: keyOf(reached.value), elements: null };
  return { key: arrayKey, elements: distinct(reached.values.length > 0 ? reached.values.map(keyOf) : [arrayKey]) };
}

export function sameKey(a: Key | null, b: Key | null): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0);
}

function distinct(keys: readonly Key[]): Key[] {
  return keys.filter((key, at) => keys.findIndex((other) => sameKey(key, other)) === at);
}

/** SQL literals between which the keys of one type lie: `low` ≤ key < `high`; null where the column's order bounds them. */
export function boundsOf(value: unknown): { low: string; high: string } {
  const type = rankOf(value);
  if (type === rank.number) return { low: '-1.7976931348623157e308', high: "''" };
  if (type === rank.string) return { low: "''", high: "x''" };
  const hex = (byte: number) => `x'${byte.toString(16).padStart(2, '0')}'`;
  return { low: hex(type), high: hex(type + 1) };
}

/** The least string above all that start with `prefix`; null when there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = Array.from(prefix, (char) => char.codePointAt(0)!);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return null;
}

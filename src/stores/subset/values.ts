// The values that documents may hold, and their order: MongoDB's, for the types we allow.
import type { ObjectId } from 'mongodb';
import { Fault } from '../../kernel/fault.ts';
import { isObjectId } from './object-id.ts';

/** Place of each allowed type in MongoDB's order of types; null and missing are one. */
export const rank = { null: 1, number: 2, string: 3, object: 4, array: 5, objectId: 7, boolean: 8, date: 9 } as const;
export type Rank = (typeof rank)[keyof typeof rank];

export type PlainObject = Record<string, unknown>;

/** Deepest nesting of a document; MongoDB stops at 100. */
const maxDepth = 100;

/** The rank of a value's type, or 0 when documents may not hold it. */
export function rankOf(value: unknown): Rank | 0 {
  switch (typeof value) {
    case 'string':
      return rank.string;
    case 'number':
      return Number.isFinite(value) ? rank.number : 0;
    case 'boolean':
      return rank.boolean;
    case 'undefined':
      return rank.null;
    case 'object':
      return rankOfObject(value);
    default:
      return 0;
  }
}

function rankOfObject(value: object | null): Rank | 0 {
  if (value === null) return rank.null;
  if (Array.isArray(value)) return rank.array;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 0 : rank.date;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return rank.object;
  return isObjectId(value) ? rank.objectId : 0;
}

export function isPlainObject(value: unknown): value is PlainObject {
  return rankOf(value) === rank.object;
}

/** A value that may stand in a document: Fault VALIDATION_FAILED otherwise. `path` is for the message. */
export function checkValue(value: unknown, path: string, depth = 0): void {
  const type = rankOf(value);
  if (type === 0) throw badValue(path, value);
  if (type !== rank.object && type !== rank.array) return;
  if (depth >= maxDepth) throw new Fault('VALIDATION_FAILED', `${path} is nested more than ${maxDepth} levels deep.`);
  if (type === rank.array) {
    for (const item of value as unknown[]) checkValue(item, path, depth + 1);
    return;
  }
  for (const [key, item] of Object.entries(value as PlainObject)) {
    checkFieldName(key, path);
    checkValue(item, key, depth + 1);
  }
}

export function badValue(path: string, value: unknown): Fault {
  const what = typeof value === 'object' ? (value?.constructor?.name ?? 'object') : `${typeof value} ${String(value)}`;
  return new Fault('VALIDATION_FAILED', `${path} holds a value that can't be stored (${what}).`, {
    hint: 'Use strings, finite numbers, booleans, dates, null, arrays and plain objects.',
  });
}

/** Field names that both stores keep as they are. */
export const isFieldName = (name: string): boolean =>
  name !== '' && name !== '__proto__' && !name.startsWith('$') && !name.includes('.') && !name.includes('\0');

export function checkFieldName(name: string, path: string): void {
  if (isFieldName(name)) return;
  throw new Fault('VALIDATION_FAILED', `${path} has a field named ${JSON.stringify(name)}, which can't be stored.`, {
    hint: 'Field names must not be empty, start with $, or hold a dot.',
  });
}

/** A whole document with an `_id` that is a number, a string, or the ObjectId that the scheduler makes. */
export function checkDocument(document: unknown): asserts document is PlainObject {
  if (!isPlainObject(document)) throw badValue('The document', document);
  checkValue(document, 'The document');
  if (document._id !== undefined) checkId(document._id);
}

export function checkId(id: unknown): void {
  const type = rankOf(id);
  if (type !== rank.number && type !== rank.string && type !== rank.objectId) throw badValue('_id', id);
}

/** Negative, zero or positive, as MongoDB orders two values of any allowed types. */
export function compareValues(a: unknown, b: unknown): number {
  const type = rankOf(a);
  const difference = type - rankOf(b);
  if (difference !== 0) return difference;
  switch (type) {
    case rank.null:
      return 0;
    case rank.string:
      return compareStrings(a as string, b as string);
    case rank.object:
      return compareObjects(a as PlainObject, b as PlainObject);
    case rank.array:
      return compareArrays(a as unknown[], b as unknown[]);
    case rank.objectId:
      return compareStrings((a as ObjectId).toHexString(), (b as ObjectId).toHexString());
    default:
      return Number(a) - Number(b);
  }
}

export function equalValues(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' || typeof a === 'number') return a === b;
  return compareValues(a, b) === 0;
}

/** By code point, as UTF-8 bytes order; `<` on strings would order by UTF-16 unit. */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return byCodePoint(x) - byCodePoint(y);
  }
  return a.length - b.length;
}

/** Moves surrogates (U+D800…DFFF), which stand for the highest code points, above U+E000…FFFF. */
function byCodePoint(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

function compareArrays(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = compareValues(a[at], b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Field by field in order of appearance: type, then name, then value. */
function compareObjects(a: PlainObject, b: PlainObject): number {
  const left = definedEntries(a);
  const right = definedEntries(b);
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [nameA, valueA] = left[at]!;
    const [nameB, valueB] = right[at]!;
    const difference = rankOf(valueA) - rankOf(valueB) || compareStrings(nameA, nameB) || compareValues(valueA, valueB);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function definedEntries(object: PlainObject): [string, unknown][] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

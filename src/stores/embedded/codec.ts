// Documents as JSON text. Dates and ObjectIds are strings behind a mark that other strings are escaped from.
import type { ObjectId } from 'mongodb';
import { objectIdOf } from '../subset/object-id.ts';
import { badValue, checkFieldName, isFieldName, type PlainObject, rank, rankOf } from '../subset/values.ts';

const mark = '\u0001';
const markCode = 1;
/** The mark as JSON.stringify writes it: text without it holds nothing to revive. */
const markInJson = '\\u0001';

const maxDepth = 100;

/** The JSON text of a document. Undefined fields are left out; Fault VALIDATION_FAILED for what can't be stored. */
export function encodeDocument(document: PlainObject): string {
  return JSON.stringify(isJson(document, 0) ? document : encode(document, 'The document', 0));
}

/** The text of one value: `decodeDocument` reads it back. */
export function encodeValue(value: unknown): string {
  return JSON.stringify(encode(value, 'The value', 0));
}

/** The text of a filter, whose field names are operators and paths. */
export function encodeFilter(filter: PlainObject): string {
  return JSON.stringify(encode(filter, 'The filter', 0, () => {}));
}

/**
 * A document whose top-level fields changed, with its text: unchanged fields are not encoded again. It shares nothing
 * with `changes`, and is null where it differs from what its text says.
 */
export function encodeChanged(
  textBefore: string,
  before: PlainObject,
  changes: PlainObject,
): { text: string; document: PlainObject | null } {
  const encoded = textBefore.includes(markInJson) ? JSON.parse(textBefore) : { ...before };
  for (const [key, value] of Object.entries(changes)) {
    checkFieldName(key, 'The document');
    encoded[key] = encode(value, key, 1);
  }
  const text = JSON.stringify(encoded);
  return { text, document: text.includes(markInJson) ? null : encoded };
}

/** Whether a document's text is its JSON as JSON.stringify writes it. */
export const isJsonText = (text: string) => !text.includes(markInJson);

/** A fresh document from its text. */
export function decodeDocument<T>(text: string): T {
  const document = JSON.parse(text);
  return text.includes(markInJson) ? revive(document) : document;
}

/** JSON array of documents whose texts are joined by commas: what has a mark is written as JSON.stringify writes it. */
export function jsonOf(texts: string | null): string {
  const text = `[${texts ?? ''}]`;
  return text.includes(markInJson) ? JSON.stringify(decodeDocument(text)) : text;
}

/** Whether JSON.stringify alone writes a value as `encode` would have it, as it does most documents. */
function isJson(value: unknown, depth: number): boolean {
  switch (rankOf(value)) {
    case rank.null:
    case rank.number:
    case rank.boolean:
      return true;
    case rank.string:
      return (value as string).charCodeAt(0) !== markCode && (value as string).isWellFormed();
    case rank.array:
      return depth <= maxDepth && (value as unknown[]).every((item) => isJson(item, depth + 1));
    case rank.object:
      if (depth > maxDepth) return false;
      for (const key of Object.keys(value as PlainObject)) {
        if (!isFieldName(key) || !isJson((value as PlainObject)[key], depth + 1)) return false;
      }
      return true;
    default:
      return false;
  }
}

function encode(value: unknown, path: string, depth: number, checkName = checkFieldName): unknown {
  switch (rankOf(value)) {
    case rank.null:
      return value === undefined && depth > 0 ? undefined : null;
    case rank.number:
    case rank.boolean:
      return value;
    case rank.string:
      return encodeString(value as string);
    case rank.date:
      return `${mark}d${(value as Date).getTime()}`;
    case rank.objectId:
      return `${mark}o${(value as ObjectId).toHexString()}`;
    case rank.array:
      if (depth > maxDepth) break;
      return (value as unknown[]).map((item) => encode(item, path, depth + 1, checkName));
    case rank.object:
      if (depth > maxDepth) break;
      return encodeObject(value as PlainObject, path, depth, checkName);
    case 0:
      break;
  }
  throw badValue(path, value);
}

function encodeObject(object: PlainObject, path: string, depth: number, checkName: typeof checkFieldName): PlainObject {
  const encoded: PlainObject = Object.getPrototypeOf(object) === null ? Object.create(null) : {};
  for (const key of Object.keys(object)) {
    checkName(key, path);
    const value = encode(object[key], key, depth + 1, checkName);
    if (value !== undefined) encoded[key] = value;
  }
  return encoded;
}

function encodeString(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.charCodeAt(0) === markCode ? `${mark}s${wellFormed}` : wellFormed;
}

function revive<T>(value: T): T {
  if (typeof value === 'string') return (value.charCodeAt(0) === markCode ? reviveString(value) : value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = revive(value[at]);
    return value;
  }
  const object = value as PlainObject;
  for (const key in object) {
    const item = object[key];
    if (typeof item === 'string' ? item.charCodeAt(0) === markCode : typeof item === 'object')
      object[key] = revive(item);
  }
  return value;
}

function reviveString(text: string): unknown {
  const rest = text.slice(2);
  switch (text[1]) {
    case 'd':
      return new Date(Number(rest));
    case 'o':
      return objectIdOf(rest);
    default:
      return rest;
  }
}

// Update operators on a decoded document.
import { Fault } from '../../kernel/fault.ts';
import { isOperators } from '../subset/filter.ts';
import { compareValues, equalValues, isPlainObject, type PlainObject, rank, rankOf } from '../subset/values.ts';
import { compileElement, type Predicate } from './matcher.ts';
import { child, indexOf } from './paths.ts';

type Changes = Record<string, PlainObject>;

/**
 * Changes `document` in place. The update has passed `checkUpdate`. Fault VALIDATION_FAILED where the document does not
 * fit the change; the document is then half changed and must be thrown away.
 */
export function applyUpdate(document: PlainObject, update: Changes, inserting: boolean): void {
  for (const [operator, changes] of Object.entries(update)) {
    if (operator === '$setOnInsert' && !inserting) continue;
    for (const [path, operand] of Object.entries(changes)) {
      if (operand === undefined) continue;
      if (path === '_id') setId(document, operand);
      else applyChange(document, operator, path, operand);
    }
  }
}

function setId(document: PlainObject, id: unknown): void {
  if (document._id !== undefined && !equalValues(document._id, id)) throw misfit('_id', 'can not be changed');
  document._id = id;
}

function applyChange(document: PlainObject, operator: string, path: string, operand: unknown): void {
  const creates = operator !== '$unset' && operator !== '$pull';
  const slot = locate(document, path, creates);
  if (!slot) return;
  const before = slot.get();
  switch (operator) {
    case '$set':
    case '$setOnInsert':
      slot.set(copy(operand));
      return;
    case '$unset':
      slot.unset();
      return;
    case '$inc':
      if (before !== undefined && typeof before !== 'number') throw misfit(path, 'is not a number');
      slot.set((before ?? 0) + (operand as number));
      return;
    case '$min':
    case '$max': {
      const order = before === undefined ? -1 : compareValues(operand, before) * (operator === '$min' ? 1 : -1);
      if (order < 0) slot.set(copy(operand));
      return;
    }
    case '$push':
      slot.set([...arrayAt(path, before), ...added(operand)]);
      return;
    case '$addToSet':
      slot.set(union(arrayAt(path, before), added(operand)));
      return;
    case '$pull':
      if (before !== undefined) slot.set(arrayAt(path, before).filter((item) => !pulls(operand)(item)));
      return;
    default:
      throw new Error(`${operator} has no implementation`);
  }
}

interface Place {
  get(): unknown;
  set(value: unknown): void;
  unset(): void;
}

/** Place of a path; null when it is missing and must not be created. */
function locate(document: PlainObject, path: string, creates: boolean): Place | null {
  const parts = path.split('.');
  const last = parts.pop()!;
  let node: unknown = document;
  for (const part of parts) {
    const place = placeIn(node, part, path, creates);
    if (!place) return null;
    if (place.get() === undefined) {
      if (!creates) return null;
      place.set({});
    }
    node = place.get();
  }
  return placeIn(node, last, path, creates);
}

/** Largest number of elements that a path may add to an array, padding included. */
const maxPadding = 1000;

function placeIn(node: unknown, part: string, path: string, creates: boolean): Place | null {
  if (isPlainObject(node)) {
    return {
      get: () => child(node, part),
      set: (value) => {
        node[part] = value;
      },
      unset: () => {
        delete node[part];
      },
    };
  }
  const position = Array.isArray(node) ? indexOf(part) : -1;
  if (!Array.isArray(node) || position < 0 || position > node.length + maxPadding) {
    if (!creates) return null;
    throw misfit(path, `can not be made, because ${part} would be in a value that has no fields`);
  }
  return {
    get: () => node[position] as unknown,
    set: (value) => {
      while (node.length < position) node.push(null);
      node[position] = value;
    },
    unset: () => {
      if (position < node.length) node[position] = null;
    },
  };
}

function misfit(path: string, why: string): Fault {
  return new Fault('VALIDATION_FAILED', `The change does not fit the document: ${path} ${why}.`);
}

function arrayAt(path: string, value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw misfit(path, 'is not an array');
  return value;
}

function added(operand: unknown): unknown[] {
  return isOperators(operand) ? (copy(operand.$each) as unknown[]) : [copy(operand)];
}

function union(items: readonly unknown[], more: readonly unknown[]): unknown[] {
  const result = [...items];
  for (const item of more) if (!result.some((known) => equalValues(known, item))) result.push(item);
  return result;
}

function pulls(operand: unknown): Predicate {
  if (isPlainObject(operand)) return compileElement(operand);
  return (item) => equalValues(item, operand);
}

/** A copy, so that a stored or returned document shares nothing with its writer. */
function copy<V>(value: V): V {
  switch (rankOf(value)) {
    case rank.array:
      return (value as unknown[]).map(copy) as V;
    case rank.object:
      return Object.fromEntries(Object.entries(value as PlainObject).map(([key, item]) => [key, copy(item)])) as V;
    default:
      return value;
  }
}

/** Document that an upsert starts from: the equalities of its filter. */
export function upsertBase(filter: PlainObject): PlainObject {
  const base: PlainObject = {};
  const collect = (part: PlainObject): void => {
    for (const [key, condition] of Object.entries(part)) {
      if (key === '$and') (condition as PlainObject[]).forEach(collect);
      else if (key.startsWith('$')) continue;
      else if (!isOperators(condition)) locate(base, key, true)?.set(copy(condition));
      else if ('$eq' in condition) locate(base, key, true)?.set(copy(condition.$eq));
    }
  };
  collect(filter);
  return base;
}

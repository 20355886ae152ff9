// A second, slow and plain reading of MongoDB's rules, written from its manual; shares no code with the stores.
import type { Doc } from './setting.ts';

type Plain = Record<string, unknown>;

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** All values that a path reaches, before arrays at its end are opened; `undefined` stands for a missing field. */
function reached(value: unknown, path: string[]): unknown[] {
  const [first, ...rest] = path;
  if (first === undefined) return [value];
  if (Array.isArray(value)) {
    const atIndex = /^\d+$/.test(first) && Number(first) < value.length ? reached(value[Number(first)], rest) : [];
    return [...atIndex, ...value.filter(isObject).flatMap((item) => reached(item, path))];
  }
  return isObject(value) && first in value ? reached(value[first], rest) : [undefined];
}

const opened = (values: unknown[]) => values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]));

const kind = (value: unknown) =>
  value === null || value === undefined
    ? 'null'
    : value instanceof Date
      ? 'date'
      : isObject(value)
        ? 'object'
        : typeof value;

function same(a: unknown, b: unknown): boolean {
  if (kind(a) !== kind(b)) return false;
  if (kind(a) === 'null') return true;
  if (a instanceof Date) return a.getTime() === (b as Date).getTime();
  return typeof a === 'object' ? JSON.stringify(a) === JSON.stringify(b) : a === b;
}

function ordered(a: unknown, b: unknown, test: (sign: number) => boolean): boolean {
  if (Array.isArray(a) || isObject(a) || kind(a) !== kind(b)) return false;
  if (kind(a) === 'null') return test(0);
  if (typeof a === 'string') return test(Buffer.compare(Buffer.from(a), Buffer.from(b as string)));
  return test(Number(a) - Number(b));
}

function meets(values: unknown[], operator: string, operand: unknown): boolean {
  const candidates = opened(values);
  switch (operator) {
    case '$eq':
      return candidates.some((value) => same(value, operand));
    case '$ne':
      return !meets(values, '$eq', operand);
    case '$gt':
      return candidates.some((value) => ordered(value, operand, (sign) => sign > 0));
    case '$gte':
      return candidates.some((value) => ordered(value, operand, (sign) => sign >= 0));
    case '$lt':
      return candidates.some((value) => ordered(value, operand, (sign) => sign < 0));
    case '$lte':
      return candidates.some((value) => ordered(value, operand, (sign) => sign <= 0));
    case '$in':
      return (operand as unknown[]).some((one) => meets(values, '$eq', one));
    case '$nin':
      return !meets(values, '$in', operand);
    case '$exists':
      return values.some((value) => value !== undefined) === operand;
    case '$regex':
      return candidates.some((value) => typeof value === 'string' && new RegExp(operand as string).test(value));
    case '$elemMatch':
      return values.some((array) => Array.isArray(array) && array.some((item) => elementMeets(item, operand as Plain)));
    default:
      throw new Error(operator);
  }
}

function elementMeets(item: unknown, operand: Plain): boolean {
  const [operator, inner] = Object.entries(operand)[0]!;
  return operator.startsWith('$') ? meets([item], operator, inner) : isObject(item) && matchesNaively(item, operand);
}

export function matchesNaively(document: Plain, filter: Plain): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (key === '$and') return (condition as Plain[]).every((one) => matchesNaively(document, one));
    if (key === '$or') return (condition as Plain[]).some((one) => matchesNaively(document, one));
    const values = reached(document, key.split('.'));
    if (!isObject(condition)) return meets(values, '$eq', condition);
    return Object.entries(condition).every(([operator, operand]) => meets(values, operator, operand));
  });
}

/** Only the updates that the random steps make. */
export function updateNaively(document: Doc, update: Record<string, Plain>): void {
  for (const [operator, changes] of Object.entries(update)) {
    for (const [field, operand] of Object.entries(changes)) {
      const before = document[field];
      if (operator === '$set') document[field] = structuredClone(operand);
      if (operator === '$unset') delete document[field];
      if (operator === '$inc') document[field] = (before ?? 0) + (operand as number);
      if (operator === '$max') document[field] = Math.max(before ?? 0, operand as number);
      if (operator === '$push') document[field] = [...(before ?? []), operand];
      if (operator === '$pull' && before) document[field] = before.filter((item: unknown) => !same(item, operand));
      if (operator === '$addToSet') {
        const known = (before ?? []) as unknown[];
        document[field] = known.some((item) => same(item, operand)) ? known : [...known, operand];
      }
    }
  }
}

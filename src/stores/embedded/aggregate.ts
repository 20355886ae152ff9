// Aggregation stages over decoded documents.
import { projectionPlan, sortKeys } from '../subset/read.ts';
import { compareValues, isPlainObject, type PlainObject } from '../subset/values.ts';
import { encodeValue } from './codec.ts';
import { compileFilter } from './matcher.ts';
import { compileProjection, sortDocuments } from './projector.ts';

/** Runs stages that `checkPipeline` has let pass. */
export function runPipeline(documents: PlainObject[], pipeline: readonly PlainObject[]): PlainObject[] {
  let rows = documents;
  for (const stage of pipeline) {
    const [operator, operand] = Object.entries(stage)[0]!;
    rows = runStage(rows, operator, operand);
  }
  return rows;
}

function runStage(rows: PlainObject[], operator: string, operand: unknown): PlainObject[] {
  switch (operator) {
    case '$match':
      return rows.filter(compileFilter(operand as PlainObject));
    case '$group':
      return group(rows, operand as PlainObject);
    case '$sort':
      return sortDocuments(rows, sortKeys(operand));
    case '$project':
      return rows.map(compileProjection(projectionPlan(operand)));
    case '$limit':
      return rows.slice(0, operand as number);
    case '$skip':
      return rows.slice(operand as number);
    case '$count':
      return rows.length === 0 ? [] : [{ [operand as string]: rows.length }];
    case '$unwind':
      return unwind(rows, operand);
    default:
      throw new Error(`${operator} has no implementation`);
  }
}

/** The value of `$path`, arrays entered; a constant otherwise. Undefined when missing. */
function evaluate(expression: unknown, row: PlainObject): unknown {
  if (typeof expression !== 'string' || !expression.startsWith('$')) return expression;
  return valueAt(row, expression.slice(1).split('.'));
}

function valueAt(node: unknown, parts: readonly string[]): unknown {
  if (parts.length === 0) return node;
  if (Array.isArray(node)) return node.map((item) => valueAt(item, parts)).filter((value) => value !== undefined);
  if (!isPlainObject(node)) return undefined;
  return valueAt(Object.hasOwn(node, parts[0]!) ? node[parts[0]!] : undefined, parts.slice(1));
}

function groupKey(expression: unknown, row: PlainObject): unknown {
  if (!isPlainObject(expression)) return evaluate(expression, row) ?? null;
  const key: PlainObject = {};
  for (const [name, part] of Object.entries(expression)) {
    const value = evaluate(part, row);
    if (value !== undefined) key[name] = value;
  }
  return key;
}

function group(rows: PlainObject[], { _id: expression, ...fields }: PlainObject): PlainObject[] {
  const groups = new Map<string, { key: unknown; rows: PlainObject[] }>();
  for (const row of rows) {
    const key = groupKey(expression, row);
    const text = encodeValue(key);
    const known = groups.get(text);
    if (known) known.rows.push(row);
    else groups.set(text, { key, rows: [row] });
  }
  return [...groups.values()].map(({ key, rows: members }) => {
    const result: PlainObject = { _id: key };
    for (const [name, accumulator] of Object.entries(fields)) {
      const [operator, argument] = Object.entries(accumulator as PlainObject)[0]!;
      result[name] = accumulate(operator, argument, members);
    }
    return result;
  });
}

function accumulate(operator: string, argument: unknown, rows: readonly PlainObject[]): unknown {
  if (operator === '$count') return rows.length;
  const values = rows.map((row) => evaluate(argument, row));
  switch (operator) {
    case '$sum':
      return sum(numbers(values));
    case '$avg': {
      const counted = numbers(values);
      return counted.length === 0 ? null : sum(counted) / counted.length;
    }
    case '$min':
    case '$max':
      return extreme(values, operator === '$min' ? 1 : -1);
    case '$first':
      return values[0] ?? null;
    case '$last':
      return values.at(-1) ?? null;
    default:
      throw new Error(`${operator} has no implementation`);
  }
}

function numbers(values: readonly unknown[]): number[] {
  return values.filter((value) => typeof value === 'number');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function extreme(values: readonly unknown[], direction: 1 | -1): unknown {
  let best: unknown = null;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (best === null || compareValues(value, best) * direction < 0) best = value;
  }
  return best;
}

function unwind(rows: readonly PlainObject[], operand: unknown): PlainObject[] {
  const { path, preserveNullAndEmptyArrays: preserve = false } = (
    isPlainObject(operand) ? operand : { path: operand }
  ) as { path: string; preserveNullAndEmptyArrays?: boolean };
  const parts = path.slice(1).split('.');
  return rows.flatMap((row) => {
    const value = valueAt(row, parts);
    if (Array.isArray(value)) {
      if (value.length > 0) return value.map((item) => withValue(row, parts, item));
      return preserve ? [withValue(row, parts, undefined)] : [];
    }
    return value !== undefined && (value !== null || preserve) ? [row] : preserve ? [row] : [];
  });
}

/** A copy of the row with another value at the path; its other parts are shared. */
function withValue(row: PlainObject, parts: readonly string[], value: unknown): PlainObject {
  const [first, ...rest] = parts as [string, ...string[]];
  const copy = { ...row };
  if (rest.length > 0) copy[first] = withValue(copy[first] as PlainObject, rest, value);
  else if (value === undefined) delete copy[first];
  else copy[first] = value;
  return copy;
}

// The subset of sorts, projections and pipelines that both stores support with equal results; everything else is refused.
import { checkFilter, checkPath, unsupported } from './filter.ts';
import { checkValue, isPlainObject, type PlainObject } from './values.ts';

const directions = new Map<unknown, 1 | -1>([
  [1, 1],
  [-1, -1],
  ['asc', 1],
  ['desc', -1],
]);

/** The sort as pairs of path and direction. */
export function sortKeys(sort: unknown): [path: string, direction: 1 | -1][] {
  if (sort === undefined) return [];
  if (!isPlainObject(sort)) throw unsupported('A sort that is not an object');
  return Object.entries(sort).map(([path, value]) => {
    checkPath(path);
    const direction = directions.get(value);
    if (!direction) throw unsupported(`The sort direction ${String(value)}`);
    return [path, direction];
  });
}

/** A projection as its paths, and whether they are kept or left out. */
export interface ProjectionPlan {
  keep: boolean;
  paths: string[];
  withId: boolean;
}

export function projectionPlan(projection: unknown): ProjectionPlan | null {
  if (projection === undefined) return null;
  if (!isPlainObject(projection)) throw unsupported('A projection that is not an object');
  const { _id: id, ...fields } = projection;
  const entries = Object.entries(fields);
  for (const [path, flag] of Object.entries(projection)) {
    checkPath(path);
    if (flag !== 0 && flag !== 1 && typeof flag !== 'boolean') throw unsupported(`The projection of ${path}`);
  }
  if (entries.length === 0 && id === undefined) return null;
  const keep = entries.length > 0 ? Boolean(entries[0]![1]) : Boolean(id);
  if (entries.some(([, flag]) => Boolean(flag) !== keep))
    throw unsupported('A projection that both keeps and leaves out');
  return { keep, paths: entries.map(([path]) => path), withId: id === undefined ? true : Boolean(id) };
}

/** `skip` and `limit`: whole numbers from 0. */
export function checkCount(name: string, value: unknown): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 0))
    throw unsupported(`${name} ${value}`);
}

const accumulators = new Set(['$sum', '$avg', '$min', '$max', '$first', '$last', '$count']);

/** Refuses a pipeline outside the subset. */
export function checkPipeline(pipeline: unknown): asserts pipeline is PlainObject[] {
  if (!Array.isArray(pipeline)) throw unsupported('A pipeline that is not an array');
  for (const stage of pipeline) {
    if (!isPlainObject(stage) || Object.keys(stage).length !== 1)
      throw unsupported('A stage without exactly one operator');
    const [operator, operand] = Object.entries(stage)[0]!;
    checkStage(operator, operand);
  }
}

function checkStage(operator: string, operand: unknown): void {
  switch (operator) {
    case '$match':
      checkFilter(operand);
      return;
    case '$group':
      checkGroup(operand);
      return;
    case '$sort':
      if (sortKeys(operand).length === 0) throw unsupported('$sort without keys');
      return;
    case '$project':
      if (projectionPlan(operand) === null) throw unsupported('$project without fields');
      return;
    case '$limit':
    case '$skip':
      checkCount(operator, operand);
      if (operand === undefined || (operator === '$limit' && operand === 0))
        throw unsupported(`${operator} ${operand}`);
      return;
    case '$count':
      if (typeof operand !== 'string') throw unsupported('$count without a field name');
      checkPath(operand);
      return;
    case '$unwind':
      checkUnwind(operand);
      return;
    default:
      throw unsupported(`The stage ${operator}`);
  }
}

function checkUnwind(operand: unknown): void {
  const { path, preserveNullAndEmptyArrays, ...others } = isPlainObject(operand) ? operand : { path: operand };
  const flag = preserveNullAndEmptyArrays;
  if (typeof path !== 'string' || !path.startsWith('$')) throw unsupported('$unwind without a $path');
  if (Object.keys(others).length > 0 || (flag !== undefined && typeof flag !== 'boolean'))
    throw unsupported('This $unwind');
  checkPath(path.slice(1));
}

function checkGroup(operand: unknown): void {
  if (!isPlainObject(operand) || !('_id' in operand)) throw unsupported('$group without _id');
  const { _id: key, ...fields } = operand;
  for (const [name, part] of isPlainObject(key) ? Object.entries(key) : [['_id', key] as const]) {
    checkPath(name);
    checkExpression(part);
  }
  for (const [name, accumulator] of Object.entries(fields)) {
    checkPath(name);
    const [operator, ...others] = isPlainObject(accumulator) ? Object.keys(accumulator) : [];
    if (operator === undefined || others.length > 0 || !accumulators.has(operator)) {
      throw unsupported(`The accumulator ${operator ?? 'of'} ${name}`);
    }
    const argument = (accumulator as PlainObject)[operator];
    if (operator !== '$count') checkExpression(argument);
    else if (!isPlainObject(argument) || Object.keys(argument).length > 0) throw unsupported('$count with an argument');
  }
}

function checkExpression(expression: unknown): void {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    checkPath(expression.slice(1));
    return;
  }
  if (typeof expression === 'object' && expression !== null)
    throw unsupported('An expression that is not $path or a constant');
  checkValue(expression, 'an expression');
}

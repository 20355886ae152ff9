// The subset of updates that both stores support with equal results; everything else is refused.
import { Fault } from '../../kernel/fault.ts';
import { checkFilter, checkPath, isOperators, unsupported } from './filter.ts';
import { badValue, checkId, checkValue, isPlainObject, type PlainObject, rank, rankOf } from './values.ts';

const operators = new Set(['$set', '$unset', '$inc', '$min', '$max', '$push', '$pull', '$addToSet', '$setOnInsert']);

/** Refuses an update outside the subset: Fault INTERNAL_ERROR (operators) or VALIDATION_FAILED (values). */
export function checkUpdate(update: unknown): asserts update is Record<string, PlainObject> {
  if (!isPlainObject(update) || Object.keys(update).length === 0) throw unsupported('An update without operators');
  const paths: string[] = [];
  for (const [operator, changes] of Object.entries(update)) {
    if (!operators.has(operator)) throw unsupported(`The update operator ${operator}`);
    if (!isPlainObject(changes)) throw unsupported(`${operator} without an object`);
    for (const [path, operand] of Object.entries(changes)) {
      checkPath(path);
      if (operand === undefined) continue;
      paths.push(path);
      checkOperand(operator, path, operand);
    }
  }
  checkConflicts(paths);
}

function checkOperand(operator: string, path: string, operand: unknown): void {
  if (path === '_id') {
    if (operator !== '$set' && operator !== '$setOnInsert') throw unsupported(`${operator} of _id`);
    checkId(operand);
    return;
  }
  switch (operator) {
    case '$unset':
      return;
    case '$inc':
      if (rankOf(operand) !== rank.number) throw badValue(path, operand);
      return;
    case '$push':
    case '$addToSet':
      checkAdded(operator, path, operand);
      return;
    case '$pull':
      checkPulled(path, operand);
      return;
    default:
      checkValue(operand, path);
      return;
  }
}

function checkAdded(operator: string, path: string, operand: unknown): void {
  if (!isOperators(operand)) {
    checkValue(operand, path);
    return;
  }
  const [each, ...others] = Object.keys(operand);
  if (each !== '$each' || others.length > 0 || !Array.isArray(operand.$each)) {
    throw unsupported(`${operator} with ${Object.keys(operand).join(', ')}`);
  }
  checkValue(operand.$each, path);
}

function checkPulled(path: string, operand: unknown): void {
  if (isOperators(operand)) checkFilter({ [path]: operand });
  else if (isPlainObject(operand)) checkFilter(operand);
  else checkValue(operand, path);
}

/** Two changes of one path, or of a path and its parent, have no order. */
function checkConflicts(paths: string[]): void {
  if (paths.length < 2) return;
  const isDistinct = new Set(paths).size === paths.length;
  if (isDistinct && !paths.some((path) => path.includes('.'))) return;
  const sorted = paths.map((path) => `${path}.`).sort();
  const clash = sorted.find((path, at) => at > 0 && path.startsWith(sorted[at - 1]!));
  if (clash === undefined) return;
  throw new Fault('INTERNAL_ERROR', `The update changes ${clash.slice(0, -1)} twice.`, {
    hint: 'Put each path, and no parent of it, into one operator.',
  });
}

/** Drops undefined fields at the top of each operator, then empty operators, for both stores alike. */
export function withoutUndefined(update: Record<string, PlainObject>): Record<string, PlainObject> {
  const result: Record<string, PlainObject> = {};
  for (const [operator, changes] of Object.entries(update)) {
    const defined = Object.entries(changes).filter(([, operand]) => operand !== undefined);
    if (defined.length > 0) result[operator] = Object.fromEntries(defined);
  }
  return result;
}

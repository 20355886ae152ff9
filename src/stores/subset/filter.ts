// The subset of filters that both stores support with equal results; everything else is refused.
import { Fault } from '../../kernel/fault.ts';
import { checkValue, isFieldName, isPlainObject, type PlainObject, rank, rankOf } from './values.ts';

/** A programming mistake: an operator or form outside the subset. */
export function unsupported(what: string): Fault {
  return new Fault('INTERNAL_ERROR', `${what} is outside the subset of MongoDB that the stores support.`, {
    hint: 'The subset is typed in src/ports/db.ts.',
  });
}

const pattern = /^\^?(?:[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|/])*\$?$/su;

/** Refuses a filter outside the subset: Fault INTERNAL_ERROR (operators) or VALIDATION_FAILED (values). */
export function checkFilter(filter: unknown): asserts filter is PlainObject {
  if (!isPlainObject(filter)) throw unsupported('A filter that is not an object');
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' || key === '$or') checkBranches(key, condition);
    else if (key.startsWith('$')) throw unsupported(`The operator ${key}`);
    else {
      checkPath(key);
      checkCondition(key, condition);
    }
  }
}

function checkBranches(operator: string, branches: unknown): void {
  if (!Array.isArray(branches) || branches.length === 0) throw unsupported(`${operator} without branches`);
  for (const branch of branches) checkFilter(branch);
}

/** Whether a condition is `{$operator: …}` and not a value to equal. */
export function isOperators(condition: unknown): condition is PlainObject {
  if (!isPlainObject(condition)) return false;
  for (const key in condition) return key.startsWith('$');
  return false;
}

export function checkPath(path: string): void {
  if (isFieldName(path)) return;
  const parts = path.split('.');
  if (parts.every((part) => part !== '' && part !== '__proto__' && !part.startsWith('$') && !part.includes('\0')))
    return;
  throw unsupported(`The path ${JSON.stringify(path)}`);
}

function checkCondition(path: string, condition: unknown): void {
  if (condition === undefined) throw unsupported(`The value undefined for ${path} in a filter`);
  if (!isOperators(condition)) {
    checkValue(condition, path);
    return;
  }
  for (const [operator, operand] of Object.entries(condition)) checkOperator(path, operator, operand, condition);
}

function checkOperator(path: string, operator: string, operand: unknown, siblings: PlainObject): void {
  if (operand === undefined) throw unsupported(`The value undefined for ${operator} of ${path}`);
  switch (operator) {
    case '$eq':
    case '$ne':
      checkValue(operand, path);
      return;
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      checkScalar(path, operator, operand);
      return;
    case '$in':
    case '$nin':
      if (!Array.isArray(operand)) throw unsupported(`${operator} without an array`);
      checkValue(operand, path);
      return;
    case '$exists':
      if (typeof operand !== 'boolean') throw unsupported('$exists without a boolean');
      return;
    case '$elemMatch':
      checkElement(path, operand);
      return;
    case '$regex':
      checkRegex(operand);
      return;
    case '$options':
      if ((operand === '' || operand === 'i') && '$regex' in siblings) return;
      throw unsupported(`$options ${JSON.stringify(operand)}`);
    default:
      throw unsupported(`The operator ${operator}`);
  }
}

function checkScalar(path: string, operator: string, operand: unknown): void {
  checkValue(operand, path);
  const type = rankOf(operand);
  if (type === rank.object || type === rank.array) throw unsupported(`${operator} with an object or array`);
}

function checkElement(path: string, operand: unknown): void {
  if (!isPlainObject(operand)) throw unsupported('$elemMatch without an object');
  if (!isOperators(operand) || '$and' in operand || '$or' in operand) {
    checkFilter(operand);
    return;
  }
  checkCondition(path, operand);
}

function checkRegex(operand: unknown): void {
  if (typeof operand !== 'string' || !pattern.test(operand)) {
    throw unsupported(`The pattern ${JSON.stringify(operand)} (only literal text, ^ before it and $ after it)`);
  }
}

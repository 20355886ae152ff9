// Filters as predicates over documents, with MongoDB's rules for arrays, null and missing fields.
import { literalMatcher } from '../../kernel/patterns.ts';
import { isOperators } from '../subset/filter.ts';
import { compareValues, equalValues, isPlainObject, type PlainObject, rankOf } from '../subset/values.ts';
import { someAt } from './paths.ts';

export type Predicate = (value: unknown) => boolean;

const always: Predicate = () => true;

/** A predicate for a filter that `checkFilter` has let pass. */
export function compileFilter(filter: PlainObject): Predicate {
  const tests: Predicate[] = [];
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and') tests.push(...(condition as PlainObject[]).map(compileFilter));
    else if (key === '$or') tests.push(anyOf((condition as PlainObject[]).map(compileFilter)));
    else tests.push(...compileCondition(key.split('.'), condition));
  }
  return allOf(tests);
}

function allOf(tests: readonly Predicate[]): Predicate {
  if (tests.length <= 1) return tests[0] ?? always;
  return (value) => tests.every((test) => test(value));
}

function anyOf(tests: readonly Predicate[]): Predicate {
  return (value) => tests.some((test) => test(value));
}

function compileCondition(parts: readonly string[], condition: unknown): Predicate[] {
  if (!isOperators(condition)) return [at(parts, equals(condition))];
  return Object.entries(condition)
    .filter(([operator]) => operator !== '$options')
    .map(([operator, operand]) => compileOperator(parts, operator, operand, condition));
}

function at(parts: readonly string[], test: Predicate): Predicate {
  if (parts.length === 0) return test;
  return (value) => someAt(value, parts, test);
}

function not(test: Predicate): Predicate {
  return (value) => !test(value);
}

function compileOperator(parts: readonly string[], operator: string, operand: unknown, all: PlainObject): Predicate {
  switch (operator) {
    case '$eq':
      return at(parts, equals(operand));
    case '$ne':
      return not(at(parts, equals(operand)));
    case '$in':
      return at(parts, oneOf(operand as unknown[]));
    case '$nin':
      return not(at(parts, oneOf(operand as unknown[])));
    case '$exists': {
      const exists = at(parts, (value) => value !== undefined);
      return operand ? exists : not(exists);
    }
    case '$regex': {
      const matches = literalMatcher(operand as string, all.$options === 'i');
      return at(parts, (value) => typeof value === 'string' && matches(value));
    }
    case '$elemMatch': {
      const element = compileElement(operand as PlainObject);
      return (value) => someAt(value, parts, (array) => Array.isArray(array) && array.some(element), false);
    }
    default:
      return at(parts, ordered(operator, operand));
  }
}

function equals(operand: unknown): Predicate {
  if (operand === null) return (value) => value === null || value === undefined;
  return (value) => equalValues(value, operand);
}

function oneOf(operands: readonly unknown[]): Predicate {
  const simple = new Set(operands.filter((operand) => typeof operand === 'string' || typeof operand === 'number'));
  const others = operands.filter((operand) => !simple.has(operand as string)).map(equals);
  return (value) => simple.has(value as string) || others.some((test) => test(value));
}

/** Order within the operand's type; values of other types never match. */
function ordered(operator: string, operand: unknown): Predicate {
  const type = rankOf(operand);
  const compare = (test: (difference: number) => boolean): Predicate => {
    return (value) => rankOf(value) === type && test(compareValues(value, operand));
  };
  switch (operator) {
    case '$gt':
      return compare((difference) => difference > 0);
    case '$gte':
      return compare((difference) => difference >= 0);
    case '$lt':
      return compare((difference) => difference < 0);
    case '$lte':
      return compare((difference) => difference <= 0);
    default:
      throw new Error(`${operator} has no predicate`);
  }
}

/** `$elemMatch` and the condition form of `$pull`: operators against the element itself, or a filter on its fields. */
export function compileElement(operand: PlainObject): Predicate {
  if (isOperators(operand) && !('$and' in operand) && !('$or' in operand)) return allOf(compileCondition([], operand));
  const matches = compileFilter(operand);
  return (element) => isPlainObject(element) && matches(element);
}

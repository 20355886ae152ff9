// Chooses the index that a read walks. SQLite has no statistics of the columns: it expects an equal tenant to be as
// selective as an equal run.
import { isOperators } from '../subset/filter.ts';
import { compareValues, equalValues, isPlainObject, type PlainObject, rank, rankOf } from '../subset/values.ts';
import { compileFilter } from './matcher.ts';

/** A usable index: its columns in order, and the filter of its documents. */
export interface UsableIndex {
  /** Quoted. */
  sqlName: string;
  keys: readonly { path: string; direction: 1 | -1; plain: boolean }[];
  unique: boolean;
  partial: { column: string; filter: PlainObject } | null;
}

export interface Choice {
  index: UsableIndex;
  /** Selectivity of its conditions; from 1 on few documents match. */
  strength: number;
  /** Whether it gives the requested order. */
  ordered: boolean;
  /** Column with several requested values, before the columns that give the order. */
  branches: { path: string; values: readonly unknown[] } | null;
}

type Sorts = readonly [path: string, direction: 1 | -1][];

/** Conditions of a filter by path, all of which must hold. */
export type Facts = ReadonlyMap<string, readonly [operator: string, operand: unknown][]>;

export function factsOf(filter: PlainObject): Facts {
  const facts = new Map<string, [string, unknown][]>();
  const add = (path: string, operator: string, operand: unknown) => {
    const known = facts.get(path);
    if (known) known.push([operator, operand]);
    else facts.set(path, [[operator, operand]]);
  };
  const collect = (part: PlainObject): void => {
    for (const [path, condition] of Object.entries(part)) {
      if (path === '$and') (condition as PlainObject[]).forEach(collect);
      else if (path.startsWith('$')) continue;
      else if (!isOperators(condition)) add(path, '$eq', condition);
      else for (const [operator, operand] of Object.entries(condition)) add(path, operator, operand);
    }
  };
  collect(filter);
  return facts;
}

/** Whether every match of a filter is in a partial index. */
export function implies(facts: Facts, partial: PlainObject): boolean {
  return Object.entries(partial).every(([path, condition]) => {
    if (path === '$or') return (condition as PlainObject[]).some((branch) => implies(facts, branch));
    const known = facts.get(path) ?? [];
    if (!isOperators(condition)) return isImplied(known, '$eq', condition);
    return Object.entries(condition).every(([operator, operand]) => isImplied(known, operator, operand));
  });
}

function isImplied(known: readonly [string, unknown][], operator: string, operand: unknown): boolean {
  return known.some(([said, value]) => {
    if (said === operator && equalValues(value, operand)) return true;
    if (said === '$eq') return holds(operator, operand, value);
    if (said === '$in') return (value as unknown[]).every((one) => holds(operator, operand, one));
    if (operator === '$exists') return operand === true && isRange(said) && value !== null;
    if (!isRange(said) || !isRange(operator) || said[1] !== operator[1] || rankOf(value) !== rankOf(operand))
      return false;
    const difference = compareValues(value, operand) * (operator[1] === 'g' ? 1 : -1);
    return difference > 0 || (difference === 0 && (said === operator || operator.endsWith('e')));
  });
}

const isRange = (operator: string) => /^\$[gl]te?$/.test(operator);

function holds(operator: string, operand: unknown, value: unknown): boolean {
  if (value === null || rankOf(value) === rank.array) return false;
  return compileFilter({ value: { [operator]: operand } })({ value });
}

/** Conditions on the tenant, and on missing fields, select most documents: they hardly narrow. */
const weightOf = (path: string, operand?: unknown) => (path === 'tenantId' || operand === null ? 0.1 : 1);
/** Largest number of branches that are read side by side. */
const maxBranches = 16;

/**
 * The best index for a filter and an order: the one that the most conditions narrow, and of several such the one whose
 * order is asked for. `ordered` is the best of those in order, if that is another one. Null when none is of use.
 */
export function chooseIndex(
  facts: Facts,
  sorts: Sorts,
  indexes: readonly UsableIndex[],
): { best: Choice; ordered: Choice | null } | null {
  let best: Choice | null = null;
  let inOrder: Choice | null = null;
  for (const index of indexes) {
    const scored = score(facts, sorts, index);
    if (!scored) continue;
    if (!best || isBetter(scored, best)) best = scored;
    if (scored.ordered && (!inOrder || isBetter(scored, inOrder))) inOrder = scored;
  }
  if (!best) return null;
  return { best, ordered: inOrder && inOrder.index !== best.index ? inOrder : null };
}

function isBetter(one: Choice, other: Choice): boolean {
  if (one.strength !== other.strength) return one.strength > other.strength;
  return one.ordered && !other.ordered;
}

function score(facts: Facts, sorts: Sorts, index: UsableIndex): Choice | null {
  if (index.partial && !implies(facts, index.partial.filter)) return null;
  let strength = index.partial ? 1 : 0;
  let at = 0;
  let branches: Choice['branches'] = null;
  for (; at < index.keys.length; at++) {
    const { path, plain } = index.keys[at]!;
    const known = facts.get(path);
    if (!known || !plain) break;
    if (isFixed(facts, path)) {
      strength += weightOf(path, known.find(([operator]) => operator === '$eq')![1]);
      continue;
    }
    const list = known.find(([operator]) => operator === '$in')?.[1] as unknown[] | undefined;
    if (!list || branches || list.some((one) => rankOf(one) === rank.array)) break;
    strength += 0.9 * weightOf(path);
    // Conditions on `_id` name few documents: sorting those is cheap.
    branches = path === '_id' ? null : { path, values: list };
  }
  if (index.unique && at === index.keys.length) strength += 10;
  const next = index.keys[at];
  if (next?.plain && facts.get(next.path)?.some(([operator]) => isRange(operator))) strength += 0.05;
  const ordered = givesOrder(facts, sorts, index, at);
  if (strength === 0 && !ordered) return null;
  if (branches && (!ordered || sorts.length === 0 || branches.values.length > maxBranches)) {
    return { index, ordered: sorts.length === 0, branches: null, strength };
  }
  return { index, ordered, branches, strength };
}

/** Whether the columns after the first `from` are in the order asked for, or in its reverse. */
function givesOrder(facts: Facts, sorts: Sorts, index: UsableIndex, from: number): boolean {
  const wanted = sorts.filter(([path]) => !isFixed(facts, path));
  const turn = wanted[0] && index.keys[from] ? wanted[0][1] * index.keys[from].direction : 1;
  return wanted.every(([path, direction], at) => {
    const key = index.keys[from + at];
    return key?.plain && key.path === path && direction * key.direction === turn;
  });
}

/** Whether all matches have the same value at a path. */
const isFixed = (facts: Facts, path: string) =>
  facts.get(path)?.some(([operator, operand]) => operator === '$eq' && rankOf(operand) !== rank.array) ?? false;

/** Whether no two matches are equal in an order, so that it needs no tie-break. */
export function isUniqueOrder(facts: Facts, sorts: Sorts, indexes: readonly UsableIndex[]): boolean {
  const decided = (path: string) => isFixed(facts, path) || sorts.some(([sorted]) => sorted === path);
  return indexes.some(({ unique, partial, keys }) => unique && !partial && keys.every(({ path }) => decided(path)));
}

/** The filter that a partial index stands for, where it is one condition that a query may repeat. */
export const sameCondition = (filter: PlainObject, path: string, condition: unknown): boolean => {
  const paths = Object.keys(filter);
  return paths.length === 1 && paths[0] === path && equalConditions(filter[path], condition);
};

function equalConditions(a: unknown, b: unknown): boolean {
  if (isPlainObject(a) && isPlainObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && equalValues(a[key], b[key]));
  }
  return equalValues(a, b);
}

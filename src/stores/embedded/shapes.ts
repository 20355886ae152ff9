// Cache of plans by the shape of a query: queries that differ in their values alone share a plan.
import { isOperators } from '../subset/filter.ts';
import { type PlainObject, rank, rankOf } from '../subset/values.ts';
import type { UsableIndex } from './chooser.ts';
import { compileFilter, type Predicate } from './matcher.ts';

/** Size of a collection's cache in shapes; programs have few different queries. */
const kept = 300;
/** Lists longer than this share one shape. */
const longList = 17;

/** A query whose plan is asked for; `limited` when it wants the first matches only. */
interface Asked {
  filter: PlainObject;
  sort: unknown;
  limited: boolean;
}

/**
 * Caches the plan of a shape while the indexes stay the same. Filters with alternatives have no shape and are planned
 * each time.
 */
export function createShapes<Plan>(indexesNow: () => readonly UsableIndex[]) {
  const plans = new Map<string, Plan>();
  let indexes: readonly UsableIndex[] | null = null;
  let telling: Telling = new Map();
  return function planOf(asked: Asked, make: () => Plan): Plan {
    const now = indexesNow();
    if (indexes !== now || plans.size >= kept) plans.clear();
    if (indexes !== now) telling = tellingOf(now);
    indexes = now;
    const shape = shapeOf(asked, telling);
    if (shape === null) return make();
    let plan = plans.get(shape);
    if (plan === undefined) {
      plan = make();
      plans.set(shape, plan);
    }
    return plan;
  };
}

/** Conditions of partial indexes, by the paths that they are on. */
type Telling = ReadonlyMap<string, readonly Predicate[]>;

function tellingOf(indexes: readonly UsableIndex[]): Telling {
  const telling = new Map<string, Predicate[]>();
  const collect = (filter: PlainObject): void => {
    for (const [path, condition] of Object.entries(filter)) {
      if (path.startsWith('$')) (condition as PlainObject[]).forEach(collect);
      else telling.set(path, [...(telling.get(path) ?? []), compileFilter({ value: condition })]);
    }
  };
  for (const { partial } of indexes) if (partial) collect(partial.filter);
  return telling;
}

/**
 * Parts of a query that its plan depends on: paths, operators, types of values, and at `telling` paths what decides
 * whether a document is in a partial index. Null for filters with alternatives.
 */
function shapeOf({ filter, sort, limited }: Asked, telling: Telling): string | null {
  let shape = limited ? `${JSON.stringify(sort)}!` : `${JSON.stringify(sort)} `;
  for (const path in filter) {
    if (path.startsWith('$')) return null;
    const condition = filter[path];
    const told = telling.get(path);
    if (!isOperators(condition)) {
      shape += `${path}=${valueShape(condition, false)}`;
      // A value itself would make each of many ids a shape of its own.
      for (const meets of told ?? []) shape += meets({ value: condition }) ? '+' : '-';
      shape += ';';
      continue;
    }
    for (const [operator, operand] of Object.entries(condition)) {
      if (operator === '$elemMatch') return null;
      // An upper bound alone makes no document a member of a partial index.
      const value = operator.startsWith('$lt') ? false : told !== undefined;
      shape += `${path}${operator}${valueShape(operand, value)};`;
    }
  }
  return shape;
}

function valueShape(value: unknown, isTelling: boolean): string {
  if (isTelling || typeof value === 'boolean') return JSON.stringify(value) ?? '';
  if (!Array.isArray(value)) return String(rankOf(value));
  return `[${Math.min(value.length, longList)}${value.some((one) => rankOf(one) === rank.array) ? '!' : ''}`;
}

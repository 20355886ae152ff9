// Filters as SQL over the key columns. What SQL can't say exactly it widens: the matcher then has the last word.
import { isOperators } from '../subset/filter.ts';
import { isPlainObject, type PlainObject, rank, rankOf } from '../subset/values.ts';
import { afterPrefix, boundsOf, type Key, keyOf, nullKey } from './keys.ts';
import { soughtText } from './texts.ts';

/** A condition that holds for every match, and `exact` when for nothing else. An empty `sql` is no condition. */
export interface Where {
  sql: string;
  params: Key[];
  exact: boolean;
}

/** How a path is stored; null when it has no key column. */
export interface Column {
  name: string;
  /** Where the elements of arrays are, if the path has ever reached one: a table and the slot in it. */
  elements: { table: string; slot: number } | null;
}

export type Columns = (path: string) => Column | null;
/** The column that says whether a document meets a condition, for conditions that are kept as such. */
export type Members = (path: string, condition: unknown) => string | null;

const anything: Where = { sql: '', params: [], exact: false };
/** SQL of a condition that no document meets. */
export const nothing: Where = { sql: '0', params: [], exact: true };

/** The column of a path's folded text, where there is one. */
export type Texts = (path: string) => string | null;

/** Plans a filter that `checkFilter` has let pass. */
export function planFilter(
  filter: PlainObject,
  columns: Columns,
  members: Members = () => null,
  texts: Texts = () => null,
): Where {
  const parts: Where[] = [];
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and')
      parts.push(...(condition as PlainObject[]).map((branch) => planFilter(branch, columns, members, texts)));
    else if (key === '$or')
      parts.push(planOr((condition as PlainObject[]).map((one) => planFilter(one, columns, members, texts))));
    else {
      const member = columns(key) ? null : members(key, condition);
      const column = texts(key);
      const text = column && soughtText(condition);
      if (text) parts.push({ sql: `instr(${column}, ?) > 0`, params: [text], exact: true });
      else if (member) parts.push({ sql: `${member} = 1`, params: [], exact: true });
      else parts.push(...planCondition(key, condition, columns));
    }
  }
  return and(parts);
}

function and(parts: readonly Where[]): Where {
  if (parts.includes(nothing)) return nothing;
  const said = parts.filter((part) => part.sql !== '');
  return {
    sql: said.map((part) => part.sql).join(' AND '),
    params: said.flatMap((part) => part.params),
    exact: parts.every((part) => part.exact),
  };
}

function planOr(all: readonly Where[]): Where {
  const branches = all.filter((branch) => branch !== nothing);
  if (branches.length === 0) return nothing;
  if (branches.some((branch) => branch.sql === '')) return { ...anything, exact: branches.every(isEverything) };
  return {
    sql: `(${branches.map((branch) => `(${branch.sql})`).join(' OR ')})`,
    params: branches.flatMap((branch) => branch.params),
    exact: branches.every((branch) => branch.exact),
  };
}

const isEverything = (where: Where) => where.sql === '' && where.exact;

function planCondition(path: string, condition: unknown, columns: Columns): Where[] {
  const column = columns(path);
  if (!isOperators(condition)) return [column ? compare(column, '$eq', condition, condition) : anything];
  return Object.entries(condition)
    .filter(([operator]) => operator !== '$options')
    .map(([operator, operand]) => {
      if (operator === '$elemMatch') return planElement(path, operand as PlainObject, columns);
      return column ? compare(column, operator, operand, condition) : anything;
    });
}

/** Each field of a matching element is reached by the longer path too. */
function planElement(path: string, operand: PlainObject, columns: Columns): Where {
  const inner = isOperators(operand)
    ? { [path]: operand }
    : Object.fromEntries(Object.entries(operand).map(([key, condition]) => [`${path}.${key}`, condition]));
  if ('$and' in operand || '$or' in operand) return anything;
  return { ...planFilter(inner, (key) => positive(columns(key))), exact: false };
}

/** A path that reached arrays is looked up in the side table; without one the condition stays open. */
const positive = (column: Column | null) => (column?.elements ? column : null);

function compare(column: Column, operator: string, operand: unknown, all: unknown): Where {
  const plain = test(column.name, operator, operand, all as PlainObject);
  if (!column.elements || plain.sql === '') return plain;
  if (operator === '$ne' || operator === '$nin') return anything;
  const { table, slot } = column.elements;
  const element = test('key', operator, operand, {});
  return {
    sql: `(${plain.sql} OR id IN (SELECT id FROM ${table} WHERE slot = ${slot} AND ${element.sql}))`,
    params: [...plain.params, ...element.params],
    exact: false,
  };
}

function test(name: string, operator: string, operand: unknown, all: PlainObject): Where {
  switch (operator) {
    case '$eq':
      return rankOf(operand) === rank.array ? anything : one(`${name} = ?`, keyOf(operand));
    case '$ne':
      return rankOf(operand) === rank.array ? anything : one(`${name} <> ?`, keyOf(operand));
    case '$in':
    case '$nin':
      return among(name, operator === '$in' ? 'IN' : 'NOT IN', operand as unknown[]);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return range(name, operator, operand, all);
    case '$regex':
      return all.$options === 'i' ? anything : startingWith(name, operand as string);
    default:
      return anything;
  }
}

/** SQLite takes 32,766 parameters a statement. */
const maxParams = 10_000;

const one = (sql: string, key: Key): Where => ({ sql, params: [key], exact: true });

function among(name: string, sql: 'IN' | 'NOT IN', operands: readonly unknown[]): Where {
  if (operands.length > maxParams || operands.some((operand) => rankOf(operand) === rank.array)) return anything;
  if (operands.length === 0) return sql === 'IN' ? nothing : { ...anything, exact: true };
  const params = padded(operands.map(keyOf));
  return { sql: `${name} ${sql} (${params.map(() => '?').join()})`, params, exact: true };
}

/** Longest list that is padded. */
const mostPadded = 4096;

/** Keys with the last one repeated up to a power of two, so that lists of many lengths share a few statements. */
function padded(keys: Key[]): Key[] {
  const size = keys.length > mostPadded ? keys.length : 2 ** Math.ceil(Math.log2(keys.length));
  const last = keys.at(-1) as Key;
  while (keys.length < size) keys.push(last);
  return keys;
}

const symbols = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' } as const;

/** A range is closed on its open side by the bounds of its type, unless its other end is given. */
function range(name: string, operator: keyof typeof symbols, operand: unknown, all: PlainObject): Where {
  if (operand === null) return operator.endsWith('e') ? one(`${name} = ?`, nullKey) : nothing;
  const condition = one(`${name} ${symbols[operator]} ?`, keyOf(operand));
  const upward = operator.startsWith('$g');
  const others = upward ? [all.$lt, all.$lte] : [all.$gt, all.$gte];
  if (others.some((other) => other !== undefined && rankOf(other) === rankOf(operand))) return condition;
  const { low, high } = boundsOf(operand);
  return { ...condition, sql: `${condition.sql} AND ${upward ? `${name} < ${high}` : `${name} >= ${low}`}` };
}

function startingWith(name: string, pattern: string): Where {
  if (!pattern.startsWith('^')) return anything;
  const prefix = pattern.slice(1).replace(/\$$/, '').replace(/\\(.)/gsu, '$1').toWellFormed();
  const end = afterPrefix(prefix);
  if (prefix === '' || end === null) return anything;
  return { sql: `${name} >= ? AND ${name} < ?`, params: [prefix, end], exact: false };
}

/** The `_id` that a filter fixes, if it fixes one by equality. */
export function fixedId(filter: PlainObject): unknown {
  const id = filter._id;
  if (id === undefined || id === null) return undefined;
  if (!isOperators(id)) return id;
  return isPlainObject(id) && '$eq' in id && id.$eq !== null ? id.$eq : undefined;
}

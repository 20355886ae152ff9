// Plan of a read: its conditions and order as SQL, and the indexes that it walks.
import { isOperators } from '../subset/filter.ts';
import { sortKeys } from '../subset/read.ts';
import { equalValues, isPlainObject, type PlainObject } from '../subset/values.ts';
import { type Choice, chooseIndex, factsOf, isUniqueOrder } from './chooser.ts';
import type { Select } from './gathered.ts';
import { type Key, keyOf, sameKey } from './keys.ts';
import { compileFilter, type Predicate } from './matcher.ts';
import { nothing, planFilter } from './planner.ts';
import type { Schema } from './schema.ts';
import { createShapes } from './shapes.ts';
import type { Sqlite } from './sqlite.ts';
import { phraseOf, shortestIndexed, textIn, textTableOf } from './texts.ts';

/** Rows that are found by one index. */
export interface Part {
  /** `FROM …`, with the index that is walked where one was chosen. */
  from: string;
  /** ` WHERE …`, or nothing. */
  where: string;
  params: Key[];
  /** Condition of this part alone, where parts overlap. */
  own?: { sql: string; params: Key[] };
}

export interface ReadPlan {
  /** Parts, each in order; a row may be in several where `overlap`. Empty where nothing can match. */
  parts: Part[];
  overlap: boolean;
  /** Predicate on the rows; null when SQL is exact. */
  matches: Predicate | null;
  /** Columns of the order; null when the rows must be sorted here. */
  order: Order | null;
  /** The order as it was asked for. */
  keys: Sorts;
  /** SQL of the first documents, where the plans of a shape share it. */
  select?: string | null;
}

export type Order = { column: string; direction: 1 | -1 }[];
type Sorts = [path: string, direction: 1 | -1][];

/** What the plans of the filters of one shape share: the values at these paths are its parameters. */
interface Template {
  from: string;
  where: string;
  paths: readonly string[];
  /** SQL of the first documents; null where SQL alone does not order them. */
  select: string | null;
}

interface Chosen {
  keys: Sorts;
  order: Order | null;
  sorts: Sorts;
  choices: ReturnType<typeof chooseIndex>;
  hasElements: boolean;
  hasText: boolean;
  /** Null where each filter needs a plan of its own; undefined until one was planned. */
  template?: Template | null;
}

export interface Planner {
  /** `limited` reads want the first matches only. */
  plan(filter: PlainObject, sort: unknown, limited: boolean): ReadPlan;
  /** SQL for the first documents, with its parameters before the limit; null where SQL alone does not find them. */
  select(filter: PlainObject, sort: unknown): Select | null;
}

/** Largest number of matches that are sorted rather than found by walking an order. */
const fewMatches = 1000;

/** Plans reads of a collection. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions that share statements, which are prepared once.
export function createPlanner(sqlite: Sqlite, schema: Schema): Planner {
  const columns = (path: string) => schema.column(path);
  const members = (path: string, condition: unknown) => schema.member(path, condition);
  const texts = (path: string) => schema.textColumn(path);
  const { documents } = schema;
  const planOf = createShapes<Chosen>(() => schema.indexes);

  return { plan, select: (filter, sort) => selectOf(plan(filter, sort, true)) };

  function plan(asked: PlainObject, sort: unknown, limited: boolean): ReadPlan {
    const filter = flat(asked);
    const chosen = planOf({ filter, sort, limited }, () => choose(filter, sort));
    const { template, keys, order } = chosen;
    if (template) {
      const { from, where, paths, select } = template;
      const part = { from, where, params: paths.map((path) => keyOf(filter[path])) };
      return { overlap: false, matches: null, order, keys, parts: [part], select };
    }
    const planned = planAnew(filter, chosen, limited);
    if (template === undefined) chosen.template = templateOf(filter, planned, chosen);
    return planned;
  }

  function planAnew(filter: PlainObject, chosen: Chosen, limited: boolean): ReadPlan {
    const { keys, order, sorts, choices } = chosen;
    const said = planFilter(filter, columns, members, texts);
    const matches = said.exact ? null : compileFilter(filter);
    const base = { overlap: false, matches, order, keys };
    if (said === nothing) return { ...base, parts: [] };
    const all: Part = {
      from: `FROM ${documents}`,
      where: said.sql === '' ? '' : ` WHERE ${said.sql}`,
      params: said.params,
    };
    if (chosen.hasElements) return { ...base, parts: [all] };
    const rare = chosen.hasText ? withText(filter, all) : null;
    if (rare) return { ...base, parts: [rare] };
    for (const branches of alternativesIn(filter)) {
      const parts = alternativesOf(filter, branches, all, sorts);
      if (parts) return { ...base, overlap: true, parts };
    }
    return { ...base, parts: walk(filter, all, choices, limited) };
  }

  /** Choice that all queries of a shape share. */
  function choose(filter: PlainObject, sort: unknown): Chosen {
    const keys = sortKeys(sort);
    const facts = factsOf(filter);
    // Keys after a unique combination change nothing.
    const decisive = keys.findIndex((_, at) => isUniqueOrder(facts, keys.slice(0, at + 1), schema.indexes));
    const tied = keys.length === 0 ? keys : decisive < 0 ? withTie(keys) : keys.slice(0, decisive + 1);
    const order = orderOf(tied);
    const sorts = order === null ? [] : tied;
    const paths = Object.keys(filter);
    return {
      keys,
      order,
      sorts,
      choices: chooseIndex(facts, sorts, schema.indexes),
      hasElements: paths.some((path) => columns(path)?.elements),
      hasText: paths.some((path) => schema.textColumn(path) !== null),
    };
  }

  /** One part for each branch of an `$or` whose branches are all selective; else null. */
  function alternativesOf(
    filter: PlainObject,
    branches: readonly PlainObject[],
    all: Part,
    sorts: Sorts,
  ): Part[] | null {
    const parts: Part[] = [];
    for (const branch of branches) {
      const choice = chooseIndex(factsOf({ $and: [filter, branch] }), sorts, schema.indexes);
      if (!choice || choice.best.strength < 1) return null;
      const said = planFilter(branch, columns, members, texts);
      // A condition that SQL cannot express narrows nothing: every part would read and sort all rows.
      if (said.sql === '') return null;
      if (said !== nothing) parts.push(walking(all, choice.best, said));
    }
    return parts;
  }

  /** The documents that hold a text, where they are few; null when they are many, which walking an order finds soon. */
  function withText(filter: PlainObject, all: Part): Part | null {
    const sought = textIn(filter, (path) => schema.textColumn(path) !== null);
    if (!sought || [...sought.text].length < shortestIndexed) return null;
    const table = textTableOf(schema.name, schema.textColumn(sought.path)!);
    const phrase = phraseOf(sought.text);
    const part = {
      from: `FROM ${documents} NOT INDEXED /* few */`,
      where: `${all.where} AND rowid IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`,
      params: [...all.params, phrase],
    };
    return isFew({ from: `FROM ${table}`, where: ` WHERE ${table} MATCH ?`, params: [phrase] }) ? part : null;
  }

  function walk(filter: PlainObject, all: Part, choices: Chosen['choices'], limited: boolean): Part[] {
    if (!choices) return [all];
    const { best, ordered } = choices;
    if (best.ordered || !ordered || !limited) return branchesOf(filter, all, best);
    if (!needsCount(choices)) return branchesOf(filter, all, ordered);
    const first = walking(all, best);
    if (isFew(first)) return [{ ...first, from: `${first.from} /* few */` }];
    return branchesOf(filter, all, ordered).map((part) => ({ ...part, from: `${part.from} /* many */` }));
  }

  /** Several values of a column before those of the order: one part a value, each in order. */
  function branchesOf(filter: PlainObject, all: Part, choice: Choice): Part[] {
    const { branches } = choice;
    const condition = branches && filter[branches.path];
    if (!branches || !isPlainObject(condition) || Object.keys(condition).length > 1) return [walking(all, choice)];
    return distinct(condition.$in as unknown[]).map((value) => {
      const { sql, params } = planFilter({ ...filter, [branches.path]: value }, columns, members, texts);
      return walking({ ...all, where: ` WHERE ${sql}`, params }, choice);
    });
  }

  /** The rows that meet the conditions of `all` and of `more`, along an index. */
  function walking(all: Part, { index }: Choice, more?: { sql: string; params: Key[] }): Part {
    const conditions = [all.where.slice(' WHERE '.length), more?.sql ?? ''];
    if (index.partial) conditions.push(`${index.partial.column} = 1`);
    const where = conditions.filter(Boolean).join(' AND ');
    return {
      from: `FROM ${documents} INDEXED BY ${index.sqlName}`,
      where: where === '' ? '' : ` WHERE ${where}`,
      params: more ? [...all.params, ...more.params] : all.params,
      ...(more && { own: { sql: more.sql, params: more.params } }),
    };
  }

  function isFew({ from, where, params }: Part): boolean {
    const [found] = sqlite.get(`SELECT count(*) FROM (SELECT 1 ${from}${where} LIMIT ${fewMatches + 1})`, params)!;
    return (found as number) <= fewMatches;
  }

  function orderOf(keys: Sorts): Order | null {
    const order: Order = [];
    for (const [path, direction] of keys) {
      const column = columns(path);
      if (!column || column.elements) return null;
      order.push({ column: column.name, direction });
    }
    return order;
  }
}

/** Whether the better of the two indexes depends on how many documents match. */
const needsCount = ({ best, ordered }: NonNullable<Chosen['choices']>) =>
  !best.ordered && ordered !== null && best.strength > ordered.strength;

/** Whether each condition of a filter names one value, which its column equals. */
function hasOnlyValues(filter: PlainObject): boolean {
  for (const path in filter) if (path.startsWith('$') || isOperators(filter[path])) return false;
  return true;
}

/** The template of a filter's plan; null where another filter of its shape may have another plan. */
function templateOf(filter: PlainObject, planned: ReadPlan, { choices }: Chosen): Template | null {
  const { matches, parts } = planned;
  const [part] = parts;
  if (matches || !part || parts.length > 1 || !hasOnlyValues(filter)) return null;
  if (choices && needsCount(choices)) return null;
  const { from, where, params } = part;
  const paths = Object.keys(filter);
  const inTurn = params.length === paths.length && paths.every((path, at) => sameKey(params[at]!, keyOf(filter[path])));
  return inTurn ? { from, where, paths, select: selectOf(planned)?.sql ?? null } : null;
}

/** SQL for the first documents of what it finds and orders by itself, in one part; else null. */
function selectOf({ matches, order, parts, select }: ReadPlan): Select | null {
  const [part] = parts;
  if (matches || order === null || !part || parts.length > 1) return null;
  return { sql: select ?? `SELECT doc ${part.from}${part.where}${orderBy(order)} LIMIT ?`, params: part.params };
}

export function orderBy(order: Order): string {
  const terms = order.map(({ column, direction }) => (direction < 0 ? `${column} DESC` : column));
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join()}`;
}

/** Condition of the rows after a given one, in an order whose columns have one direction; null for other orders. */
export function seekAfter(order: Order): string | null {
  const [first] = order;
  if (order.some(({ direction }) => direction !== first!.direction)) return null;
  const columns = order.map(({ column }) => column).join();
  return `(${columns}) ${first!.direction < 0 ? '<' : '>'} (${order.map(() => '?').join()})`;
}

/** Conditions without the bound at the start of an order: the key that a read continues from is beyond it. */
export function withoutBound(where: string, [first]: Order): string {
  const bound = new RegExp(`(?<![\\w+])${first!.column} (${first!.direction < 0 ? '<' : '>'}=?) `, 'g');
  return where.replace(bound, `+${first!.column} $1 `);
}

/** The alternatives of which a document must meet one, each `$or` by itself. */
function alternativesIn({ $or, $and }: PlainObject): PlainObject[][] {
  const inner = (($and as PlainObject[] | undefined) ?? []).flatMap(alternativesIn);
  return $or ? [$or as PlainObject[], ...inner] : inner;
}

/** The same filter without `$and` where that says each thing of another path. */
export function flat(filter: PlainObject): PlainObject {
  if (!('$and' in filter)) return filter;
  const { $and, ...all } = filter;
  for (const part of ($and as PlainObject[]).map(flat)) {
    if (Object.keys(part).some((key) => key in all)) return filter;
    Object.assign(all, part);
  }
  return all;
}

/** Ties are broken by `_id`, so that pages don't overlap. */
function withTie(keys: Sorts): Sorts {
  return keys.some(([path]) => path === '_id') ? keys : [...keys, ['_id', keys.at(-1)![1]]];
}

function distinct(values: readonly unknown[]): unknown[] {
  return values.filter((value, at) => values.findIndex((other) => equalValues(other, value)) === at);
}

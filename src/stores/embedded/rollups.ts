// Counts and sums of a collection by what its documents have in common and when they were made, kept in tables of their
// own.
//
// A write costs nothing for them: a new or changed document is marked as not rolled up, and counted by itself. Those
// that are not new any more are rolled up some hundreds at once; one that changes afterwards is taken out again by a
// trigger.
import type { Rollup } from '../../ports/db.ts';
import { isOperators } from '../subset/filter.ts';
import { isPlainObject, type PlainObject } from '../subset/values.ts';
import { encodeFilter } from './codec.ts';
import { type Key, nullKey } from './keys.ts';
import { planFilter } from './planner.ts';
import { flat } from './read-plan.ts';
import { fold, newIndexOf, type RollupLayout } from './rollup-layout.ts';
import { fraction, total, whole } from './rollup-sums.ts';
import type { Schema } from './schema.ts';
import type { Sqlite } from './sqlite.ts';

/** Newest documents that are not rolled up, since they change most; and how many more are rolled up at once. */
const left = 400;
const step = 400;
const countsKept = 100;

export interface GroupRow {
  key: PlainObject;
  count: number;
  sums: Map<string, number>;
}

export interface Rollups {
  /** Counts and sums of the matches for each combination of some paths; null when no roll-up knows them. */
  group(filter: PlainObject, by: readonly string[], sums: readonly string[]): GroupRow[] | null;
  /** How many match; null when no roll-up knows it. */
  count(filter: PlainObject): number | null;
  /** Whether enough documents wait to be rolled up. Called with each new document. */
  isDue(): boolean;
  /** Called when a document is inserted or removed, or a counted field changes. */
  changed(): void;
  /** Rolls up documents that are not among the newest any more. Inside a write. */
  fold(): void;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions that share statements, which are prepared once.
export function createRollups(sqlite: Sqlite, schema: Schema): Rollups {
  const { documents } = schema;
  let written = 0;
  /** Counts since the last change, cached for lists that are read repeatedly. */
  const counts = new Map<string, number>();
  let { rollbacks } = sqlite;

  function group(filter: PlainObject, by: readonly string[], sums: readonly string[]): GroupRow[] | null {
    const known = schema.rollups.filter(({ rollup }) => knows(rollup, filter, by, sums));
    if (known.length === 0) return null;
    // SQLite has no plan for a named index where nothing can match.
    if (Object.values(filter).some(isOneOfNone)) return [];
    const { path } = known[0]!.rollup.per;
    const { [path]: time, ...classes } = filter;
    const rows = new Map<string, GroupRow>();
    const add = (found: readonly (readonly unknown[])[]) => {
      for (const row of found) addRow(rows, row, by, sums);
    };
    /** Adds whole buckets of the longest kind; the ends of the range from shorter ones; the rest from documents. */
    const collect = ([layout, ...shorter]: readonly RollupLayout[], within: unknown): void => {
      if (!layout) {
        add(fromDocuments({ ...classes, [path]: within }, by, sums));
        return;
      }
      const { inner, edges } = wholeBuckets(layout.rollup, classes, rangeOf(within));
      if (inner) {
        add(fromTable(layout, classes, inner, by, sums));
        add(fromNew(layout, classes, inner, by, sums));
      }
      for (const edge of edges) collect(shorter, edge);
    };
    collect(smallestOfEach(known), time);
    return [...rows.values()];
  }

  /** Whole buckets of a range, and its parts before and after them. */
  function wholeBuckets({ per }: Rollup, classes: PlainObject, { from, to }: Range) {
    const isNone = (condition: PlainObject) => {
      const { sql, params } = planFilter({ ...tenantOf(classes), [per.path]: condition }, (path) =>
        schema.column(path),
      );
      return !sqlite.get(`SELECT 1 FROM ${documents} WHERE ${sql} LIMIT 1`, params);
    };
    const at = (value: Time) => (value instanceof Date ? value.getTime() : value);
    const like = (value: Time, ms: number): Time => (value instanceof Date ? new Date(ms) : ms);
    const inner: Whole = {};
    const isWhole = (value: Time) => at(value) % per.ms === 0;
    if (from !== undefined && (isWhole(from) || !isNone({ $lt: from })))
      inner.from = Math.ceil(at(from) / per.ms) * per.ms;
    if (to !== undefined && (isWhole(to) || !isNone({ $gte: to }))) inner.to = Math.floor(at(to) / per.ms) * per.ms;
    if (inner.from !== undefined && inner.to !== undefined && inner.from >= inner.to)
      return { inner: null, edges: [{ $gte: from, $lt: to }] };
    const edges: PlainObject[] = [];
    if (from !== undefined && inner.from !== undefined && at(from) < inner.from)
      edges.push({ $gte: from, $lt: like(from, inner.from) });
    if (to !== undefined && inner.to !== undefined && inner.to < at(to))
      edges.push({ $gte: like(to, inner.to), $lt: to });
    return { inner, edges };
  }

  function fromTable(
    { rollup, table }: RollupLayout,
    classes: PlainObject,
    inner: Whole,
    by: readonly string[],
    sums: readonly string[],
  ) {
    const name = (path: string) => `g${rollup.by.indexOf(path)}`;
    const { sql, params } = planFilter(classes, (path) => ({ name: name(path), elements: null }));
    const totals = sums.map((path) => total(`s${rollup.sums.indexOf(path)}`, `f${rollup.sums.indexOf(path)}`));
    const within = bucketConditions('bucket', inner);
    const conditions = [sql, ...within.sql].filter(Boolean).join(' AND ');
    const columns = [...by.map(name), 'sum(n)', ...totals].join();
    return sqlite.all(
      `SELECT ${columns} FROM ${table}${conditions && ` WHERE ${conditions}`}${groupBy(by.map(name))}`,
      [...params, ...within.params],
    );
  }

  function fromNew(
    { columns }: RollupLayout,
    classes: PlainObject,
    inner: Whole,
    by: readonly string[],
    sums: readonly string[],
  ) {
    const { sql, params } = planFilter(classes, (path) => schema.column(path));
    const within = bucketConditions(columns.bucket, inner);
    const conditions = [sql, ...within.sql, 'rolled IS NULL'].filter(Boolean).join(' AND ');
    const from = `${documents} INDEXED BY ${newIndexOf(schema.name)} WHERE ${conditions}`;
    return grouped(from, [...params, ...within.params], by, sums);
  }

  function fromDocuments(filter: PlainObject, by: readonly string[], sums: readonly string[]) {
    const { sql, params } = planFilter(filter, (path) => schema.column(path));
    return grouped(`${documents} WHERE ${sql}`, params, by, sums);
  }

  function grouped(from: string, params: Key[], by: readonly string[], sums: readonly string[]) {
    const column = (path: string) => schema.column(path)!.name;
    const totals = sums.map((path) => total(whole(column(path)), fraction(column(path))));
    return sqlite.all(
      `SELECT ${[...by.map(column), 'count(*)', ...totals].join()} FROM ${from}${groupBy(by.map(column))}`,
      params,
    );
  }

  return {
    group,
    count(filter) {
      if (schema.rollups.length === 0) return null;
      if (rollbacks !== sqlite.rollbacks || counts.size >= countsKept) counts.clear();
      rollbacks = sqlite.rollbacks;
      const asked = encodeFilter(filter);
      const known = counts.get(asked);
      if (known !== undefined) return known;
      const rows = group(filter, [], []);
      if (!rows) return null;
      const count = rows.reduce((sum, row) => sum + row.count, 0);
      counts.set(asked, count);
      return count;
    },
    changed: () => counts.clear(),
    isDue: () => schema.rollups.length > 0 && ++written % step === 0,
    fold() {
      if (schema.rollups.length === 0) return;
      const newest = sqlite.get(`SELECT max(rowid) FROM ${documents}`)?.[0] as number | null;
      if (newest === null || newest === undefined) return;
      sqlite.atomic(() => fold(sqlite, schema, schema.rollups, newest - left));
    },
  };
}

/** Of the roll-ups with buckets of one length the first, which is the smallest; the longest buckets first. */
function smallestOfEach(layouts: readonly RollupLayout[]): RollupLayout[] {
  const lengths = [...new Set(layouts.map(({ rollup }) => rollup.per.ms))].sort((a, b) => b - a);
  return lengths.map((ms) => layouts.find(({ rollup }) => rollup.per.ms === ms)!);
}

const isOneOfNone = (condition: unknown): boolean => {
  const { $in } = (condition ?? {}) as { $in?: unknown };
  return Array.isArray($in) && $in.length === 0;
};

type Time = number | Date;
interface Range {
  from?: Time | undefined;
  to?: Time | undefined;
}
interface Whole {
  from?: number;
  to?: number;
}

const groupBy = (columns: readonly string[]) => (columns.length === 0 ? '' : ` GROUP BY ${columns.join()}`);
const tenantOf = ({ tenantId }: PlainObject): PlainObject => (tenantId === undefined ? {} : { tenantId });

function bucketConditions(column: string, { from, to }: Whole): { sql: string[]; params: Key[] } {
  const sql = [...(from === undefined ? [] : [`${column} >= ?`]), ...(to === undefined ? [] : [`${column} < ?`])];
  return { sql, params: [from, to].filter((at) => at !== undefined) };
}

/** Whether a roll-up has all fields of a query. */
function knows({ per, by, sums }: Rollup, filter: PlainObject, wanted: readonly string[], added: readonly string[]) {
  if (![...wanted].every((path) => by.includes(path)) || !added.every((path) => sums.includes(path))) return false;
  return Object.entries(filter).every(([path, condition]) => {
    if (path === per.path) return isRange(condition);
    return by.includes(path) && planFilter({ [path]: condition }, anyColumn).exact;
  });
}

const anyColumn = () => ({ name: 'any', elements: null });

/** Only from (inclusive) and to (exclusive). */
const isRange = (condition: unknown) =>
  isPlainObject(condition) &&
  isOperators(condition) &&
  Object.entries(condition).every(
    ([operator, value]) =>
      (operator === '$gte' || operator === '$lt') && (typeof value === 'number' || value instanceof Date),
  );

const rangeOf = (condition: unknown): Range => {
  const { $gte: from, $lt: to } = (condition ?? {}) as { $gte?: Time; $lt?: Time };
  return { from, to };
};

function addRow(rows: Map<string, GroupRow>, row: readonly unknown[], by: readonly string[], sums: readonly string[]) {
  const count = (row[by.length] as number | null) ?? 0;
  if (count === 0) return;
  let text = '';
  for (let at = 0; at < by.length; at++) text += `${typeof row[at]} ${row[at]}\n`;
  let known = rows.get(text);
  if (!known) {
    const key = Object.fromEntries(by.map((path, at) => [path, valueOfKey(row[at] as Key)]));
    known = { key, count: 0, sums: new Map(sums.map((path) => [path, 0])) };
    rows.set(text, known);
  }
  known.count += count;
  for (const [at, path] of sums.entries()) {
    known.sums.set(path, known.sums.get(path)! + ((row[by.length + 1 + at] as number | null) ?? 0));
  }
}

/** The value of a class's key: a number, a text, or null. */
const valueOfKey = (key: Key): unknown => (key === nullKey ? null : key);

/** What a `$group` after a `$match` answers, where roll-ups know it; else null. */
export function groupFromRollups(
  rollups: Rollups,
  match: PlainObject,
  stage: PlainObject | undefined,
): PlainObject[] | null {
  const { _id: id, ...fields } = (stage?.$group ?? {}) as PlainObject;
  if (!isPlainObject(id) || !Object.values(id).every(isPath)) return null;
  const keys = Object.entries(id).map(([name, path]) => [name, (path as string).slice(1)] as const);
  const sums: string[] = [];
  for (const accumulator of Object.values(fields) as PlainObject[]) {
    if ('$count' in accumulator) continue;
    if (!isPath(accumulator.$sum)) return null;
    sums.push((accumulator.$sum as string).slice(1));
  }
  const rows = rollups.group(flat(match), [...new Set(keys.map(([, path]) => path))], [...new Set(sums)]);
  return (
    rows?.map(({ key, count, sums: totals }) => ({
      _id: Object.fromEntries(keys.map(([name, path]) => [name, key[path]])),
      ...Object.fromEntries(
        Object.entries(fields as Record<string, PlainObject>).map(([name, { $sum }]) => [
          name,
          $sum === undefined ? count : totals.get(($sum as string).slice(1)),
        ]),
      ),
    })) ?? null
  );
}

const isPath = (expression: unknown) => typeof expression === 'string' && expression.startsWith('$');

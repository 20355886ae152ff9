// Reading one collection: SQL narrows, orders and cuts as far as it can; JavaScript does the rest.
import { checkFilter } from '../subset/filter.ts';
import { checkCount } from '../subset/read.ts';
import type { PlainObject } from '../subset/values.ts';
import { decodeDocument, jsonOf } from './codec.ts';
import { type Gathered, joinedSql } from './gathered.ts';
import { type Key, keyOf, nullKey } from './keys.ts';
import { createMade, type FromText, type Make } from './made.ts';
import { compileFilter } from './matcher.ts';
import { fixedId } from './planner.ts';
import { sortDocuments } from './projector.ts';
import { createPlanner, flat, orderBy, type Part, type ReadPlan, seekAfter, withoutBound } from './read-plan.ts';
import type { Found, Recent } from './recent.ts';
import type { Rollups } from './rollups.ts';
import type { Schema } from './schema.ts';
import type { Sqlite } from './sqlite.ts';
import type { TextCounts } from './text-counts.ts';
import { phraseOf, shortestIndexed, textIn, textTableOf } from './texts.ts';

export interface Query {
  filter: PlainObject;
  sort: unknown;
  skip: number;
  /** 0 means all. */
  limit: number;
}

const firstChunk = 64;
const largestChunk = 1024;
const walkChunk = 128;
/** Rows that may be skipped one by one; beyond them a page may be read from the end. */
const farSkip = 1000;
/** Documents that are read as one text: one value is taken from SQLite sooner than many. */
const mostJoined = 1000;

export interface Reader {
  find(query: Query): Found[];
  /** The same documents, which may be read in one statement with others (`gathered.ts`). */
  documents(query: Query): PlainObject[] | Promise<PlainObject[]>;
  /** The same documents as the text of a JSON array. */
  json(query: Query): string | Promise<string>;
  /** Results of `fromText`, else of `make` for each document; those of an unchanged page may come from a cache. */
  made(query: Query, make: Make, fromText?: FromText): object[];
  /**
   * The same documents, a few at a time: what was there when the walk began, as it is when its turn comes. Holds row
   * numbers in memory, not documents, unless they must be sorted here.
   */
  walk(query: Query): Iterable<PlainObject>;
  /** Fields of the matches from columns alone; null where a field has no column or is missing in a document. */
  fields(query: Query, paths: readonly string[]): PlainObject[] | null;
  /** The first match. */
  first(filter: unknown, sort?: unknown): Found | null;
  /** The first match, not copied, for a change. */
  toChange(filter: PlainObject): Found | null;
  count(filter: unknown): number;
}

interface Beside {
  recent: Recent;
  rollups: Rollups;
  textCounts: TextCounts;
  gathered: Gathered;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions that share statements, which are prepared once.
export function createReader(sqlite: Sqlite, schema: Schema, beside: Beside): Reader {
  const { recent, rollups, textCounts, gathered } = beside;
  const selectById = `SELECT doc FROM ${schema.documents} WHERE id = ?`;
  const selectByNumbers = `SELECT doc, rowid FROM ${schema.documents} WHERE rowid IN (SELECT value FROM json_each(?))`;
  const { plan, select } = createPlanner(sqlite, schema);

  /** Rows in SQL's order that pass the predicate, read in growing chunks, each from where the last one ended. */
  function* scan(planned: ReadPlan, wanted: number): Iterable<Found> {
    const { matches, order } = planned;
    const passes = (found: Found) => !matches || matches(found.document);
    const after = order && order.length > 0 ? seekAfter(order) : null;
    if (!after) {
      for (const numbers of chunksOf(rowNumbers(planned, 0, 0), firstChunk)) yield* byNumbers(numbers).filter(passes);
      return;
    }
    let last: Key[] = [];
    for (let size = Math.min(firstChunk, wanted); ; size = Math.min(size * 4, largestChunk)) {
      const { sql, params } = selectRows(planned, last.length === 0 ? null : { sql: after, params: last });
      const rows = sqlite.all(`${sql} LIMIT ?`, [...params, size]);
      yield* byNumbers(rows.map(([row]) => row as number)).filter(passes);
      if (rows.length < size) return;
      last = rows.at(-1)!.slice(1) as Key[];
    }
  }

  /** SQL for the numbers of the rows and the columns of their order, from all parts in that order. */
  function selectRows({ parts, order, overlap }: ReadPlan, seek: { sql: string; params: Key[] } | null) {
    const names = (order ?? []).map(({ column }) => `,${column}`).join('');
    const conditionOf = (where: string) => {
      if (!seek) return where;
      return where === '' ? ` WHERE ${seek.sql}` : `${withoutBound(where, order!)} AND ${seek.sql}`;
    };
    const one = ({ from, where }: Part) => `SELECT rowid AS row${names} ${from}${conditionOf(where)}`;
    // Of several parts, columns are named by their places.
    const terms =
      parts.length === 1 ? (order ?? []) : (order ?? []).map((term, at) => ({ ...term, column: `${at + 2}` }));
    return {
      sql: `${parts.map(one).join(overlap ? ' UNION ' : ' UNION ALL ')}${orderBy(terms)}`,
      params: parts.flatMap(({ params }) => (seek ? [...params, ...seek.params] : params)),
    };
  }

  /** The numbers of the rows that SQL finds, in its order. */
  function rowNumbers(planned: ReadPlan, skip: number, limit: number): number[] {
    if (planned.parts.length === 0) return [];
    const { sql, params } = selectRows(planned, null);
    const isCut = limit > 0 || skip > 0;
    const rows = isCut
      ? sqlite.all(`${sql} LIMIT ? OFFSET ?`, [...params, limit > 0 ? limit : -1, skip])
      : sqlite.all(sql, params);
    return rows.map(([row]) => row as number);
  }

  /** A page of the second half, read from the end; null for other pages, or where the count is unknown. */
  function readFromEnd(filter: PlainObject, planned: ReadPlan, skip: number, limit: number): string[] | null {
    if (limit === 0 || skip < farSkip) return null;
    const count = rollups.count(flat(filter));
    if (count === null || skip < count / 2) return null;
    const size = Math.min(limit, count - skip);
    if (size <= 0) return [];
    const order = planned.order!.map(({ column, direction }) => ({ column, direction: -direction as 1 | -1 }));
    return textsByNumbers(rowNumbers({ ...planned, order }, count - skip - size, size).reverse());
  }

  function readExactly(planned: ReadPlan, skip: number, limit: number): string[] {
    const [part] = planned.parts;
    if (planned.parts.length !== 1 || skip > farSkip) return textsByNumbers(rowNumbers(planned, skip, limit));
    const cut = limit > 0 ? ` LIMIT ?${skip > 0 ? ' OFFSET ?' : ''}` : skip > 0 ? ' LIMIT -1 OFFSET ?' : '';
    const sql = `SELECT doc ${part!.from}${part!.where}${orderBy(planned.order ?? [])}${cut}`;
    const counts = [limit, skip].filter((count) => count > 0);
    return sqlite.all(sql, [...part!.params, ...counts]).map(([text]) => text as string);
  }

  /** Document by id. One whose columns do not match is not read, so that a mismatch takes as long as a missing document. */
  function byId(id: unknown, filter: PlainObject): Found | null {
    let sql = selectById;
    const params = [keyOf(id)];
    for (const path in filter) {
      const value = filter[path];
      const isPlain = path !== '_id' && (typeof value === 'number' || typeof value === 'string');
      const column = isPlain ? schema.column(path) : null;
      if (!column || column.elements) continue;
      sql += ` AND ${column.name} = ?`;
      params.push(keyOf(value));
    }
    const row = sqlite.get(sql, params);
    return row ? ifMatching(decoded(row[0] as string), filter) : null;
  }

  const first: Reader['first'] = (filter, sort) =>
    find({ filter: filter as PlainObject, sort, skip: 0, limit: 1 })[0] ?? null;

  function find({ filter, sort, skip, limit }: Query): Found[] {
    checkFilter(filter);
    checkCount('skip', skip);
    checkCount('limit', limit);
    const id = fixedId(filter);
    if (id !== undefined) {
      const found = byId(id, filter);
      return found && skip === 0 ? [found] : [];
    }
    return findPlanned(plan(filter, sort, limit > 0), { filter, skip, limit });
  }

  function findPlanned(planned: ReadPlan, { filter, skip, limit }: Omit<Query, 'sort'>): Found[] {
    const texts = textsOf(planned, { filter, skip, limit });
    if (texts) return texts.map(decoded);
    const end = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
    if (planned.order !== null) return take(scan(planned, end), end).slice(skip);
    return sorted(take(scan(planned, Number.POSITIVE_INFINITY)), planned.keys).slice(skip, end);
  }

  function documents(query: Query): PlainObject[] | Promise<PlainObject[]> {
    const { filter, sort, skip, limit } = query;
    checkFilter(filter);
    const id = fixedId(filter);
    if (id !== undefined) {
      const asked = skip === 0 ? gathered.ask({ sql: selectById, params: [keyOf(id)] }) : null;
      if (!asked) return documentsOf(find(query));
      return asked.then((text) => {
        const found = text === null ? null : ifMatching(decoded(text), filter);
        return found ? [found.document] : [];
      });
    }
    checkCount('skip', skip);
    checkCount('limit', limit);
    const texts = joined(query);
    if (texts === undefined) return documentsOf(findPlanned(plan(filter, sort, limit > 0), query));
    return texts instanceof Promise ? texts.then(decodedAll) : decodedAll(texts);
  }

  function json(query: Query): string | Promise<string> {
    const texts = fixedId(query.filter) === undefined ? joined(query) : undefined;
    if (texts === undefined)
      return jsonOf(
        find(query)
          .map(({ text }) => text)
          .join(),
      );
    return texts instanceof Promise ? texts.then(jsonOf) : jsonOf(texts);
  }

  /** Texts of the first documents, joined by commas; null for none, undefined where SQL alone does not find them. */
  function joined({ filter, sort, skip, limit }: Query): Promise<string | null> | string | null | undefined {
    const found = limit > 0 && limit <= mostJoined && skip === 0 ? select(filter, sort) : null;
    if (!found) return undefined;
    const params = [...found.params, limit];
    const texts = gathered.ask({ sql: found.sql, params });
    if (texts) return texts;
    const sql = limit === 1 ? found.sql : `SELECT ${joinedSql(found.sql)}`;
    return (sqlite.get(sql, params)?.[0] ?? null) as string | null;
  }

  /** The texts of what SQL finds and orders by itself; else null. */
  function textsOf(planned: ReadPlan, { filter, skip, limit }: Omit<Query, 'sort'>) {
    if (planned.matches || planned.order === null) return null;
    return readFromEnd(filter, planned, skip, limit) ?? readExactly(planned, skip, limit);
  }

  const madeOf = createMade();
  const made: Reader['made'] = (query, make, fromText) => {
    const { filter, sort, skip, limit } = query;
    checkFilter(filter);
    checkCount('skip', skip);
    checkCount('limit', limit);
    const texts = fixedId(filter) === undefined ? textsOf(plan(filter, sort, limit > 0), query) : null;
    return texts
      ? madeOf(JSON.stringify(query), texts, make, fromText)
      : find(query).map(({ document }) => make(document));
  };

  function* walk(query: Query): Iterable<PlainObject> {
    const { filter, sort, skip, limit } = query;
    checkFilter(filter);
    const planned = plan(filter, sort, false);
    if (planned.order === null || (limit > 0 && skip + limit <= walkChunk)) {
      for (const { document } of find(query)) yield document;
      return;
    }
    const matches = compileFilter(filter);
    let seen = 0;
    for (const numbers of numbersInTurn(planned)) {
      for (const { document } of byNumbers(numbers)) {
        if (!matches(document)) continue;
        seen++;
        if (seen > skip) yield document;
        if (limit > 0 && seen === skip + limit) return;
      }
    }
  }

  /**
   * The rows that are there now, some at a time, each from where the last ones ended; one that moves meanwhile comes
   * once.
   */
  function* numbersInTurn(planned: ReadPlan): Iterable<number[]> {
    const after = planned.order && planned.order.length > 0 ? seekAfter(planned.order) : null;
    if (!after || planned.parts.length === 0) {
      yield* chunksOf(rowNumbers(planned, 0, 0), walkChunk);
      return;
    }
    const newest = Number(sqlite.get(`SELECT max(rowid) FROM ${schema.documents}`)?.[0] ?? 0);
    const come = new Set<number>();
    for (let last: Key[] = []; ; ) {
      const { sql, params } = selectRows(planned, last.length === 0 ? null : { sql: after, params: last });
      const rows = sqlite.all(`${sql} LIMIT ?`, [...params, walkChunk]);
      const numbers = rows.map(([row]) => row as number).filter((row) => row <= newest && !come.has(row));
      for (const number of numbers) come.add(number);
      yield numbers;
      if (rows.length < walkChunk) return;
      last = rows.at(-1)!.slice(1) as Key[];
    }
  }

  function textsByNumbers(numbers: readonly number[]): string[] {
    if (numbers.length === 0) return [];
    const rows = sqlite.all(selectByNumbers, [JSON.stringify(numbers)]);
    const found = new Map(rows.map(([text, row]) => [row as number, text as string]));
    return numbers.flatMap((row) => found.get(row) ?? []);
  }

  const byNumbers = (numbers: readonly number[]) => textsByNumbers(numbers).map(decoded);

  /** Number of documents that hold a text, where the filter has no other condition; else null. */
  function countText(filter: PlainObject): number | null {
    const sought = textIn(filter, (path) => schema.textColumn(path) !== null);
    if (!sought || [...sought.text].length < shortestIndexed) return null;
    const { [sought.path]: _, ...others } = filter;
    const all = rollups.count({});
    if (all === null || rollups.count(others) !== all) return null;
    const column = schema.textColumn(sought.path)!;
    const table = textTableOf(schema.name, column);
    const phrase = phraseOf(sought.text);
    return textCounts.of(
      column,
      sought.text,
      () => sqlite.get(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`, [phrase])![0] as number,
    );
  }

  /** Number of rows of a part that are in none of the parts before it. */
  function countPart({ from, where, params }: Part, before: readonly Part[]): number {
    const others = before.flatMap(({ own }) => own ?? []);
    const conditions = [where.slice(' WHERE '.length), ...others.map(({ sql }) => `(${sql}) IS NOT TRUE`)];
    const all = conditions.filter(Boolean).join(' AND ');
    const sql = `SELECT count(*) ${from}${all && ` WHERE ${all}`}`;
    return sqlite.get(sql, [...params, ...others.flatMap((one) => one.params)])![0] as number;
  }

  const fields: Reader['fields'] = ({ filter, sort, skip, limit }, paths) => {
    checkFilter(filter);
    const sure = schema.rollups.flatMap(({ rollup }) => [...rollup.by, rollup.per.path]);
    if (fixedId(filter) !== undefined || !paths.every((path) => sure.includes(path))) return null;
    const { matches, order, parts } = plan(filter, sort, limit > 0);
    const [part] = parts;
    if (matches || order === null || parts.length !== 1 || !part) return null;
    const columns = ['id', ...paths.map((path) => schema.column(path)!.name)].join();
    const sql = `SELECT ${columns} ${part.from}${part.where}${orderBy(order)} LIMIT ? OFFSET ?`;
    const rows = sqlite.all(sql, [...part.params, limit > 0 ? limit : -1, skip]) as Key[][];
    if (rows.some((row) => row.some((key) => typeof key === 'object'))) return null;
    const names = ['_id', ...paths];
    return rows.map((row) => Object.fromEntries(row.map((key, at) => [names[at]!, key === nullKey ? null : key])));
  };

  return {
    find,
    documents,
    json,
    made,
    fields,
    walk,
    first,
    toChange(filter) {
      const id = fixedId(filter);
      const known = id === undefined ? undefined : recent.get(keyOf(id));
      return known ? ifMatching(known, filter) : first(filter);
    },
    count(filter) {
      checkFilter(filter);
      const known = rollups.count(flat(filter as PlainObject));
      if (known !== null) return known;
      const said = countText(flat(filter as PlainObject));
      if (said !== null) return said;
      const planned = plan(filter as PlainObject, undefined, false);
      if (planned.parts.length === 0) return 0;
      if (planned.matches) {
        // SQL knows some of the conditions only, so that each document is read. `query-plans.test.ts` looks for these.
        const parts = planned.parts.map((part) => ({ ...part, from: `${part.from} /* each counted */` }));
        let count = 0;
        for (const _ of scan({ ...planned, parts }, Number.POSITIVE_INFINITY)) count++;
        return count;
      }
      return planned.parts.reduce((sum, part, at) => sum + countPart(part, planned.parts.slice(0, at)), 0);
    },
  };
}

function* chunksOf<T>(list: readonly T[], size: number): Iterable<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

function take<T>(all: Iterable<T>, count = Number.POSITIVE_INFINITY): T[] {
  const taken: T[] = [];
  for (const one of all) if (taken.push(one) >= count) break;
  return taken;
}

/** Documents of texts that are joined by commas. */
const decodedAll = (texts: string | null | undefined): PlainObject[] => (texts ? decodeDocument(`[${texts}]`) : []);

export const documentsOf = (found: readonly Found[]) => found.map(({ document }) => document);

const decoded = (text: string): Found => ({ document: decodeDocument<PlainObject>(text), text });

function ifMatching(found: Found, filter: PlainObject): Found | null {
  return isOnlyId(filter) || compileFilter(filter)(found.document) ? found : null;
}

function isOnlyId(filter: PlainObject): boolean {
  for (const key in filter) if (key !== '_id') return false;
  return typeof filter._id !== 'object';
}

function sorted(found: Found[], keys: [string, 1 | -1][]): Found[] {
  const byDocument = new Map(found.map((one) => [one.document, one]));
  const tie: [string, 1 | -1][] = [...keys, ['_id', keys.at(-1)![1]]];
  return sortDocuments([...byDocument.keys()], tie).map((document) => byDocument.get(document)!);
}

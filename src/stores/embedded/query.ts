// Reading one collection: SQL narrows, orders and cuts as far as it can; JavaScript does the rest.
import { checkFilter } from '../subset/filter.ts';
import { checkCount, sortKeys } from '../subset/read.ts';
import type { PlainObject } from '../subset/values.ts';
import { decodeDocument } from './codec.ts';
import { type Key, keyOf } from './keys.ts';
import { compileFilter, type Predicate } from './matcher.ts';
import { fixedId, planFilter } from './planner.ts';
import { sortDocuments } from './projector.ts';
import type { Found, Recent } from './recent.ts';
import type { Schema } from './schema.ts';
import type { Row, Sqlite } from './sqlite.ts';

export interface Query {
  filter: PlainObject;
  sort: unknown;
  skip: number;
  /** 0 means all. */
  limit: number;
}

interface Plan {
  where: string;
  params: Key[];
  /** What the rows must still pass; null when SQL says it all. */
  matches: Predicate | null;
  /** `ORDER BY …`; null when the rows must be sorted here. */
  order: string | null;
  keys: [string, 1 | -1][];
}

const firstChunk = 128;
const largestChunk = 4096;
const walkChunk = 256;

export interface Reader {
  find(query: Query): Found[];
  /**
   * The same documents, a few at a time: what was there when the walk began, as it is when its turn comes. Holds row
   * numbers in memory, not documents, unless they must be sorted here.
   */
  walk(query: Query): Iterable<PlainObject>;
  /** The first match. */
  first(filter: unknown, sort?: unknown): Found | null;
  /** The first match, for a change that keeps it to itself. */
  toChange(filter: PlainObject): Found | null;
  count(filter: unknown): number;
}

export function createReader(sqlite: Sqlite, schema: Schema, recent: Recent): Reader {
  const columns = (path: string) => schema.column(path);
  const selectById = `SELECT doc FROM ${schema.documents} WHERE id = ?`;

  function plan(filter: PlainObject, sort: unknown): Plan {
    const where = planFilter(filter, columns);
    const keys = sortKeys(sort);
    return {
      where: where.sql === '' ? '' : ` WHERE ${where.sql}`,
      params: where.params,
      matches: where.exact ? null : compileFilter(filter),
      order: orderBy(keys),
      keys,
    };
  }

  /** Ties are broken by `_id`, so that pages don't overlap. */
  function orderBy(keys: readonly [string, 1 | -1][]): string | null {
    if (keys.length === 0) return '';
    const terms: string[] = [];
    for (const [path, direction] of keys) {
      const column = columns(path);
      if (!column || column.elements) return null;
      terms.push(direction < 0 ? `${column.name} DESC` : column.name);
    }
    if (!keys.some(([path]) => path === '_id')) terms.push(keys.at(-1)![1] < 0 ? 'id DESC' : 'id');
    return ` ORDER BY ${terms.join()}`;
  }

  /** Rows in SQL's order that pass the predicate, read in growing chunks until there are `wanted`. */
  function scan({ where, params, matches, order }: Plan, wanted: number): Found[] {
    const found: Found[] = [];
    const sql = `SELECT doc FROM ${schema.documents}${where}${order ?? ''} LIMIT ? OFFSET ?`;
    let size = Math.min(firstChunk, wanted);
    for (let offset = 0; found.length < wanted; offset += size, size = Math.min(size * 4, largestChunk)) {
      const rows = sqlite.all(sql, [...params, size, offset]);
      for (const row of rows) {
        const one = decode(row);
        if ((!matches || matches(one.document)) && found.push(one) === wanted) break;
      }
      if (rows.length < size) break;
    }
    return found;
  }

  function readExactly({ where, params, order }: Plan, skip: number, limit: number): Found[] {
    const cut = limit > 0 || skip > 0 ? ' LIMIT ? OFFSET ?' : '';
    const rows = sqlite.all(
      `SELECT doc FROM ${schema.documents}${where}${order}${cut}`,
      cut === '' ? params : [...params, limit > 0 ? limit : -1, skip],
    );
    return rows.map(decode);
  }

  function byId(id: unknown, filter: PlainObject): Found | null {
    const row = sqlite.get(selectById, [keyOf(id)]);
    return row ? ifMatching(decode(row), filter) : null;
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
    const planned = plan(filter, sort);
    if (!planned.matches && planned.order !== null) return readExactly(planned, skip, limit);
    const end = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
    if (planned.order !== null) return scan(planned, end).slice(skip);
    return sorted(scan(planned, Number.POSITIVE_INFINITY), planned.keys).slice(skip, end);
  }

  function* walk(query: Query): Iterable<PlainObject> {
    const { filter, sort, skip, limit } = query;
    checkFilter(filter);
    const { where, params, order } = plan(filter, sort);
    if (order === null || (limit > 0 && skip + limit <= walkChunk)) {
      for (const { document } of find(query)) yield document;
      return;
    }
    const numbers = sqlite
      .all(`SELECT rowid FROM ${schema.documents}${where}${order}`, params)
      .map(([row]) => row as number);
    const matches = compileFilter(filter);
    let seen = 0;
    for (let at = 0; at < numbers.length; at += walkChunk) {
      for (const document of byNumbers(numbers.slice(at, at + walkChunk))) {
        if (!matches(document)) continue;
        seen++;
        if (seen > skip) yield document;
        if (limit > 0 && seen === skip + limit) return;
      }
    }
  }

  function byNumbers(numbers: readonly number[]): PlainObject[] {
    const marks = numbers.map(() => '?').join();
    const rows = sqlite.all(`SELECT rowid, doc FROM ${schema.documents} WHERE rowid IN (${marks})`, numbers);
    const texts = new Map(rows.map(([row, text]) => [row as number, text as string]));
    return numbers.flatMap((row) => (texts.has(row) ? [decodeDocument<PlainObject>(texts.get(row)!)] : []));
  }

  return {
    find,
    walk,
    first,
    toChange(filter) {
      const id = fixedId(filter);
      const known = id === undefined ? undefined : recent.get(keyOf(id));
      return known ? ifMatching(known, filter) : first(filter);
    },
    count(filter) {
      checkFilter(filter);
      const planned = plan(filter, undefined);
      if (planned.matches) return scan(planned, Number.POSITIVE_INFINITY).length;
      return sqlite.get(`SELECT count(*) FROM ${schema.documents}${planned.where}`, planned.params)![0] as number;
    },
  };
}

function decode(row: Row): Found {
  const text = row[0] as string;
  return { document: decodeDocument<PlainObject>(text), text };
}

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

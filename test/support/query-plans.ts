// What SQLite makes of each statement of the store: which of them walk more than they return.
import Database from 'libsql';
import { vi } from 'vitest';

/** Notes every statement that is prepared from now on. */
export function recordStatements(): { statements: Set<string>; stop(): void } {
  const statements = new Set<string>();
  const prepare = Database.prototype.prepare;
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (
    this: Database.Database,
    sql: string,
  ) {
    statements.add(sql);
    return prepare.call(this, sql) as never;
  } as never);
  return { statements, stop: () => spy.mockRestore() };
}

export interface Complaint {
  collection: string;
  /** What is wrong: `starts over` is a read that goes on from a key and walks to it from the beginning. */
  kind: 'scan' | 'sort' | 'walks a tenant' | 'starts over';
  /** The statement with the paths of its columns. */
  sql: string;
  plan: string;
}

type Rows = { all(...params: unknown[]): Record<string, unknown>[] };

/** Reads the plan of every statement on documents, and says what is wrong with some. */
export function judgePlans(file: string, statements: Iterable<string>): Complaint[] {
  const db = new Database(file, { readonly: true });
  try {
    const names = pathsOf(db.prepare('SELECT collection, slot, source FROM rivulet_slots') as unknown as Rows);
    return [...statements].flatMap(partsOf).flatMap((sql) => judge(db, names, sql) ?? []);
  } finally {
    db.close();
  }
}

/** What a statement says of itself whose documents are read one by one, only to be counted. */
export const eachCounted = '/* each counted */';

/** The reads that share a statement, each by itself. */
const partsOf = (sql: string): string[] =>
  sql
    .replaceAll(` ${eachCounted}`, '')
    .replace(/^SELECT (?=\()/, '')
    .split(' /* beside */, ')
    .map((part) => (part.startsWith('(') ? `SELECT ${part}` : part));

function pathsOf(slots: Rows): Map<string, string> {
  return new Map(slots.all().map(({ collection, slot, source }) => [`${collection}.k${slot}`, String(source)]));
}

function judge(db: Database.Database, names: ReadonlyMap<string, string>, sql: string): Complaint | null {
  const collection = /(?:FROM|UPDATE) "d_([^"]+)"/.exec(sql)?.[1];
  if (!collection || !/^(SELECT|UPDATE|DELETE|WITH|INSERT)/.test(sql)) return null;
  const marks = sql.match(/\?/g)?.length ?? 0;
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`) as unknown as Rows;
  const details = rows.all(...Array.from({ length: marks }, () => 1)).map(({ detail }) => String(detail));
  const named = (text: string) => text.replace(/\bk\d+\b/g, (column) => names.get(`${collection}.${column}`) ?? column);
  const plan = details.join('; ');
  const found = (kind: Complaint['kind']): Complaint => ({ collection, kind, sql: named(sql), plan: named(plan) });
  // The store has counted them, or rolls them up before they are many: there are a thousand at most. Or it has counted
  // so many that the first of them come soon in the order that is there.
  if (/\/\* (few|many) \*\//.test(sql) || sql.includes('rolled IS NULL')) return null;
  const sorts = details.some((detail) => detail.includes('TEMP B-TREE FOR ORDER BY'));
  for (const detail of details) {
    const isScan = detail.startsWith(`SCAN d_${collection}`);
    // The first of an order are all that is read.
    if (isScan && (sorts || !/ USING .*INDEX /.test(detail) || !isCut(sql))) return found('scan');
    const narrowed = /\(([^()]*)\)$/.exec(detail)?.[1];
    if (!detail.startsWith(`SEARCH d_${collection} `) || !narrowed) continue;
    if (goesOn.test(sql) && !startsAtKey.test(detail)) return found('starts over');
    const by = named(narrowed);
    if (by === 'tenantId=?' && (!isCut(sql) || narrowsElse(named(sql)))) return found('walks a tenant');
    if (sorts && !references.test(by)) return found('sort');
  }
  return null;
}

/** Rows after a key of several columns. */
const goesOn = /\([\w,]+\) [<>] \(\?(,\?)*\)/;
const startsAtKey = /\bid\)[<>]|\bid[<>]\?/;
const isCut = (sql: string) => / LIMIT (\?|\d+)/.test(sql);

/** What names one thing, to which only so much belongs: it may be sorted. */
const references = /\b(id|runId|parentRunId|rootRunId|sessionId|messageId|threadId|responseId)=\?/;

/** Whether the rows of a tenant are narrowed by something that its index does not know. */
function narrowsElse(sql: string): boolean {
  const conditions = / WHERE (.*?)(?: ORDER BY| LIMIT|$)/.exec(sql)?.[1] ?? '';
  return / (=|IN|<>|<|>|<=|>=) /.test(conditions.replaceAll('tenantId = ?', ''));
}

import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/embedded-db.ts';
import { createChanges } from './changes.ts';
import { planFilter } from './planner.ts';
import { createRecent } from './recent.ts';
import { createRollups } from './rollups.ts';
import { Schema } from './schema.ts';
import { Sqlite } from './sqlite.ts';
import { createTable } from './table.ts';
import { createTextCounts } from './text-counts.ts';

async function setUp() {
  const sqlite = new Sqlite(`${temporaryFolder()}/plans.db`, null);
  onTestFinished(() => sqlite.close());
  sqlite.exec(`CREATE TABLE rivulet_slots (collection, slot, kind, source);
    CREATE TABLE rivulet_indexes (collection, name, spec, PRIMARY KEY (collection, name));
    CREATE TABLE rivulet_rollups (collection, spec)`);
  const schema = new Schema(sqlite, 'runs');
  const table = createTable(sqlite, schema, {
    recent: createRecent(sqlite),
    rollups: createRollups(sqlite, schema),
    changes: createChanges(),
    textCounts: createTextCounts(sqlite),
  });
  await sqlite.write(() => {
    schema.createIndex({ tenantId: 1, createdAt: -1, _id: -1 }, {});
    schema.createIndex({ status: 1 }, {});
    schema.createIndex({ tags: 1 }, {});
    table.insert({ _id: 1, tenantId: 1, createdAt: new Date(), status: 'Running', tags: ['a'] });
  });
  const explain = (filter: Record<string, unknown>, order = '') => {
    const { sql, params } = planFilter(filter, (path) => schema.column(path));
    const where = sql === '' ? '' : ` WHERE ${sql}`;
    const rows = sqlite.all(`EXPLAIN QUERY PLAN SELECT doc FROM ${schema.documents}${where}${order}`, params);
    return rows.map((row) => row[3]).join('; ');
  };
  return { schema, explain };
}

it('reads the newest of a tenant from the index, without sorting', async () => {
  const { explain } = await setUp();
  const plan = explain({ tenantId: 1 }, ' ORDER BY k1 DESC, id DESC LIMIT 20');
  expect(plan).toBe('SEARCH d_runs USING INDEX i_runs.tenantId_1_createdAt_-1__id_-1 (k0=?)');
});

it('reads equality, ranges, lists, prefixes and alternatives from indexes', async () => {
  const { explain } = await setUp();
  expect(explain({ _id: { $in: [1, 2] } })).toMatch(/^SEARCH .*\(id=\?\)$/);
  expect(explain({ status: 'Running' })).toContain('i_runs.status_1 (k2=?)');
  expect(explain({ status: { $regex: '^Run' } })).toContain('(k2>? AND k2<?)');
  expect(explain({ tenantId: 1, createdAt: { $gte: new Date(0), $lt: new Date() } })).toContain(
    '(k0=? AND k1>? AND k1<?)',
  );
  expect(explain({ $or: [{ status: 'Running' }, { tenantId: 1 }] })).toContain('MULTI-INDEX OR');
});

it('finds elements of arrays through the side table', async () => {
  const { explain } = await setUp();
  const plan = explain({ tags: 'a' });
  expect(plan).toContain('MULTI-INDEX OR');
  expect(plan).toContain('e_runs USING PRIMARY KEY (slot=? AND key=?)');
});

it('says when SQL alone decides', async () => {
  const { schema } = await setUp();
  const exact = (filter: Record<string, unknown>) => planFilter(filter, (path) => schema.column(path)).exact;
  expect(exact({ tenantId: 1, status: { $ne: 'Failed' }, createdAt: { $gt: new Date(0) } })).toBe(true);
  expect(exact({ $or: [{ status: 'a' }, { status: null }] })).toBe(true);
  expect(exact({ tags: 'a' })).toBe(false);
  expect(exact({ tenantId: 1, other: 1 })).toBe(false);
  expect(exact({ status: { $exists: true } })).toBe(false);
});

it('shares one statement among lists of nearly the same length', () => {
  const columns = () => ({ name: 'k0', elements: null });
  const said = (length: number) => planFilter({ _id: { $in: Array.from({ length }, (_, at) => at) } }, columns);
  expect(said(3)).toEqual({ sql: 'k0 IN (?,?,?,?)', params: [0, 1, 2, 2], exact: true });
  expect(said(200).sql).toBe(said(256).sql);
  expect(said(9999).params).toHaveLength(9999);
});

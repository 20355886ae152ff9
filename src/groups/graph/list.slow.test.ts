// Lists of entities walk an order that is there, however many identities somebody may act as.
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../test/support/embedded-db.ts';
import { judgePlans, recordStatements } from '../../../test/support/query-plans.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Filter } from '../../ports/db.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { createIds } from '../../stores/ids.ts';
import { type NodeDoc, nodeRecord } from './record.ts';

let stop = () => {};
afterEach(() => stop());

const sorts = ['mentionCount', 'degree', 'importance', 'name', 'createdAtUtc', 'updatedAtUtc'];

it.each([3, 40])('of %i identities', async (identities) => {
  const folder = temporaryFolder();
  const db = openTestDb(folder);
  await db.ensureIndexes([nodeRecord.spec]);
  const ids = [null, ...Array.from({ length: identities }, (_, at) => at + 1)];
  const made = Array.from({ length: 3000 }, (_, at) => ({
    ...{ _id: at + 1, tenantId: 1, identityId: ids[at % ids.length] ?? null, projectId: null, kind: 'Concept' },
    ...{ name: `Node ${(at * 7919) % 3000}`, mentionCount: (at * 31) % 97, degree: at % 11, importance: at % 7 },
    ...{ createdAt: new Date(at * 1000), updatedAt: new Date(at * 500), isFound: true, pending: false },
  }));
  await db.collection(nodeRecord.spec).insertMany(made as unknown as NodeDoc[]);
  const nodes = createKeeper(nodeRecord, { db, ids: createIds({ db }), clock: systemClock });
  const recorded = recordStatements();
  stop = recorded.stop;
  const within = { identityId: { $in: ids } } as Filter<NodeDoc>;
  for (const sort of sorts)
    for (const turn of ['', '-']) {
      const query = { page: 2, pageSize: 50, sort: `${turn}${sort}` };
      const { items, totalCount } = await nodes.page({ tenantId: 1 }, query, { within });
      expect([items.length, totalCount]).toEqual([50, 3000]);
      const values = items.map((one) => one[sort.replace('Utc', '') as 'name']);
      expect(values).toEqual([...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0) * (turn ? -1 : 1)));
    }
  const complaints = judgePlans(join(folder, 'rivulet.db'), recorded.statements);
  expect(complaints.filter(({ kind }) => kind === 'sort' || kind === 'scan')).toEqual([]);
  const reads = [...recorded.statements].filter((sql) => sql.includes('"d_graph_nodes"') && sql.includes('ORDER BY'));
  expect(reads.length).toBeGreaterThan(0);
});

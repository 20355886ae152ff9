// Pages of the list of runs: the same wherever they are read from, and never further from an end than half of the list.
import { expect, test } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { Db, FindOptions } from '../../ports/db.ts';
import { createIds } from '../ids.ts';
import { type RunDocument, runCollections, runs as runSpec } from './collections.ts';
import { createRunStore } from './run-store.ts';

const count = 1700;
const pageSize = 50;

/** The database, which notes how many rows reads of runs skip. */
function notedSkips(db: Db): { db: Db; skips: number[] } {
  const skips: number[] = [];
  const collection: Db['collection'] = (spec) => {
    const found = db.collection(spec);
    if ((typeof spec === 'string' ? spec : spec.name) !== runSpec.name) return found;
    const find: typeof found.find = (filter, options) => {
      skips.push((options as FindOptions<never> | undefined)?.skip ?? 0);
      return found.find(filter, options);
    };
    return Object.assign(Object.create(found), { find });
  };
  return { db: Object.assign(Object.create(db), { collection }), skips };
}

test('pages of the second half are read from the end, and hold what they held', async () => {
  const real = openTestDb();
  await real.ensureIndexes(runCollections);
  const documents = Array.from({ length: count }, (_, at) => ({
    _id: at + 1,
    tenantId: 7,
    rootRunId: at + 1,
    status: at % 5 === 0 ? 'Failed' : 'Completed',
    role: at % 3 === 0 ? 'worker' : 'lead',
    createdAt: 1000 + Math.floor(at / 7),
    tokensUsed: at % 11,
    costUsd: 0,
  }));
  await real.collection(runSpec).insertMany(documents as unknown as RunDocument[]);
  const { db, skips } = notedSkips(real);
  const { runs } = createRunStore({ db, ids: createIds({ db: real }), logger: silentLogger });
  for (const query of [{}, { sort: 'tokensUsed', descending: true }, { sort: 'id' }, { role: 'lead' }] as const) {
    const whole = (await runs.list({ tenantId: 7, ...query, limit: count })).items.map(({ id }) => id);
    skips.length = 0;
    const pages: number[] = [];
    for (let skip = 0; skip < whole.length + pageSize; skip += pageSize) {
      const { items, total } = await runs.list({ tenantId: 7, ...query, skip, limit: pageSize });
      expect(total).toBe(whole.length);
      pages.push(...items.map(({ id }) => id));
    }
    expect(pages).toEqual(whole);
    expect(Math.max(...skips)).toBeLessThanOrEqual(whole.length / 2);
  }
});

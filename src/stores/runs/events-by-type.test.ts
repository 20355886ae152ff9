// Events of some types only: what the index says of the others is all that is read of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { recordStatements } from '../../../test/support/query-plans.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { openEmbeddedDb } from '../embedded/db.ts';
import { createIds } from '../ids.ts';
import { type EventDocument, events, runCollections } from './collections.ts';
import { createRunStore } from './run-store.ts';

test('types are found in one step through the index of their order, and no other document is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-events-'));
  const { statements, stop } = recordStatements();
  try {
    const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
    await db.ensureIndexes(runCollections);
    const { runs } = createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
    const types = ['ToolCallStarted', 'ToolCallCompleted', 'ProgressUpdated'];
    const made = Array.from(
      { length: 300 },
      (_, at) => ({ _id: at + 1, runId: 1, seq: at + 1, type: types[at % 3], level: 'Information' }) as EventDocument,
    );
    await db.collection(events).insertMany(made);
    statements.clear();
    const found = await runs.events(1, { types: ['ProgressUpdated', 'ToolCallStarted'], afterSeq: 10, limit: 4 });
    expect(found.map(({ seq }) => seq)).toEqual([12, 13, 15, 16]);
    const last = await runs.events(1, { types: ['ProgressUpdated', 'RunFailed'], descending: true, limit: 2 });
    expect(last.map(({ seq }) => seq)).toEqual([300, 297]);
    expect(await runs.events(1, { types: ['RunFailed'], limit: 1000 })).toEqual([]);
    await db.close();
    const file = new Database(join(folder, 'rivulet.db'));
    const reads = [...statements].filter((sql) => sql.startsWith('SELECT') && sql.includes('d_agent_events'));
    expect(reads.length).toBeGreaterThan(0);
    for (const sql of reads) {
      expect(sql).toMatch(/WHERE k0 = \? AND .*k2 IN/);
      const params = Array.from(sql.match(/\?/g) ?? [], () => 1);
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { detail: string }[];
      expect(plan.map(({ detail }) => detail).join('; ')).toContain('runId_1_seq_1__id_1_type_1');
      expect(plan.some(({ detail }) => detail.includes('TEMP B-TREE'))).toBe(false);
    }
    file.close();
  } finally {
    stop();
    await rm(folder, { recursive: true, force: true });
  }
});

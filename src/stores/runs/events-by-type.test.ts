// Events of some types only: what is read is what is found, however many others a run has.
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

test('types are found by their index, in one order, and a type that never came walks nothing', async () => {
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
    const byType = new Set(statements);
    // A chunk of all events, as the search in them reads it.
    expect((await runs.events(1, { afterSeq: 100, limit: 2 })).map(({ seq }) => seq)).toEqual([101, 102]);
    await db.close();
    const file = new Database(join(folder, 'rivulet.db'));
    const chunks = new Set([...statements].filter((sql) => !byType.has(sql)));
    expect([...chunks].some((sql) => sql.includes('d_agent_events'))).toBe(true);
    const reads = [...statements].filter((sql) => sql.startsWith('SELECT') && sql.includes('d_agent_events'));
    expect(reads.length).toBeGreaterThan(0);
    for (const sql of reads) {
      const params = Array.from(sql.match(/\?/g) ?? [], () => 1);
      const plan = file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { detail: string }[];
      expect(plan.map(({ detail }) => detail).join('; ')).toContain(
        chunks.has(sql) ? 'runId_1_seq_1' : 'runId_1_type_1_seq_1',
      );
      expect(plan.some(({ detail }) => detail.includes('TEMP B-TREE'))).toBe(false);
    }
    file.close();
  } finally {
    stop();
    await rm(folder, { recursive: true, force: true });
  }
});

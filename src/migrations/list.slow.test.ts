import { expect, it } from 'vitest';
import { runDocument } from '../../bench/growth/documents.ts';
import { callDocuments, feedbackDocument } from '../../bench/growth/documents-around.ts';
import type { Place } from '../../bench/growth/places.ts';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createVault } from '../kernel/vault.ts';
import { callSpec } from '../ports/ai-router.ts';
import type { Entity } from '../ports/db.ts';
import { createIds } from '../stores/ids.ts';
import { migrate } from '../stores/migrations.ts';
import { events, runs } from '../stores/runs/collections.ts';
import { migrationsWith } from './list.ts';
import { oneSpelling, renamed } from './one-spelling.ts';

const vault = createVault({ secret: 'a secret of this test', purpose: 'runs' });
const owner = { tenantId: 1, identityId: 2, userId: 3 };
const place = (id: number): Place => ({ ...owner, id, rootRunId: id, children: [], at: 1_700_000_000_000 });

it('counts in what earlier versions stored what analytics and usage add up', async () => {
  const db = openTestDb();
  const made = [20, 21, 22].map((id) => runDocument(place(id)));
  for (const { ratings: _, ratingSum: _s, ...run } of made) await db.collection(runs).insertOne(run);
  const rated = made[0]!;
  await db.collection<Entity>('agentFeedback').insertMany([1, 2].map((id) => feedbackDocument(rated, id)));
  const calls = made.flatMap((run, at) => callDocuments(run, 1 + 10 * at));
  for (const { fallbacks: _, firstTokens: _f, latencyFloor: _l, ...call } of calls)
    await db.collection<Entity>('aiCalls').insertOne(call);
  await migrate({ db, migrations: migrationsWith(vault), clock: new SimulatedClock(), logger: silentLogger });
  expect(await db.collection(runs).findOne({ _id: 20 })).toMatchObject({ ratings: 2, ratingSum: 10 });
  expect(await db.collection(runs).findOne({ _id: 21 })).not.toHaveProperty('ratings');
  expect(
    await db
      .collection(callSpec)
      .find({}, { sort: { _id: 1 } })
      .toArray(),
  ).toEqual(calls);
});

it('drops the two indexes of events that one has taken the place of', async () => {
  const db = openTestDb();
  const before: typeof events = {
    ...events,
    indexes: [{ keys: { runId: 1, seq: 1 }, unique: true }, { keys: { runId: 1, type: 1, seq: 1 } }],
  };
  const indexes = () =>
    db.file.all("SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB 'i_agent_events*'");
  await db.ensureIndexes([before]);
  expect(indexes()).toHaveLength(2);
  await migrate({ db, migrations: migrationsWith(vault), clock: new SimulatedClock(), logger: silentLogger });
  await db.ensureIndexes([events]);
  expect(indexes()).toEqual([['i_agent_events.runId_1_seq_1__id_1_type_1']]);
});

it('keeps out servers that would misread what this one stores, although nothing has to be changed for it', async () => {
  const migrations = migrationsWith(vault);
  const deps = { db: openTestDb(), clock: new SimulatedClock(), logger: silentLogger };
  await migrate({ ...deps, migrations, isNew: async () => true });
  // Their lists of runs have chunks of 32 items, whatever a run says.
  const before = migrations.slice(0, 6);
  await expect(migrate({ ...deps, migrations: before })).rejects.toThrow(/at version \d+, this program knows 6/);
});

it('gives collections one spelling: their ids go on, and so do requests that a crash cut short', async () => {
  const db = openTestDb();
  for (const [at, name] of Object.keys(renamed).entries())
    await db
      .collection<Entity & { text: string; answer: string }>(name)
      .insertOne({ _id: at, text: name, answer: 'given' });
  const old = createIds({ db });
  const last = await old.next('agentNotes');
  await db
    .collection<Entity & Record<string, unknown>>('idempotencyKeys')
    .insertOne({ _id: 'cut short', ids: { agentNotes: [7], runs: [3] }, answer: null });
  await oneSpelling.up(db);
  await oneSpelling.up(db);
  for (const [at, [from, to]] of Object.entries(renamed).entries()) {
    expect(to).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(await db.collection(to).findOne({ _id: at })).toEqual({ _id: at, text: from, answer: 'given' });
    expect(await db.collection(from).countDocuments()).toBe(0);
  }
  expect(await createIds({ db }).next('agent_notes')).toBeGreaterThan(last);
  expect(await db.collection('idempotency_keys').findOne({ _id: 'cut short' })).toMatchObject({
    ids: { agent_notes: [7], runs: [3] },
  });
});

import { expect, it } from 'vitest';
import { runDocument } from '../../bench/growth/documents.ts';
import { callDocuments, feedbackDocument } from '../../bench/growth/documents-around.ts';
import type { Place } from '../../bench/growth/places.ts';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { feedbackSpec } from '../groups/agent/feedback/feedback.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createVault } from '../kernel/vault.ts';
import { callSpec } from '../ports/ai-router.ts';
import { migrate } from '../stores/migrations.ts';
import { runs } from '../stores/runs/collections.ts';
import { migrationsWith } from './list.ts';

const owner = { tenantId: 1, identityId: 2, userId: 3 };
const place = (id: number): Place => ({ ...owner, id, rootRunId: id, children: [], at: 1_700_000_000_000 });

it('counts in what earlier versions stored what analytics and usage add up', async () => {
  const db = openTestDb();
  const made = [20, 21, 22].map((id) => runDocument(place(id)));
  for (const { ratings: _, ratingSum: _s, ...run } of made) await db.collection(runs).insertOne(run);
  const rated = made[0]!;
  await db.collection(feedbackSpec).insertMany([1, 2].map((id) => feedbackDocument(rated, id)));
  const calls = made.flatMap((run, at) => callDocuments(run, 1 + 10 * at));
  for (const { fallbacks: _, firstTokens: _f, latencyFloor: _l, ...call } of calls)
    await db.collection(callSpec).insertOne(call as (typeof calls)[number]);
  const vault = createVault({ secret: 'a secret of this test', purpose: 'runs' });
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

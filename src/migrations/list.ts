// What changes in stores of earlier versions. Numbered from 1; never renumber or remove one. A server refuses a store with
// a number that it does not know: what it would misread takes a number, also where nothing has to be changed.
import { countRatings, feedbackSpec } from '../groups/agent/feedback/feedback.ts';
import { aboutOf, auditRecord } from '../groups/audit-events/record.ts';
import type { Vault } from '../kernel/vault.ts';
import { callSpec, sumsOfCall } from '../ports/ai-router.ts';
import type { CollectionSpec, Entity } from '../ports/db.ts';
import type { Migration } from '../stores/migrations.ts';
import { events, runs } from '../stores/runs/collections.ts';
import { sealEnvironments } from '../stores/runs/sealed.ts';
import { oneSpelling } from './one-spelling.ts';

/** A collection under the name that it had before migration 4. */
const asOf3 = <T extends Entity>(spec: CollectionSpec<T>, name: string): CollectionSpec<T> => ({ ...spec, name });
const feedbackAsOf3 = asOf3(feedbackSpec, 'agentFeedback');
const callsAsOf3 = asOf3(callSpec, 'aiCalls');

/** Documents that are changed at once. */
const chunk = 500;

/** Runs hold the sums of their ratings, which analytics add up. */
const rateRuns: Migration = {
  number: 2,
  name: 'runs hold the sums of their ratings',
  async up(db) {
    const rated = new Map<number, number>();
    const given = db.collection(feedbackAsOf3).find({}, { projection: { tenantId: 1, runId: 1 }, sort: { _id: 1 } });
    for await (const { tenantId, runId } of given) rated.set(runId, tenantId);
    for (const [runId, tenantId] of rated)
      await countRatings(db, { runs, feedback: feedbackAsOf3 }, { runId, tenantId });
  },
};

/** Recorded calls hold what usage adds up. */
const countCalls: Migration = {
  number: 3,
  name: 'model calls hold what usage adds up',
  async up(db) {
    const calls = db.collection(callsAsOf3);
    for (let last = 0; ; ) {
      const some = await calls.find({ _id: { $gt: last } }, { sort: { _id: 1 }, limit: chunk }).toArray();
      await Promise.all(some.map((call) => calls.updateOne({ _id: call._id }, { $set: sumsOfCall(call) })));
      if (some.length < chunk) return;
      last = some.at(-1)!._id;
    }
  },
};

/** Entries of the audit log hold the text that they are looked for in. */
const nameEntries: Migration = {
  number: 5,
  name: 'audit entries hold the text that they are found by',
  async up(db) {
    const entries = db.collection(auditRecord.spec);
    for (let last = 0; ; ) {
      const some = await entries.find({ _id: { $gt: last } }, { sort: { _id: 1 }, limit: chunk }).toArray();
      await Promise.all(some.map((one) => entries.updateOne({ _id: one._id }, { $set: { about: aboutOf(one) } })));
      if (some.length < chunk) return;
      last = some.at(-1)!._id;
    }
  },
};

/** Events of a type are found in the index of their order, so that each event has one index less to be written into. */
const oneIndexOfEvents: Migration = {
  number: 6,
  name: 'events have one index of their order and type',
  async up(db) {
    for (const name of ['runId_1_seq_1', 'runId_1_type_1_seq_1']) await db.collection(events).dropIndex(name);
  },
};

/** A server that takes every chunk for one of 32 items loses what children of a wide tree have told their parent. */
const smallerChunks: Migration = {
  number: 7,
  name: 'long lists of runs say how many items their chunks have',
  // Lists that say nothing go on as they were.
  up: async () => {},
};

/** A server that looks for events in rows alone shows runs that have ended without them. */
const packedEvents: Migration = {
  number: 8,
  name: 'events of runs that have ended may be packed',
  // Rows stay what they are.
  up: async () => {},
};

const makers: readonly ((vault: Vault) => Migration)[] = [
  sealEnvironments,
  () => rateRuns,
  () => countCalls,
  () => oneSpelling,
  () => nameEntries,
  () => oneIndexOfEvents,
  () => smallerChunks,
  () => packedEvents,
];

/** The number of the last one. */
export const newestMigration = makers.length;

export const migrationsWith = (vault: Vault): readonly Migration[] => makers.map((make) => make(vault));

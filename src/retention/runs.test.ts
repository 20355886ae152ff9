// Runs go with their trees, also where deletions and crashes have left a part of one.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runRecord, treeRecord } from '../../runtime/testing/samples.ts';
import { openWorldDb, type WorldDb } from '../../test/support/embedded-db.ts';
import { auditHeads } from '../groups/audit-events/record.ts';
import { silentLogger } from '../kernel/logger.ts';
import { createSigner } from '../kernel/signer.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createPolicies, policySpec } from '../ports/tenant-policy.ts';
import { createIds } from '../stores/ids.ts';
import * as specs from '../stores/runs/collections.ts';
import { streamCollections } from '../stream/log/db-event-store.ts';
import { dutyCollection } from './duty.ts';
import type { Retention } from './retention.ts';
import { openRetention } from './rules.ts';

const dayMs = 86_400_000;
const forEver = {
  chatsMs: null,
  messagesMs: null,
  callsMs: null,
  activityMs: null,
  ledgersMs: null,
  logMs: null,
};
const runs = () => world.db.collection(specs.runs);
const trees = () => world.db.collection(specs.trees);
let clock: SimulatedClock;
let world: WorldDb;
let retention: Retention;
beforeEach(async () => {
  clock = new SimulatedClock();
  const others = [policySpec, auditHeads, dutyCollection];
  world = await openWorldDb(clock, [...specs.runCollections, ...streamCollections, ...others]);
  const { db } = world;
  retention = openRetention({
    believedTime: async () => clock.now(),
    db,
    clock,
    engine: { remove: async (id) => void (await runs().deleteOne({ _id: id })) },
    config: { kept: { ...forEver, runsMs: 30 * dayMs } },
    log: silentLogger,
    nodeId: 'one',
    policies: createPolicies({ db, clock }),
    ids: createIds({ db }),
    signer: createSigner({ secret: 'a secret of more than thirty-two characters' }),
    declared: [],
    ofRuns: [],
  });
  // The one that it begins with.
  await round();
});
afterEach(async () => {
  await retention.close();
  await world.close();
});

async function round(): Promise<void> {
  let isDone = false;
  const done = retention.run().finally(() => {
    isDone = true;
  });
  // Retention rests between two steps.
  while (!isDone) await clock.advance(20);
  await done;
}

/** A tree whose runs ended `days` days ago, and those of them that are there. */
async function addTree(root: number, days: number, members: readonly number[]): Promise<void> {
  const { id, ...tree } = treeRecord({ id: root });
  await trees().insertOne({ _id: id, ...tree, members: {}, isStopping: false });
  const at = clock.now() - days * dayMs;
  for (const one of members) {
    const place = { rootRunId: root, parentRunId: one === root ? null : root, spawnDepth: one === root ? 0 : 1 };
    const { id: _id, ...run } = runRecord({ id: one, ...place, status: 'Completed', createdAt: at, updatedAt: at });
    await runs().insertOne({ _id, ...run, outbox: null, dirty: false } as specs.RunDocument);
  }
}

const left = async () => ({
  runs: (
    await runs()
      .find({}, { sort: { _id: 1 } })
      .toArray()
  ).map(({ _id }) => _id),
  trees: (
    await trees()
      .find({}, { sort: { _id: 1 } })
      .toArray()
  ).map(({ _id }) => _id),
});

it('removes a tree once all of its runs are old', async () => {
  await addTree(1, 31, [1, 2]);
  await addTree(3, 31, [3]);
  await addTree(4, 29, [4]);
  await runs().updateOne({ _id: 3 }, { $set: { status: 'Paused' } });
  await round();
  expect(await left()).toEqual({ runs: [3, 4], trees: [3, 4] });
});

it('removes old runs whose root was deleted before them', async () => {
  await addTree(1, 31, [2, 3]);
  await addTree(4, 29, [5]);
  await round();
  expect(await left()).toEqual({ runs: [5], trees: [4] });
});

it('removes a tree without runs, unless its root may be about to be stored', async () => {
  await addTree(1, 31, []);
  await addTree(2, 0, []);
  await round();
  expect(await left()).toEqual({ runs: [], trees: [1, 2] });
  await addTree(3, 0, [2]);
  await runs().updateOne({ _id: 2 }, { $set: { rootRunId: 2, parentRunId: null } });
  await round();
  expect(await left()).toEqual({ runs: [2], trees: [2, 3] });
});

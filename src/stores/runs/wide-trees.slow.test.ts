import { expect, it } from 'vitest';
import type { RunStore } from '../../../runtime/ports.ts';
import { Members } from '../../../runtime/state/members.ts';
import { runRecord, treeRecord } from '../../../runtime/testing/samples.ts';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { Db } from '../../ports/db.ts';
import { createIds } from '../ids.ts';
import * as spec from './collections.ts';
import { runCollections } from './collections.ts';
import { createRunStore } from './run-store.ts';

const root = 1;
const member = { parent: root, depth: 1, identityId: 1, key: null, stop: null, ended: false, active: false };
const spent = { tokens: 0, costUsd: 0 };

/** A child comes into the tree, works, and its result reaches the root, which waits for all. */
async function child(store: RunStore, id: number): Promise<void> {
  await store.trees.update(root, ({ members }) => ({
    members: members.with(new Map([[id, { ...member, ...spent }]])),
  }));
  await store.runs.update(root, (now) => ({ set: { seen: [...now.seen, `spawned:${id}`] } }));
  await store.trees.update(root, ({ members }) => ({
    members: members.with(new Map([[id, { ...members.get(id)!, ended: true, tokens: 100 }]])),
  }));
  const summary = 'This is what came of it, in a sentence of the usual length for such a thing.';
  const text = `Run ${id} (child: look at this) is Completed: ${summary}`;
  await store.runs.update(root, (now) => ({
    set: {
      seen: [...now.seen, `child:${id}:0`],
      inbox: [...now.inbox, { key: `child:${id}:0`, kind: 'child', text, from: null, at: 1, childRunId: id }],
      arrived: [...now.arrived, { runId: id, status: 'Completed', summary }],
    },
  }));
}

/** The largest documents of root and tree while some children come and go. */
async function largest(db: Db, store: RunStore, from: number, to: number) {
  const bytes = { run: 0, tree: 0 };
  for (let id = from; id <= to; id++) {
    await child(store, id);
    const run = await db.collection(spec.runs).findOne({ _id: root });
    const tree = await db.collection(spec.trees).findOne({ _id: root });
    bytes.run = Math.max(bytes.run, JSON.stringify(run).length);
    bytes.tree = Math.max(bytes.tree, JSON.stringify(tree).length);
  }
  return bytes;
}

it('what a child writes does not grow with the children before it', async () => {
  const db = openTestDb();
  await db.ensureIndexes(runCollections);
  const store = createRunStore({ db, ids: createIds({ db }), logger: silentLogger, alone: true });
  await store.trees.insert(
    treeRecord({ id: root, members: Members.of({ [root]: { ...member, parent: null, ...spent } }) }),
  );
  await store.runs.insert(runRecord({ id: root }), {});
  await largest(db, store, 2, 100);
  const hundred = await largest(db, store, 101, 170);
  for (let id = 171; id <= 930; id++) await child(store, id);
  const thousand = await largest(db, store, 931, 1000);
  expect(thousand.tree).toBeLessThan(hundred.tree * 1.1);
  expect(thousand.run).toBeLessThan(hundred.run * 1.1);
  expect(thousand.tree + thousand.run).toBeLessThan(64_000);

  // A process that starts now finds all of it.
  const fresh = createRunStore({ db, ids: createIds({ db }), logger: silentLogger, alone: true });
  expect(await fresh.trees.get(root)).toEqual(await store.trees.get(root));
  expect(await fresh.runs.get(root)).toEqual(await store.runs.get(root));
  expect((await fresh.runs.get(root))?.arrived).toHaveLength(999);
});

it('a list of a run goes on in chunks as an older server made them, and in its own once it begins anew', async () => {
  const db = openTestDb();
  await db.ensureIndexes(runCollections);
  const open = () => createRunStore({ db, ids: createIds({ db }), logger: silentLogger, alone: true });
  const marks = Array.from({ length: 70 }, (_, at) => `mark ${at}`);
  await open().runs.insert(runRecord({ id: root, seen: marks.slice(64) }), {});
  await db.collection(spec.runs).updateOne({ _id: root }, { $set: { moved: { seen: { round: 0, count: 64 } } } });
  for (const from of [0, 32]) {
    const items = marks.slice(from, from + 32);
    await db.collection(spec.runItems).insertOne({ _id: `${root}:seen:0:${from}`, runId: root, items });
  }
  const store = open();
  expect((await store.runs.get(root))?.seen).toEqual(marks);
  const more = Array.from({ length: 50 }, (_, at) => `more ${at}`);
  for (const one of more) await store.runs.update(root, ({ seen }) => ({ set: { seen: [...seen, one] } }));
  expect((await open().runs.get(root))?.seen).toEqual([...marks, ...more]);
  await store.runs.update(root, () => ({ set: { seen: [] } }));
  for (const one of more) await store.runs.update(root, ({ seen }) => ({ set: { seen: [...seen, one] } }));
  expect((await open().runs.get(root))?.seen).toEqual(more);
  const left = await db.collection(spec.runItems).find({}).toArray();
  expect(left.every(({ _id, items }) => _id.startsWith(`${root}:seen:1:`) && items.length < 32)).toBe(true);
});

// A reset of the demo that dies before any of its writes: the next one leaves nothing of the demo behind.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { demoSpec } from '../groups/demo/record.ts';
import { demoService } from '../groups/demo/service.ts';
import { entrySpec, memberSpec, messageSpec, messageSpecs, threadSpec } from '../groups/messages/documents.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Collection, CollectionSpec, Db } from '../ports/db.ts';
import * as runSpecs from '../stores/runs/collections.ts';
import { demoOf } from './demo.ts';

type Row = { _id: never; [field: string]: unknown };
type Rows = [CollectionSpec<Row>, Row][];

const writing = new Set([
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'replaceOne'],
  ...['deleteOne', 'deleteMany', 'findOneAndUpdate', 'findOneAndDelete'],
]);

/** The store as a process has it that is killed before its next write once it has made so many. */
function dying(db: Db, writes: number): Db {
  let left = writes;
  const of = (collection: Collection<Row>) =>
    new Proxy(collection, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (writing.has(String(name)) && left-- <= 0) throw new Error('killed');
          return value.apply(target, given);
        };
      },
    });
  const collection = (source: string | CollectionSpec<Row>) => of(db.collection(source));
  return { collection, ensureIndexes: db.ensureIndexes.bind(db) } as unknown as Db;
}

const row = (spec: object, document: object) => [spec, { tenantId: 1, ...document }] as unknown as Rows[number];

/** A thread with a message, as two identities have it. */
const threadOf = (id: number, runId: number | null, senderId: number): Rows => [
  row(threadSpec, { _id: id, runId, participantIds: [senderId] }),
  row(memberSpec, { _id: `${id}:${senderId}`, threadId: id, identityId: senderId }),
  row(messageSpec, { _id: 100 + id, threadId: id, runId, senderId, recipients: [] }),
  row(entrySpec, { _id: `${100 + id}:${senderId}`, messageId: 100 + id, threadId: id, identityId: senderId }),
];
const treeOf = (root: number, child: number): Rows => [
  row(runSpecs.runs, { _id: root, rootRunId: root, parentRunId: null, spawnDepth: 0, status: 'Completed' }),
  row(runSpecs.runs, { _id: child, rootRunId: root, parentRunId: root, spawnDepth: 1, status: 'Cancelled' }),
  row(runSpecs.trees, { _id: root }),
  row(runSpecs.treeMembers, { _id: `${root}:${child}`, treeId: root, runId: child }),
  row(runSpecs.messages, { _id: `${child}:0`, runId: child }),
];

const ours = [...treeOf(21, 22), ...threadOf(1, 22, 9), ...threadOf(2, null, 9)];
const ofDemo = [...treeOf(11, 12), ...threadOf(3, 11, 7), ...threadOf(4, 12, 7), ...threadOf(5, null, 7)];
const demo = row(demoSpec, {
  ...{ _id: 1, state: 'Seeded', size: 'Small', username: null, holder: null, heldUntil: new Date(0) },
  ...{ ids: { agent_runs: [11], identities: [7] }, createdAt: new Date(0), seededAt: new Date(0) },
});
/** What the child asked as it was stopped: told when the child is gone, in another thread and another message. */
const late = [...threadOf(6, 12, 7), row(runSpecs.messages, { _id: '12:1', runId: 12 })];

async function insert(db: Db, rows: Rows): Promise<void> {
  for (const [spec, document] of rows) await db.collection(spec).insertOne(structuredClone(document));
}

/** The operations as one process has them. */
function handlersOn(db: Db) {
  const remove = async (_id: number) => {
    await db.collection(runSpecs.runs).deleteOne({ _id });
    if (_id === 12) await insert(db, late);
  };
  const deps = {
    ...{ storage: { db, kind: 'embedded' }, streams: { publisher: { publish: async () => {} } } },
    ...{ runtime: { engine: { remove } }, config: { kept: {} }, clock: systemClock },
    perform: async () => ({ status: 'Completed' }),
  };
  return demoService(demoOf(deps as never)).handlers;
}

async function reset(db: Db): Promise<void> {
  await handlersOn(db).reset({ caller: { tenantId: 1 }, body: { confirm: true } } as never);
}

it('a reset that is killed at any step is completed by the next one', async () => {
  const db = openTestDb();
  await db.ensureIndexes([...runSpecs.runCollections, ...messageSpecs, demoSpec]);
  const specs = [...new Set([...ours, demo].map(([spec]) => spec))];
  const rows = async () =>
    Promise.all(
      specs.map(async (spec) => [spec.name, (await db.collection(spec).find({}).toArray()).map(({ _id }) => _id)]),
    );
  await insert(db, ours);
  const before = await rows();
  let killed = 0;
  for (let writes = 0; killed === writes; writes++) {
    await insert(db, [...ofDemo, demo]);
    await reset(dying(db, writes)).catch((error: unknown) => {
      expect(error).toMatchObject({ message: 'killed' });
      killed++;
    });
    await reset(db);
    expect([writes, await rows()]).toEqual([writes, before]);
  }
  expect(killed).toBeGreaterThan(25);
});

it('a demo is there until all of it is removed, so that nobody is offered to make it anew meanwhile', async () => {
  const db = openTestDb();
  await db.ensureIndexes([...runSpecs.runCollections, ...messageSpecs, demoSpec]);
  await insert(db, [...ofDemo, demo]);
  const isSeeded = async () => (await handlersOn(db).status({ caller: { tenantId: 1 } } as never)).seeded;
  // It has noted that it goes, and got no further.
  await expect(reset(dying(db, 2))).rejects.toMatchObject({ message: 'killed' });
  expect(await db.collection(demoSpec).findOne({})).toMatchObject({ state: 'Resetting' });
  expect(await isSeeded()).toBe(true);
  await reset(db);
  expect(await isSeeded()).toBe(false);
});

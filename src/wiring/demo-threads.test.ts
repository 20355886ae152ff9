import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { messageSpec, messageSpecs, type ThreadDoc, threadSpec } from '../groups/messages/documents.ts';
import { removeThreads } from '../groups/messages/retention.ts';
import { runCollections } from '../stores/runs/collections.ts';
import { threadsOf } from './demo-threads.ts';

it('a thread of a run that is gone goes by the name of its run, with its messages deleted before or not', async () => {
  const db = openTestDb();
  await db.ensureIndexes([...runCollections, ...messageSpecs]);
  const threadOf = (_id: number, runId: number) =>
    ({ _id, tenantId: 1, runId, participantIds: [] }) as never as ThreadDoc;
  await db.collection(threadSpec).insertMany([threadOf(1, 11), threadOf(2, 12), threadOf(3, 13)]);
  await db.collection(messageSpec).insertOne({ _id: 5, tenantId: 1, threadId: 2, runId: 12, recipients: [] } as never);

  await removeThreads(db, 1, await threadsOf(db, 1, { runIds: [11, 12], identityIds: [] }));
  expect((await db.collection(threadSpec).find({}).toArray()).map(({ _id }) => _id)).toEqual([3]);
  expect(await db.collection(messageSpec).countDocuments({})).toBe(0);
});

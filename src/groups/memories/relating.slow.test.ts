// Background work relates a memory while a person takes the link between the two away.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { createIds } from '../../stores/ids.ts';
import { createLibrary } from './library.ts';
import { type LinkDoc, linkRecord, type MemoryDoc, memoryRecord } from './record.ts';

const by = { tenantId: 1 };

/** Two memories of one identity, written one after the other, and the link that the second request made. */
async function setUp() {
  const db = openTestDb();
  await db.ensureIndexes([memoryRecord.spec, linkRecord.spec]);
  const memoryOf = (_id: number) =>
    ({
      ...{ _id, tenantId: 1, identityId: 1, projectId: null, title: `Note ${_id}`, content: `Note ${_id}`, tags: [] },
      ...{ isShared: false, archivedAt: null, supersededById: null, createdAt: new Date(_id), digest: `${_id}` },
      ...{ revision: 1, pending: true, embeddingModel: null, sealedBy: null },
    }) as unknown as MemoryDoc;
  const [first, second] = [memoryOf(1), memoryOf(2)];
  await db.collection(memoryRecord.spec).insertMany([first, second]);
  const base = { db, ids: createIds({ db }), clock: systemClock };
  const links = createKeeper(linkRecord, base);
  const memories = createKeeper(memoryRecord, base);
  /** A library whose n-th look for a link waits until `meanwhile` is done. */
  const libraryWith = (nth: number, meanwhile: () => Promise<void>) => {
    let looks = 0;
    const of: typeof links.of = (tenantId) => {
      const collection = links.of(tenantId);
      const findOne: typeof collection.findOne = async (...which) => {
        if (++looks === nth) await meanwhile();
        return collection.findOne(...which);
      };
      return { ...collection, findOne } as typeof collection;
    };
    const indexes = { words: { search: async () => [] } } as never;
    return createLibrary({ memories, links: { ...links, of }, indexes, clock: systemClock });
  };
  const quiet = libraryWith(0, async () => {});
  const link = await quiet.connect(by, 1, 2, 'Causal', 0.5);
  const all = () => links.of(1).find({}).toArray();
  return { second, link, links, quiet, libraryWith, all, disconnect: (one: LinkDoc) => quiet.disconnect(by, one) };
}

it.each([1, 2])('a link that is taken away before look %i of the background work stays away', async (nth) => {
  const { second, link, libraryWith, all, disconnect } = await setUp();
  const library = libraryWith(nth, () => disconnect(link));
  await library.relateAgain(second);
  expect(await all()).toEqual([]);
});

it('a memory whose process died before it was related is linked with the one before', async () => {
  const { second, link, quiet, all, links } = await setUp();
  await quiet.relateAgain(second);
  expect(await all()).toEqual([link]);
  await links.remove(by, link._id);
  await quiet.relateAgain(second);
  expect(await all()).toMatchObject([{ fromMemoryId: 1, toMemoryId: 2, type: 'Temporal' }]);
});

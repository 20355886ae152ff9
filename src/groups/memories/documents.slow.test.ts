// What searches read comes from caches until a write, by whomever, changes it.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Indexes } from '../../memory/ports.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { createIds } from '../../stores/ids.ts';
import { createDocuments } from './documents.ts';
import { type LinkDoc, linkRecord, type MemoryDoc, memoryRecord } from './record.ts';

const memoryOf = (_id: number, tenantId = 1) =>
  ({
    ...{ _id, tenantId, identityId: 1, projectId: null, title: `Note ${_id}`, content: 'of a pier', tags: ['sea'] },
    ...{ type: 'Reference', provenance: 'Observed', importance: 5, isShared: false, archivedAt: null },
    ...{ supersededById: null, accessCount: 0, createdAt: new Date(_id), embeddingModel: 'm' },
  }) as unknown as MemoryDoc;
const linkOf = (_id: number, fromMemoryId: number, toMemoryId: number, ofIdentityId: number | null = null) =>
  ({ _id, tenantId: 1, fromMemoryId, toMemoryId, type: 'Related', strength: 1, ofIdentityId }) as unknown as LinkDoc;

async function setUp() {
  const db = openTestDb();
  await db.ensureIndexes([memoryRecord.spec, linkRecord.spec]);
  const [memories, links] = [db.collection(memoryRecord.spec), db.collection(linkRecord.spec)];
  await memories.insertMany([memoryOf(1), memoryOf(2), memoryOf(3, 2)]);
  const base = { db, ids: createIds({ db }), clock: systemClock };
  const reads = { memories: 0, links: 0 };
  const counted = <K extends ReturnType<typeof createKeeper<never>>>(keeper: unknown, what: keyof typeof reads) => {
    const { of } = keeper as K;
    const counting: K['of'] = (tenantId) => {
      reads[what]++;
      return of(tenantId);
    };
    return { ...(keeper as K), of: counting } as never;
  };
  const deps = {
    memories: counted(createKeeper(memoryRecord, base), 'memories'),
    links: counted(createKeeper(linkRecord, base), 'links'),
    indexes: {} as Indexes,
    changes: db.changes as NonNullable<typeof db.changes>,
  };
  const documents = createDocuments(deps);
  const ranked = async (tenantId: number, ...ids: number[]) =>
    (await documents.ranked(tenantId, ids)).sort((a, b) => a._id - b._id);
  const around = async (identityId: number, ...ids: number[]) =>
    (await documents.links({ tenantId: 1, identityId }, ids, 2000)).map((one) => [one.fromMemoryId, one.toMemoryId]);
  const expect = (identityId: number) => documents.expect?.({ tenantId: 1, identityId });
  return { memories, links, documents, beside: createDocuments(deps), reads, ranked, around, expect };
}

it('what ranks a memory is read once, and again after a write', async () => {
  const { memories, reads, ranked } = await setUp();
  const first = await ranked(1, 1, 2, 3);
  expect(first).toMatchObject([
    { _id: 1, importance: 5, createdAt: new Date(1), embeddingModel: 'm' },
    { _id: 2, isShared: false },
  ]);
  expect(first[0]).not.toHaveProperty('content');
  expect(await ranked(1, 1, 2)).toEqual(first);
  expect(reads.memories).toBe(1);

  await memories.updateOne({ _id: 2 }, { $set: { importance: 9, isShared: true } });
  expect(await ranked(1, 1, 2)).toMatchObject([{ importance: 5 }, { importance: 9, isShared: true }]);
  await memories.deleteOne({ _id: 1 });
  expect(await ranked(1, 1, 2)).toMatchObject([{ _id: 2 }]);
});

it('who reads beside it shares what was read, whatever each met first', async () => {
  const { memories, links, documents, beside, reads } = await setUp();
  await memories.updateOne({ _id: 2 }, { $set: { type: 'Decision', provenance: 'Reported', embeddingModel: 'n' } });
  await links.insertMany([linkOf(1, 1, 3), { ...linkOf(2, 2, 3), type: 'Supersedes' } as LinkDoc]);
  const looks = { tenantId: 1, identityId: 1 };
  for (const [one, id] of [
    [documents, 1],
    [beside, 2],
  ] as const) {
    await one.ranked(1, [id]);
    await one.links(looks, [id], 9);
  }
  Object.assign(reads, { memories: 0, links: 0 });
  for (const one of [documents, beside]) {
    expect(await one.ranked(1, [1, 2])).toMatchObject([
      { type: 'Reference', provenance: 'Observed', embeddingModel: 'm' },
      { type: 'Decision', provenance: 'Reported', embeddingModel: 'n' },
    ]);
    expect((await one.links(looks, [1, 2], 9)).map(({ type }) => type)).toEqual(['Related', 'Supersedes']);
  }
  expect(reads).toEqual({ memories: 0, links: 0 });
});

it('what was read for one tenant is nothing to another', async () => {
  const { ranked } = await setUp();
  expect(await ranked(2, 3)).toHaveLength(1);
  expect(await ranked(1, 3)).toEqual([]);
});

it('links are read once, and again after a write at either end', async () => {
  const { links, reads, around } = await setUp();
  await links.insertOne(linkOf(1, 1, 2));
  expect(await around(1, 1)).toEqual([[1, 2]]);
  expect(await around(1, 2)).toEqual([[1, 2]]);
  const before = reads.links;
  expect(await around(1, 1, 2)).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(reads.links).toBe(before);

  await links.insertOne(linkOf(2, 4, 2));
  expect(await around(1, 2)).toHaveLength(2);
  await links.deleteOne({ _id: 1 });
  expect(await around(1, 1)).toEqual([]);
  expect(await around(1, 2)).toEqual([[4, 2]]);
});

it('a link between two memories that are read together is held once of each', async () => {
  const { links, reads, around } = await setUp();
  await links.insertMany([linkOf(1, 1, 2), linkOf(2, 2, 2)]);
  expect(await around(1, 1, 2)).toHaveLength(2);
  const before = reads.links;
  expect(await around(1, 1)).toEqual([[1, 2]]);
  expect(await around(1, 2)).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(reads.links).toBe(before);
});

it("a link of another identity's private memory stays unseen, whoever searched before", async () => {
  const { links, around } = await setUp();
  await links.insertOne(linkOf(1, 1, 2, 7));
  expect(await around(7, 1)).toEqual([[1, 2]]);
  expect(await around(1, 1)).toEqual([]);
  await links.updateOne({ _id: 1 }, { $set: { ofIdentityId: null } });
  expect(await around(1, 1)).toEqual([[1, 2]]);
});

it('who searches for the first time has all memories and links read ahead, and sees what is written meanwhile', async () => {
  const { memories, links, reads, ranked, around, expect: begin } = await setUp();
  const more = Array.from({ length: 1200 }, (_, at) => memoryOf(at + 10));
  await memories.insertMany([...more, { ...memoryOf(5), identityId: 2 } as MemoryDoc]);
  await links.insertMany([linkOf(1, 10, 900), linkOf(2, 11, 5), linkOf(3, 12, 13, 2)]);
  const reading = begin(1);
  await memories.updateOne({ _id: 11 }, { $set: { importance: 8 } });
  await links.updateOne({ _id: 1 }, { $set: { strength: 0.5 } });
  await memories.deleteOne({ _id: 1209 });
  await reading;
  Object.assign(reads, { memories: 0, links: 0 });
  // What was written while it was read is read once more.
  expect(await ranked(1, 11, 1209)).toMatchObject([{ _id: 11, importance: 8 }]);
  // A link comes once for each of its ends where both are held.
  expect(new Set((await around(1, 10, 900)).map(String))).toEqual(new Set(['10,900']));
  Object.assign(reads, { memories: 0, links: 0 });

  const all = [1, 2, ...more.map(({ _id }) => _id)].filter((id) => id !== 1209);
  expect(await ranked(1, ...all)).toHaveLength(1201);
  expect(await around(1, 12)).toEqual([]);
  expect(await around(1, 11)).toEqual([[11, 5]]);
  expect(reads).toEqual({ memories: 0, links: 0 });
  await begin(1);
  await begin(0);
  expect(reads).toEqual({ memories: 0, links: 0 });
  // Another identity's memory is not read for this one.
  expect(await ranked(1, 5)).toHaveLength(1);
  expect(reads).toEqual({ memories: 1, links: 0 });
});

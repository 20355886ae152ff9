import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createRounds, finished } from '../../kernel/rounds.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { memoryKind } from '../../memory/ports.ts';
import { countsOf } from '../../memory/recall/words.ts';
import { scopesOf } from '../../memory/scopes.ts';
import { createKeeper } from '../../ports/keeper.ts';
import type { VectorSearch } from '../../ports/vectors.ts';
import { createIds } from '../../stores/ids.ts';
import { createEmbeddedVectors } from '../../stores/vectors/embedded/vectors.ts';
import { createEmbeddedWords } from '../../stores/words/embedded.ts';
import { createCaches } from './cached.ts';
import { createDocuments } from './documents.ts';
import { createLibrary } from './library.ts';
import { createReadAhead } from './read-ahead.ts';
import { linkRecord, type MemoryDoc, memoryRecord } from './record.ts';
import { createWarming, warmingSteps } from './warming.ts';

const space = { kind: memoryKind, model: 'm', dimensions: 4 };

const memoryOf = (_id: number, tenantId: number, identityId: number) =>
  ({
    ...{ _id, tenantId, identityId, projectId: null, title: '', content: `note ${_id} of a long pier`, tags: [] },
    ...{ type: 'Reference', provenance: 'Observed', importance: 5, isShared: false, archivedAt: null },
    ...{ supersededById: null, accessCount: 0, createdAt: new Date(_id), embeddingModel: 'm' },
  }) as unknown as MemoryDoc;

/** Identity 1 of tenant 1 wrote ten memories, 2 of tenant 2 two, and last. */
async function setUp() {
  const db = openTestDb();
  await db.ensureIndexes([memoryRecord.spec, linkRecord.spec]);
  const vectors = createEmbeddedVectors({ sqlite: db.file });
  const searches: VectorSearch[] = [];
  const search: typeof vectors.search = (where, what) => {
    searches.push(what);
    return vectors.search(where, what);
  };
  const embedded: string[] = [];
  const indexes = {
    words: createEmbeddedWords({ sqlite: db.file }),
    vectors: { isThere: true, spaces: vectors.spaces.bind(vectors), search } as typeof vectors,
    embedder: {
      ...{ model: 'm', weights: { semantic: 0.3, keyword: 0.7 }, reads: () => true, close: async () => {} },
      embed: async (_tenant: number, texts: readonly string[]) => {
        embedded.push(...texts);
        return texts.map(() => new Float32Array([1, 0, 0, 0]));
      },
    },
    formerEmbedder: () => null,
  };
  const ten = Array.from({ length: 10 }, (_, at) => memoryOf(at + 1, 1, 1));
  const all = [...ten, memoryOf(11, 2, 2), memoryOf(12, 2, 2)];
  await db.collection(memoryRecord.spec).insertMany([...all]);
  const placed = all.map((one) => ({ id: one._id, tenantId: one.tenantId, scopes: scopesOf(one) }));
  await indexes.words.upsert(
    memoryKind,
    placed.map((one, at) => ({ ...one, counts: countsOf((all[at] as MemoryDoc).content) })),
  );
  const vector = new Float32Array([0.6, 0.8, 0, 0]);
  await vectors.upsert(
    space,
    placed.map((one) => ({ ...one, vector })),
  );
  const base = { db, ids: createIds({ db }), clock: systemClock };
  const own = { memories: createKeeper(memoryRecord, base), links: createKeeper(linkRecord, base), indexes };
  const library = createLibrary({ ...own, clock: systemClock, changes: db.changes });
  return { db, indexes, library, own, searches, embedded, least: 3 };
}

it('who wrote last is warmed in steps, and costs no call of a model; few memories are not worth it', async () => {
  const { searches, embedded, own, ...deps } = await setUp();
  let reads = 0;
  const of: typeof own.memories.of = (tenantId) => {
    reads++;
    return own.memories.of(tenantId);
  };
  const changes = deps.db.changes as NonNullable<typeof deps.db.changes>;
  const beside = createDocuments({ ...own, memories: { ...own.memories, of }, changes });
  let steps = 0;
  for await (const _ of warmingSteps(deps)) {
    // The first only reads ahead what ranks them, so that nothing is read for it any more; each other one is a search.
    expect(await beside.ranked(1, [1, 5, 10])).toHaveLength(3);
    expect(searches).toHaveLength(steps++);
  }
  expect(reads).toBe(0);
  expect(embedded).toEqual([]);
  expect(searches).toHaveLength(10);
  expect(new Set(searches.map(({ tenantId, scopes }) => `${tenantId} ${scopes[0]}`))).toEqual(
    new Set(['1 identity:1']),
  );
  expect(new Set(searches.map(({ vector }) => vector.join(' '))).size).toBe(10);
  for (const { vector } of searches) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
});

it('a round makes one step, and none once all are done', async () => {
  const { searches, ...deps } = await setUp();
  const round = createWarming(deps);
  for (let turn = 0; turn < 20; turn++) {
    expect(await round.work(new AbortController().signal)).toBe(turn > 10 ? finished : undefined);
    expect(searches).toHaveLength(Math.min(turn, 10));
  }
});

it('a stop ends the reading ahead between two slices, however much there is to read', async () => {
  const { searches, library, own, ...deps } = await setUp();
  let slices = 0;
  let toldOfSlice = () => {};
  const begun = new Promise<void>((resolve) => {
    toldOfSlice = resolve;
  });
  // An identity that never stops having memories.
  const endless = {
    of: () => ({
      find: ({ _id }: { _id: { $gt: number } }, { limit }: { limit: number }) => ({
        toArray: async () => {
          if (++slices === 3) toldOfSlice();
          return Array.from({ length: limit }, (_, at) => ({ _id: _id.$gt + at + 1 }));
        },
      }),
    }),
  };
  const nothing = { ranked: async () => [], links: async () => [] };
  const expecting = createReadAhead({ memories: endless as never, caches: createCaches(), ...nothing });
  const clock = new SimulatedClock();
  const rounds = createRounds({ clock, log: { error: () => {} } as never });
  rounds.start(createWarming({ ...deps, library: { recall: library.recall, expect: expecting } }));
  await clock.advance(250);
  await begun;
  // The clock stands still: the time that work under way gets would never pass.
  await rounds.close();
  expect(slices).toBeLessThan(10);
  expect(searches).toEqual([]);
});

it('a store without caches is left alone, and words alone are asked where there are no vectors yet', async () => {
  const { searches, indexes, db, ...deps } = await setUp();
  const without = { collection: db.collection.bind(db) };
  for await (const _ of warmingSteps({ ...deps, indexes, db: without })) throw new Error('it made a step');
  const other = { ...indexes, embedder: { ...indexes.embedder, model: 'another' } };
  let steps = 0;
  for await (const _ of warmingSteps({ ...deps, indexes: other, db })) steps++;
  expect(steps).toBe(11);
  expect(searches).toEqual([]);
});

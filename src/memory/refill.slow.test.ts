// Vectors that are lost are made again by the rounds, and a change of the embedder leaves no gap in what is found.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { defineCollection } from '../ports/db.ts';
import type { Embedder } from '../ports/embedder.ts';
import { createEmbeddedVectors } from '../stores/vectors/embedded/vectors.ts';
import { createEmbeddedWords } from '../stores/words/embedded.ts';
import { type Findable, type Kind, unindexed } from './kinds.ts';
import { openIndexing } from './open-indexing.ts';
import { type Indexes, memoryKind, type Remembered } from './ports.ts';
import { createRecall, type Recalled } from './recall/recall.ts';
import { createReindex } from './reindex.ts';
import { scopesOf } from './scopes.ts';

interface Note extends Omit<Remembered, 'embeddingModel'>, Findable {
  _id: number;
  tenantId: number;
}
const notes = defineCollection<Note>({ name: 'notes', indexes: [{ keys: { pending: 1, _id: 1 } }] });
const kind: Kind<Note> = { name: memoryKind, textOf: ({ title, content }) => `${title} ${content}`, scopesOf };

/** Texts of the same number are near to each other, whatever their words. */
const embedder = (model: string, turn: number, heard: () => Promise<void> = async () => {}): Embedder => ({
  model,
  weights: { semantic: 0.5, keyword: 0.5 },
  reads: () => true,
  embed: async (_, texts, what) => {
    if (what === 'document') await heard();
    return texts.map((text) => {
      const angle = Number(/\d+/.exec(text)?.[0] ?? 0) / 100 + turn;
      return new Float32Array([Math.cos(angle), Math.sin(angle)]);
    });
  },
  close: async () => {},
});

/** Lists of what there is are a few seconds old: each look is a minute after the one before. */
let minutes = 0;
const now = () => Date.now() + ++minutes * 60_000;
const clock = { now, steady: now };

async function setUp(count: number) {
  const db = openTestDb();
  await db.ensureIndexes([notes]);
  const all = db.collection(notes);
  for (let id = 1; id <= count; id++)
    await all.insertOne({
      ...{ _id: id, tenantId: 1, identityId: 1, projectId: null, title: `Note ${id}`, content: `of pier ${id}` },
      ...{ type: 'Reference', provenance: 'Observed', importance: 5, isShared: false, archivedAt: null, tags: [] },
      ...{ supersededById: null, accessCount: 0, createdAt: new Date(), ...unindexed },
    });
  const stores = {
    vectors: createEmbeddedVectors({ sqlite: db.file }),
    words: createEmbeddedWords({ sqlite: db.file }),
  };
  const open = (one: Embedder, former: Embedder | null = null) => {
    const indexes: Indexes = { ...stores, embedder: one, formerEmbedder: () => former, refilling: new Set() };
    const load = (_: number, ids: readonly number[]) => all.find({ _id: { $in: [...ids] } }).toArray();
    const documents = {
      load,
      ranked: load,
      links: async () => [],
    };
    const recall = createRecall<Note>({ ...indexes, documents, clock });
    const ask = (question: string, mode: 'Hybrid' | 'Semantic') =>
      recall({ tenantId: 1, identityId: 1, question, limit: count, mode, shared: false, archived: false });
    return { ...openIndexing({ db, indexes }, kind, notes, 'notes'), ask };
  };
  return { stores, open };
}

const firstOf = ({ hits: [hit], warning }: Recalled<Note>) => [hit?.memory._id, hit?.matchedBy, warning] as const;
const space = { kind: memoryKind, model: 'first', dimensions: 2 };

it('a lost space is filled again by the rounds; meanwhile words answer, with a warning', async () => {
  const { stores, open } = await setUp(3);
  const { indexing, ask } = open(embedder('first', 0));
  await indexing.round();
  expect(firstOf(await ask('pier 2', 'Hybrid'))).toEqual([2, 'Hybrid', null]);
  await stores.vectors.drop(space);
  const found = firstOf(await ask('pier 2', 'Hybrid'));
  expect(found).toEqual([2, 'Keyword', expect.stringContaining('found by their words')]);
  for (let round = 0; round < 30; round++) await indexing.round();
  expect(firstOf(await ask('pier 2', 'Hybrid'))).toEqual([2, 'Hybrid', null]);
});

it('a space that was lost while nobody looked is filled again by the first round of a process', async () => {
  const { stores, open } = await setUp(3);
  await open(embedder('first', 0)).indexing.round();
  await stores.vectors.drop(space);
  const { indexing, ask } = open(embedder('first', 0));
  await indexing.round();
  expect(firstOf(await ask('pier 2', 'Semantic'))).toEqual([2, 'Semantic', null]);
});

it('a reindex on request does the same at once, and says what it did', async () => {
  const { stores, open } = await setUp(3);
  const { indexing, ask } = open(embedder('first', 0));
  await indexing.round();
  await stores.vectors.remove(space, 1, [2]);
  expect(await createReindex([{ name: 'notes', indexing }])()).toEqual([{ kind: 'notes', reopened: 1, removed: 0 }]);
  expect(firstOf(await ask('pier 2', 'Semantic'))).toEqual([2, 'Semantic', null]);
});

it('a change of the embedder finds a document by its meaning at each moment', async () => {
  const { open } = await setUp(40);
  const first = embedder('first', 0);
  await open(first).indexing.round();
  const seen: boolean[] = [];
  const look = async () => {
    const { hits } = await second.ask('pier 7', 'Semantic');
    seen.push(hits.some(({ memory }) => memory._id === 7));
  };
  const second = open(embedder('second', 1, look), first);
  await second.indexing.round();
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).not.toContain(false);
  expect(firstOf(await second.ask('pier 7', 'Semantic'))).toEqual([7, 'Semantic', null]);
});

it('a round ends between two batches when the server stops, and the next one goes on', async () => {
  const { open } = await setUp(100);
  const stop = new AbortController();
  let heard = 0;
  const first = open(
    embedder('first', 0, async () => {
      if (++heard === 1) stop.abort();
    }),
  );
  await first.settling.work(stop.signal);
  expect(heard).toBe(1);
  await first.settling.work(new AbortController().signal);
  expect(heard).toBeGreaterThan(2);
  expect(firstOf(await first.ask('pier 90', 'Hybrid'))).toEqual([90, 'Hybrid', null]);
});

// How quick writes and searches are with 1,000, 10,000 and 100,000 memories of one identity, and of a hundred tenants.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary } from '../../src/groups/memories/library.ts';
import { linkRecord, type MemoryDoc, memoryRecord } from '../../src/groups/memories/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type Indexes, memoryKind } from '../../src/memory/ports.ts';
import { countsOf } from '../../src/memory/recall/words.ts';
import { scopesOf } from '../../src/memory/scopes.ts';
import { indexedText } from '../../src/memory/text.ts';
import { unit } from '../../src/models/embedders/vectors.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import { createKeeper } from '../../src/ports/keeper.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createIds } from '../../src/stores/ids.ts';
import { createEmbeddedVectors } from '../../src/stores/vectors/embedded/vectors.ts';
import { createEmbeddedWords } from '../../src/stores/words/embedded.ts';

const dimensions = 512;
const searches = 200;
const batch = 500;
/** Ids of what is filled in, beyond those that the store gives. */
const given = 1_000_000;

/** Embedding is measured apart, so a vector here is no more than random. */
const instant: Embedder = {
  model: 'random',
  weights: { semantic: 0.3, keyword: 0.7 },
  reads: () => true,
  embed: async (_tenant, texts) => texts.map(randomVector),
  close: async () => {},
};

const randomVector = () => unit(Array.from({ length: dimensions }, () => Math.random() - 0.5));
/** Words as a language has them: a few are common, most are rare. */
const randomText = (words: number) =>
  Array.from({ length: words }, () => `word${Math.floor(20_000 * Math.random() ** 3)}x`).join(' ');

export async function measureSpeed(
  counts: readonly number[] = [1000, 10_000, 100_000],
  spreads: readonly number[] = [1, 100],
): Promise<void> {
  const rows = [];
  for (const tenants of spreads)
    for (const count of counts) {
      rows.push(await measure(count, tenants));
      console.log(JSON.stringify(rows.at(-1)));
    }
  console.table(rows);
}

type Bench = ReturnType<typeof openBench>;

function openBench() {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  const indexes: Indexes = {
    words: createEmbeddedWords({ sqlite: db.file }),
    vectors: createEmbeddedVectors({ sqlite: db.file }),
    embedder: instant,
    formerEmbedder: () => null,
  };
  const base = { db, ids: createIds({ db }), clock: systemClock };
  const memories = createKeeper(memoryRecord, base);
  const links = createKeeper(linkRecord, base);
  const library = createLibrary({ memories, links, indexes, clock: systemClock });
  const close = async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { db, indexes, library, close };
}

/** Writes memories as they are after the background work, many at a time. */
async function fill({ db, indexes }: Bench, count: number, tenants: number): Promise<void> {
  await db.ensureIndexes([memoryRecord.spec, linkRecord.spec]);
  const all = db.collection(memoryRecord.spec);
  const allLinks = db.collection(linkRecord.spec);
  const space = { kind: memoryKind, model: instant.model, dimensions };
  for (let id = 1; id <= count; id += batch) {
    const some = Array.from({ length: batch }, (_, more) => memoryOf(given + id + more, 1 + ((id + more) % tenants)));
    await all.insertMany(some);
    // Every other one has a neighbour in time.
    await allLinks.insertMany(some.filter(({ _id }) => _id % 2 === 0).map((one) => linkOf(one, tenants)));
    const place = (one: MemoryDoc) => ({ id: one._id, tenantId: one.tenantId, scopes: scopesOf(one) });
    await indexes.words.upsert(
      memoryKind,
      some.map((one) => ({ ...place(one), counts: countsOf(indexedText(one)) })),
    );
    await indexes.vectors.upsert(
      space,
      some.map((one) => ({ ...place(one), vector: randomVector() })),
    );
  }
}

async function measure(count: number, tenants: number) {
  const bench = openBench();
  await fill(bench, count, tenants);
  const asked = Math.min(tenants, 5);
  const search = (tenantId: number) =>
    bench.library
      .recall({ tenantId, identityId: 1, question: randomText(6), limit: 10, shared: true, archived: false })
      .then(() => bench.library.coverage(tenantId, 1, { own: true, archived: false }));
  const first: number[] = [];
  for (let tenant = 1; tenant <= asked; tenant++) first.push(await timed(() => search(tenant)));
  const times: number[] = [];
  for (let at = 0; at < searches; at++) times.push(await timed(() => search(1 + (at % asked))));
  const writes: number[] = [];
  for (let at = 0; at < searches; at++) {
    const tenantId = 1 + (at % asked);
    writes.push(await timed(() => bench.library.remember({ tenantId }, draftOf())));
  }
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  await bench.close();
  return {
    memories: count,
    tenants,
    'first search ms': Math.max(...first).toFixed(0),
    'search p50 ms': share(times, 0.5),
    p95: share(times, 0.95),
    p99: share(times, 0.99),
    'write p50 ms': share(writes, 0.5),
    'RSS MB': megabytes,
  };
}

/** CPU time of the process in ms: the machine may be busy with other things. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function share(times: number[], of: number): string {
  times.sort((a, b) => a - b);
  return (times[Math.floor(of * (times.length - 1))] as number).toFixed(1);
}

const draftOf = () => ({
  title: 'note',
  content: randomText(20),
  type: 'Conversation' as const,
  provenance: 'Observed' as const,
  importance: 5,
  isPinned: false,
  isShared: false,
  projectId: null,
  tags: [],
  identityId: 1,
  sourceRunId: null,
  sourceChatSessionId: null,
});

function memoryOf(_id: number, tenantId: number): MemoryDoc {
  const now = new Date();
  return {
    ...draftOf(),
    _id,
    tenantId,
    guid: String(_id),
    createdAt: now,
    updatedAt: now,
    digest: String(_id),
    pending: false,
    revision: 1,
    embeddingModel: instant.model,
    accessCount: 0,
    readByOthersCount: 0,
    lastAccessedAt: null,
    archivedAt: null,
    archivedReason: null,
    supersededById: null,
  };
}

function linkOf({ _id, tenantId }: MemoryDoc, tenants: number) {
  const now = new Date();
  const type = 'Temporal' as const;
  const ends = { fromMemoryId: _id, toMemoryId: _id + tenants };
  return { _id, tenantId, ...ends, type, strength: 1, coActivationCount: 0, createdAt: now, updatedAt: now };
}

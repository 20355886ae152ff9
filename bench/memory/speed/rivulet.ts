// Memories as the server keeps them: documents, links and words in the embedded store, vectors there too or in Qdrant.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createLibrary } from '../../../src/groups/memories/library.ts';
import { linkRecord, type MemoryDoc, memoryRecord } from '../../../src/groups/memories/record.ts';
import { warmingSteps } from '../../../src/groups/memories/warming.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import { type Indexes, memoryKind } from '../../../src/memory/ports.ts';
import { countsOf } from '../../../src/memory/recall/words.ts';
import { scopesOf } from '../../../src/memory/scopes.ts';
import { indexedText } from '../../../src/memory/text.ts';
import { createKeeper } from '../../../src/ports/keeper.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { createEmbeddedVectors } from '../../../src/stores/vectors/embedded/vectors.ts';
import { collectionOf } from '../../../src/stores/vectors/qdrant/names.ts';
import { createQdrantVectors } from '../../../src/stores/vectors/qdrant/vectors.ts';
import { createEmbeddedWords } from '../../../src/stores/words/embedded.ts';
import { batch, type Contender } from './contender.ts';
import { dimensions, draftOf, instant, linkOf, memoryOf, randomText, randomVector } from './made-up.ts';

/** Ids of what is filled in, beyond those that the store gives. */
const given = 1_000_000;
const space = { kind: memoryKind, model: instant.model, dimensions };
/** Searches of a hundred thousand may wait longer than the server lets them. */
const timeoutMs = 120_000;

/** Milliseconds that a server may take for its graphs. */
const graphsMs = 3_600_000;
const prefix = `rivulet-bench-${process.pid}`;
const apiKey = process.env.QDRANT_API_KEY ?? null;

/** Waits until a server has built its graphs: a collection is green then. */
async function graphsAreBuilt(url: string): Promise<void> {
  const address = `${url}/collections/${encodeURIComponent(collectionOf(prefix, space))}`;
  const signal = AbortSignal.timeout(graphsMs);
  while ((await statusAt(address, signal)) !== 'green') await sleep(1000, undefined, { signal });
}

/** By `node:http`, since `fetch` waits 300 s for the head of an answer at most: the engine answers when it has built them. */
async function statusAt(address: string, signal: AbortSignal): Promise<string> {
  const asked = get(address, { signal, headers: apiKey ? { 'api-key': apiKey } : {} });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return ((await json(answer)) as { result: { status: string } }).result.status;
}

/**
 * @param qdrant - address of a Qdrant, whose graphs are waited for after the filling; without one vectors are embedded
 * @param warms - whether it reads ahead before it is asked, as the server does in its first moments
 */
export async function openRivulet(qdrant: string | null, { warms = false } = {}): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  const indexes: Indexes = {
    words: createEmbeddedWords({ sqlite: db.file }),
    vectors: qdrant
      ? createQdrantVectors({ url: qdrant, timeoutMs, apiKey, prefix })
      : createEmbeddedVectors({ sqlite: db.file }),
    embedder: instant,
    formerEmbedder: () => null,
  };
  const base = { db, ids: createIds({ db }), clock: systemClock };
  const memories = createKeeper(memoryRecord, base);
  const links = createKeeper(linkRecord, base);
  const shelf = { memories, links, indexes, clock: systemClock, changes: db.changes };
  const library = createLibrary(shelf);
  await db.ensureIndexes([memoryRecord.spec, linkRecord.spec]);

  /** Memories as they are after the background work. Every other one has a neighbour in time. */
  async function add(some: readonly MemoryDoc[], tenants: number): Promise<void> {
    await db.collection(memoryRecord.spec).insertMany([...some]);
    const linked = some.filter(({ _id }) => _id % 2 === 0);
    await db.collection(linkRecord.spec).insertMany(linked.map((one) => linkOf(one, tenants)));
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

  return {
    hasCaches: true,
    async fill(count, tenants) {
      for (let id = given + 1; id <= given + count; id += batch) {
        const ids = Array.from({ length: Math.min(batch, given + count - id + 1) }, (_, more) => id + more);
        await add(
          ids.map((one) => memoryOf(one, 1 + (one % tenants))),
          tenants,
        );
      }
      if (qdrant) await graphsAreBuilt(qdrant);
    },
    // By a library of its own, as the server's rounds have.
    ...(warms && {
      warm: async () => {
        for await (const _ of warmingSteps({ db, indexes, library: createLibrary(shelf) })) await setImmediate();
      },
    }),
    async search(tenantId) {
      const question = randomText(6);
      await library.recall({ tenantId, identityId: 1, question, limit: 10, shared: true, archived: false });
      // The page of the search says this, too.
      await library.coverage(tenantId, 1, { own: true, archived: false });
    },
    write: (tenantId) => library.remember({ tenantId }, draftOf()),
    async close() {
      await indexes.vectors.drop(space);
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

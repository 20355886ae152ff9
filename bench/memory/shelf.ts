// Memories for measuring: the real indexes in a folder of its own, and documents in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type Documents, type Link, memoryKind, type Remembered } from '../../src/memory/ports.ts';
import { createRecall, type RecallRequest } from '../../src/memory/recall/recall.ts';
import { countsOf } from '../../src/memory/recall/words.ts';
import { scopesOf } from '../../src/memory/scopes.ts';
import { indexedText } from '../../src/memory/text.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import type { Vectors } from '../../src/ports/vectors.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createEmbeddedVectors } from '../../src/stores/vectors/embedded/vectors.ts';
import { createEmbeddedWords } from '../../src/stores/words/embedded.ts';

type Ask = Pick<RecallRequest, 'mode' | 'depth' | 'weights' | 'share'>;

/** @param vectors - where they are kept, if not in the embedded store */
export function openShelf(embedder: Embedder, vectors?: Vectors) {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  const indexes = {
    words: createEmbeddedWords({ sqlite: db.file }),
    vectors: vectors ?? createEmbeddedVectors({ sqlite: db.file }),
    embedder,
    formerEmbedder: () => null,
  };
  const memories = new Map<number, Remembered>();
  const around = new Map<number, Link[]>();
  const load = async (_tenant: number, ids: readonly number[]) => ids.flatMap((id) => memories.get(id) ?? []);
  const documents: Documents = {
    load,
    ranked: load,
    links: async (_tenant, ids) => ids.flatMap((id) => around.get(id) ?? []),
  };
  const recall = createRecall({ ...indexes, documents, clock: systemClock });

  return {
    /** Writes memories with their words, and their vectors where they are given. */
    async add(
      some: readonly Remembered[],
      textOf: (memory: Remembered) => string = indexedText,
      made?: Float32Array[],
    ) {
      for (const memory of some) memories.set(memory._id, memory);
      const place = (one: Remembered) => ({ id: one._id, tenantId: one.tenantId, scopes: scopesOf(one) });
      await indexes.words.upsert(
        memoryKind,
        some.map((one) => ({ ...place(one), counts: countsOf(textOf(one)) })),
      );
      const vectors = made ?? (await embedder.embed(1, some.map(textOf), 'document'));
      const space = { kind: memoryKind, model: embedder.model, dimensions: vectors[0]?.length ?? 0 };
      await indexes.vectors.upsert(
        space,
        some.map((one, at) => ({ ...place(one), vector: vectors[at] as Float32Array })),
      );
    },
    link(from: number, to: number) {
      const link: Link = { fromMemoryId: from, toMemoryId: to, type: 'Temporal', strength: 1 };
      for (const id of [from, to]) around.set(id, [...(around.get(id) ?? []), link]);
    },
    search: (identityId: number, question: string, limit: number, more: Ask = {}) =>
      recall({ tenantId: 1, identityId, question, limit, shared: false, archived: false, ...more }),
    async close() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type Shelf = ReturnType<typeof openShelf>;

export const memoryOf = (
  _id: number,
  identityId: number,
  title: string,
  content: string,
  createdAt: Date,
): Remembered => ({
  _id,
  identityId,
  title,
  content,
  createdAt,
  tenantId: 1,
  projectId: null,
  type: 'Conversation',
  provenance: 'Observed',
  importance: 5,
  isShared: false,
  archivedAt: null,
  supersededById: null,
  accessCount: 0,
  tags: [],
});

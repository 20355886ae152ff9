// Memories with their indexes over stores that can die at any call, and be opened again on what they had written.

import fc from 'fast-check';
import { identityRecord } from '../../../src/auth/collections.ts';
import { edgeRecord, mentionRecord, nameRecord, nodeRecord } from '../../../src/groups/graph/record.ts';
import { createNodeIndexing } from '../../../src/groups/graph/rounds.ts';
import { graphOf } from '../../../src/groups/graph/shelf.ts';
import { createLibrary, type NewMemory } from '../../../src/groups/memories/library.ts';
import { linkRecord, memoryRecord } from '../../../src/groups/memories/record.ts';
import { createMemoryIndexing } from '../../../src/groups/memories/rounds.ts';
import { askedNow, createSealing, createSealingRound } from '../../../src/groups/memories/sealing.ts';
import type { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { createVault } from '../../../src/kernel/vault.ts';
import { memoryKind } from '../../../src/memory/ports.ts';
import { wordsOf } from '../../../src/memory/recall/words.ts';
import type { Db } from '../../../src/ports/db.ts';
import type { Embedder } from '../../../src/ports/embedder.ts';
import { createKeeper } from '../../../src/ports/keeper.ts';
import { policySpec } from '../../../src/ports/tenant-policy.ts';
import type { Vectors } from '../../../src/ports/vectors.ts';
import type { Words } from '../../../src/ports/words.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { withSealedDocuments } from '../../../src/stores/sealed-documents.ts';
import { withKeyedWords } from '../../../src/stores/words/keyed.ts';

/** Stores on what was written before; `reopen` forgets whatever the process held in memory. */
export interface Stores {
  open(): Promise<{ db: Db; words: Words; vectors: Vectors; close(): Promise<void> }>;
  close(): Promise<void>;
}

export const specs = [
  ...[memoryRecord, linkRecord, nodeRecord, edgeRecord, mentionRecord, nameRecord].map(({ spec }) => spec),
  identityRecord.spec,
  policySpec,
];

/** What encrypts the memories of those who ask for it. */
export const vault = createVault({ secret: 'a secret of tests', purpose: 'memories' });

export const vocabulary = ['harbour', 'Lindau', 'ferry', 'blue', 'Konstanz', 'seven', 'not', '上海', 'open'];
/** A text of some of these words. */
export const text = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '));

/** The one identity of a tenant with a number: ids are the server's. */
export const identityOf = (tenantId: number, number: number) => tenantId * 10 + number;

/** A vector for each set of words, the same for the same; it reads no Chinese. */
export const testEmbedder: Embedder = {
  model: 'test:words',
  weights: { semantic: 0.3, keyword: 0.7 },
  reads: (text) => !/\p{Script=Han}/u.test(text),
  embed: async (_tenant, texts) => texts.map(vectorOf),
  close: async () => {},
};

export function vectorOf(text: string): Float32Array {
  const sums = new Float64Array(16).fill(0.01);
  for (const word of wordsOf(text)) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
    for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + Math.sin(hash * (at + 1));
  }
  const length = Math.hypot(...sums);
  return Float32Array.from(sums, (one) => one / length);
}

/** The life of a process: after `left` further calls of its stores it is dead, and none of them is answered any more. */
export interface Life {
  left: number;
}

export class Killed extends Error {}

const reads = new Set(['findOne', 'find', 'countDocuments', 'aggregate', 'search', 'scroll', 'spaces', 'sizes']);

/** An object whose methods fail once the life is over; each write takes something of it. */
function mortal<T extends object>(store: T, life: Life): T {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function' || name === 'writes') return method;
      return (...args: unknown[]) => {
        if (life.left <= 0) return cursorOr(name, () => Promise.reject(new Killed()));
        if (!reads.has(String(name))) life.left--;
        return method.apply(target, args) as unknown;
      };
    },
  });
}

const cursorOr = (name: string | symbol, fail: () => Promise<never>) =>
  name === 'find' || name === 'aggregate' ? { toArray: fail, made: fail } : fail();

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A process at work, from its start to its end. */
export async function openWorld(stores: Stores, clock: SimulatedClock) {
  const life: Life = { left: Number.POSITIVE_INFINITY };
  const opened = await stores.open();
  const { close } = opened;
  const sealed = withSealedDocuments(opened.db, vault, specs);
  const db: Db = { ...sealed, collection: (source: never) => mortal(sealed.collection(source), life) as never };
  const indexes = {
    words: mortal(withKeyedWords(opened.words, vault, new Set([memoryKind])), life),
    seals: vault,
    vectors: mortal(opened.vectors, life),
    embedder: testEmbedder,
    formerEmbedder: () => null,
  };
  const base = { db, ids: createIds({ db: opened.db }), clock, indexes };
  const memories = createKeeper(memoryRecord, base);
  const links = createKeeper(linkRecord, base);
  const { book, mentions, nodes, edges } = graphOf(base);
  const { changes } = db;
  const library = createLibrary({
    memories,
    links,
    indexes,
    clock,
    changes,
    sealing: createSealing(base),
    graph: book,
  });
  const sealing = createSealingRound(base);
  const ofMemories = createMemoryIndexing(base, { book, library });
  const ofEntities = createNodeIndexing(base, book);
  /** The background work, until nothing waits. */
  const settle = async () => {
    await sealing.work(new AbortController().signal);
    await ofMemories.indexing.round();
    await sealing.work(new AbortController().signal);
    await ofEntities.indexing.round();
  };
  const repair = async () => {
    await ofMemories.repairing.work(new AbortController().signal);
    await ofEntities.repairing.work();
  };
  const settings = settingsOf(db);
  await settings.make(opened.db);
  const raw = opened.db.collection(memoryRecord.spec);
  return { life, memories, links, mentions, nodes, edges, library, settle, repair, indexes, close, ...settings, raw };
}

/** What asks for encryption: identities, and the policies of tenants. */
function settingsOf(db: Db) {
  const [identities, policies] = [db.collection(identityRecord.spec), db.collection(policySpec)];
  return {
    make: async (db: Db) => {
      for (const tenantId of [1, 2])
        for (const number of [1, 2]) {
          const _id = identityOf(tenantId, number);
          const fresh = { tenantId, nameKey: `identity ${_id}`, memory: null, memoriesUnsettled: null };
          const there = { upsert: true };
          await db.collection(identityRecord.spec).updateOne({ _id }, { $setOnInsert: fresh }, there);
        }
    },
    encrypt: (identityId: number, encryptionEnabled: boolean) =>
      identities.updateOne(
        { _id: identityId },
        { $set: { memory: { encryptionEnabled }, memoriesUnsettled: askedNow() } },
      ),
    require: (tenantId: number, memoryEncryptionRequired: boolean) =>
      policies.updateOne(
        { _id: tenantId },
        { $set: { memoryEncryptionRequired, memoriesUnsettled: true }, $inc: { version: 1 } },
        { upsert: true },
      ),
    isAsked: async (tenantId: number, identityId: number) => {
      const [policy, identity] = [
        await policies.findOne({ _id: tenantId }),
        await identities.findOne({ _id: identityId }),
      ];
      return (policy?.memoryEncryptionRequired ?? false) || identity?.memory?.encryptionEnabled === true;
    },
  };
}

/** A memory as a request would have it. */
export const drafted = (
  identityId: number,
  title: string,
  content: string,
  more: Partial<NewMemory> = {},
): NewMemory => ({
  identityId,
  title,
  content,
  type: 'Reference',
  provenance: 'Observed',
  importance: 5,
  isPinned: false,
  isShared: false,
  projectId: null,
  tags: [],
  sourceRunId: null,
  sourceChatSessionId: null,
  ...more,
});

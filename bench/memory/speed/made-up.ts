// Made-up memories: words as a language has them, and vectors of no meaning, since embedding is measured apart.
import type { MemoryDoc } from '../../../src/groups/memories/record.ts';
import { unit } from '../../../src/models/embedders/vectors.ts';
import type { Embedder } from '../../../src/ports/embedder.ts';

export const dimensions = 512;

export const randomVector = () => unit(Array.from({ length: dimensions }, () => Math.random() - 0.5));

/** A few words are common, most are rare. */
export const randomText = (words: number) =>
  Array.from({ length: words }, () => `word${Math.floor(20_000 * Math.random() ** 3)}x`).join(' ');

export const instant: Embedder = {
  model: 'random',
  weights: { semantic: 0.3, keyword: 0.7 },
  reads: () => true,
  embed: async (_tenant, texts) => texts.map(randomVector),
  close: async () => {},
};

export const draftOf = () => ({
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

export function memoryOf(_id: number, tenantId: number): MemoryDoc {
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

export function linkOf({ _id, tenantId }: MemoryDoc, tenants: number) {
  const now = new Date();
  const type = 'Temporal' as const;
  const ends = { fromMemoryId: _id, toMemoryId: _id + tenants };
  return { _id, tenantId, ...ends, type, strength: 1, coActivationCount: 0, createdAt: now, updatedAt: now };
}

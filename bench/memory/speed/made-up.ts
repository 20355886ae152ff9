// Made-up memories: words as a language has them, and vectors that lie in themes as those of texts do, since embedding is
// measured apart.
import type { MemoryDoc } from '../../../src/groups/memories/record.ts';
import { unit } from '../../../src/models/embedders/vectors.ts';
import type { Embedder } from '../../../src/ports/embedder.ts';

export const dimensions = 512;

const anyDirection = () => unit(Array.from({ length: dimensions }, () => Math.random() - 0.5));
/** What texts may speak of: 3,000 directions around 60 themes. */
const themes = Array.from({ length: 60 }, anyDirection);
const subjects = Array.from({ length: 3000 }, (_, at) => mixed([1, themes[at % 60]!], [0.8, anyDirection()]));

/** Three subjects, one of them above all, and a little that is its own: a graph finds its way among such vectors. */
export const randomVector = () =>
  mixed([0.6, anyOf(subjects)], [0.25, anyOf(subjects)], [0.15, anyOf(subjects)], [0.2, anyDirection()]);

function mixed(...parts: readonly (readonly [number, Float32Array])[]): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const [share, of] of parts) for (let at = 0; at < dimensions; at++) sum[at]! += share * of[at]!;
  return unit(sum);
}

const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;

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

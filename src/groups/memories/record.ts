// Memories and links as they are kept.
import type { Findable } from '../../memory/kinds.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { HebbianLinkDto, MemoryDetailDto } from './dto.ts';

type Computed = 'linksFrom' | 'linksTo' | 'hasEmbedding';

/** What a memory said before somebody changed it. */
export interface MemoryEdit {
  /** The run that changed it; null where people did. */
  runId: number | null;
  at: Date;
  title: string;
  content: string;
  importance: number;
  provenance: MemoryDetailDto['provenance'];
}

export interface MemoryDoc extends Stored<Omit<MemoryDetailDto, Computed>>, Findable {
  _id: number;
  tenantId: number;
  createdAt: Date;
  /** Digest of title and content: the same text is remembered once. */
  digest: string;
  archivedReason: string | null;
  supersededById: number | null;
  /** The run or chat that wrote it, for taking back what it wrote. */
  sourceRunId: number | null;
  sourceChatSessionId: number | null;
  /** The import that brought it; absent where none did. */
  sourceImportId?: number;
  /** The newest changes of its text, oldest first; absent before the first. */
  edits?: MemoryEdit[];
  editedByRunIds?: number[];
  /** Memories that it says already, and that are yet to be archived for it. */
  mergingIds?: number[];
}

export const memoryRecord = record<MemoryDoc>('memories', {
  noun: 'memory',
  inProject: true,
  list: 'GET /api/identities/{identityId}/memories',
  order: '-createdAtUtc',
  search: ['title', 'content'],
  // How many a tenant has is asked for before each new one, where its plan limits them.
  rollups: [{ per: { path: 'createdAt', ms: 36_500 * 86_400_000 }, by: ['tenantId'], sums: [] }],
  sealed: { texts: ['title', 'content', 'archivedReason', 'edits.title', 'edits.content'], labels: ['tags'] },
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1, archivedAt: 1, importance: -1 } },
    { keys: { tenantId: 1, identityId: 1, importance: 1 } },
    { keys: { tenantId: 1, identityId: 1, digest: 1 } },
    // Exports read them in this order.
    { keys: { tenantId: 1, identityId: 1, _id: 1 } },
    {
      keys: { tenantId: 1, identityId: 1, importance: -1 },
      name: 'pinned',
      partialFilterExpression: { isPinned: true },
    },
    { keys: { tenantId: 1, identityId: 1, embeddingModel: 1, archivedAt: 1 } },
    {
      keys: { tenantId: 1, identityId: 1, embeddingModel: 1 },
      name: 'shared',
      partialFilterExpression: { isShared: true },
    },
    { keys: { tenantId: 1, identityId: 1, sealedBy: 1 } },
    { keys: { sealedBy: 1 }, name: 'sealed', partialFilterExpression: { sealedBy: { $gt: '' } } },
    { keys: { tenantId: 1, sourceRunId: 1 } },
    {
      keys: { tenantId: 1, sourceImportId: 1 },
      name: 'imported',
      partialFilterExpression: { sourceImportId: { $gt: 0 } },
    },
    { keys: { tenantId: 1, editedByRunIds: 1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
  ],
});

export interface LinkDoc extends Stored<Omit<HebbianLinkDto, 'fromMemoryTitle' | 'toMemoryTitle'>> {
  createdAt: Date;
  updatedAt: Date;
  /** Whose private memory an end of it is: a search of others does not follow it. Null where both ends are shared. */
  ofIdentityId?: number | null;
  /** The run that made it or changed it last. */
  sourceRunId?: number | null;
  /** What it was before that run changed it. */
  before?: Pick<HebbianLinkDto, 'type' | 'strength'> | null;
}

export const linkRecord = record<LinkDoc>('memory_links', {
  noun: 'link',
  list: 'GET /api/memories/{id}',
  order: '-createdAtUtc',
  lacks: ['guid'],
  indexes: [
    { keys: { tenantId: 1, fromMemoryId: 1, toMemoryId: 1 }, unique: true },
    { keys: { tenantId: 1, toMemoryId: 1, ofIdentityId: 1 } },
    { keys: { tenantId: 1, sourceRunId: 1 } },
    // For the repair, which looks at all tenants.
    { keys: { fromMemoryId: 1 } },
    { keys: { toMemoryId: 1 } },
  ],
});

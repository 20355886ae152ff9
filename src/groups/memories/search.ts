// A search as an operation or a tool asks for it: the identity's configuration fills what is left open.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { MemoryType, SearchMode } from '../../contract/enums.ts';
import { type InProjects, mayReadIn } from '../../ports/in-project.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { settingOf } from '../identities/settings.ts';
import type { MemorySearchResult } from './dto.ts';
import type { Library } from './library.ts';
import type { MemoryDoc } from './record.ts';
import { toListDto } from './show.ts';

export interface SearchQuery {
  q: string;
  limit?: number | undefined;
  minScore?: number | undefined;
  mode?: SearchMode | undefined;
  types?: MemoryType[] | undefined;
  projectId?: number | undefined;
  tag?: string | undefined;
  provenance?: MemoryDoc['provenance'] | undefined;
  isShared?: boolean | undefined;
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
  includeArchived?: boolean | undefined;
  includeShared?: boolean | undefined;
  linkExpansionDepth?: number | undefined;
}

interface Deps {
  library: Library;
  identities: PerTenant<IdentityDoc>;
}

const defaultLimit = 10;

export function createSearchMemories({ library, identities }: Deps) {
  /** @param own - whether private memories may be looked at; else only what the identity shares */
  return async (
    by: InProjects & { tenantId: number; keepsOwn?: boolean },
    identityId: number,
    query: SearchQuery,
    own: boolean,
  ): Promise<MemorySearchResult> => {
    const { tenantId } = by;
    const identity = await identities(tenantId).findOne({ _id: identityId });
    const config = identity && settingOf(identity, 'memory').defaultSearchConfig;
    const types = query.types ?? (config?.types.length ? config.types : undefined);
    const archived = query.includeArchived ?? config?.includeArchived ?? false;
    const shared = own ? (query.includeShared ?? config?.includeShared ?? true) : true;
    const { hits, candidates, warning } = await library.recall({
      tenantId,
      // A stranger searches as nobody: of scopes only what is shared is left.
      identityId: own ? identityId : 0,
      question: query.q,
      limit: query.limit ?? config?.limit ?? defaultLimit,
      mode: query.mode,
      minScore: query.minScore ?? config?.minScore,
      depth: query.linkExpansionDepth ?? config?.linkExpansionDepth,
      weights: config ? { semantic: config.semanticWeight, keyword: config.keywordWeight } : undefined,
      factors: config ? { importance: config.importanceWeight, recency: config.recencyWeight } : undefined,
      shared,
      archived,
      tag: query.tag,
      filter: (memory) =>
        (mayReadIn(by, memory.projectId) || (by.keepsOwn === true && memory.identityId === identityId)) &&
        (own || memory.identityId === identityId) &&
        (types?.includes(memory.type) ?? true) &&
        (query.projectId === undefined || memory.projectId === query.projectId) &&
        (query.provenance === undefined || memory.provenance === query.provenance) &&
        (query.isShared === undefined || memory.isShared === query.isShared) &&
        (query.fromUtc === undefined || memory.createdAt >= new Date(query.fromUtc)) &&
        (query.toUtc === undefined || memory.createdAt < new Date(query.toUtc)),
    });
    return {
      results: hits.map(({ memory, ...hit }) => ({ memory: toListDto(memory), ...hit })),
      totalCandidates: candidates,
      embeddingCoverage: await library.coverage(tenantId, identityId, { own, archived }),
      warning,
    };
  };
}
export type SearchMemories = ReturnType<typeof createSearchMemories>;

// The search over everything that the caller may read.
import { z } from 'zod';
import { SearchHitKind, SearchMode } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { fields, float, int32, int64, string } from '../../contract/types.ts';
import { GlobalSearchResultDto } from './dto.ts';

export const globalSearch = group(
  'GlobalSearch',
  { base: '/api/search', doc: 'Finds things of every kind at once.' },
  {
    search: op.get('', {
      doc: 'Search everything the caller may read, ranked together: each kind that the caller may list proposes its best and newest, by words and, where it has vectors, by meaning. `countsByKind` counts what was found before `limit`.',
      needs: 'self',
      byAnyKey: true,
      query: fields({
        q: string.trim().min(1).max(1000),
        kinds: z.array(SearchHitKind).max(20).optional(),
        projectId: int64.optional(),
        identityId: int64.optional(),
        limit: int32.min(1).max(200).default(20),
        minScore: float.min(0).max(1).optional(),
        mode: SearchMode.optional(),
      }),
      data: GlobalSearchResultDto,
    }),
  },
);

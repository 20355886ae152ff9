// Counts how many identities have each tag.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Collection, Filter } from '../../../ports/db.ts';
import type { IdentityTagCountDto } from './dto.ts';

/** Tags of the identities that match, in the store's order. */
export async function tagCounts(
  identities: Collection<IdentityDoc>,
  filter: Filter<IdentityDoc>,
): Promise<IdentityTagCountDto[]> {
  const rows = await identities
    .aggregate<{ _id: string; count: number }>([
      { $match: filter as Record<string, unknown> },
      { $project: { tags: 1 } },
      { $unwind: '$tags' },
      { $group: { _id: '$tags', count: { $sum: 1 } } },
    ])
    .toArray();
  return rows.map(({ _id: tag, count }) => ({ tag, count }));
}

// Which documents of a project are published, and what of them has changed since a build.
import type { Filter } from '../../ports/db.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { DocDoc } from '../docs/record.ts';

/** Documents that anybody may read, now: published, Public, and their time has come. */
export const publishedOf = (projectId: number, now: Date): Filter<DocDoc> => ({
  projectId,
  isPublished: true,
  publishedAt: { $lte: now },
  classification: 'Public',
  deletedAt: null,
});

/** How many documents a site shows otherwise than they are; all that are published where it shows none yet. */
export async function countChanges(
  docs: PerTenant<DocDoc>,
  at: { tenantId: number; projectId: number; now: Date; since: Date | null },
): Promise<number> {
  const { tenantId, projectId, now, since } = at;
  const of = docs(tenantId);
  if (since === null) return of.countDocuments(publishedOf(projectId, now));
  const changed = await of.countDocuments({ projectId, siteChangedAt: { $gte: since } });
  // Their time came after the build began.
  const due = { ...publishedOf(projectId, now), publishedAt: { $gt: since, $lte: now }, siteChangedAt: { $lt: since } };
  return changed + (await of.countDocuments(due));
}

// Builds of sites as they are kept.
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { SiteBuildDto } from './dto.ts';

export interface SiteBuildDoc extends KeptDoc, Omit<Stored<SiteBuildDto>, 'requestedAt'> {
  _id: number;
  tenantId: number;
  /** Nothing of the last build is reused. */
  isForced: boolean;
  /** Set while it is Building: then it waits again. */
  leaseUntil: Date | null;
  /** Of the claim that holds it; another claim has another one. */
  claimToken: string | null;
  /** Who claimed it: `user:7`, `identity:9` or `server`. */
  claimedBy: string | null;
  attempts: number;
  /** The request that claimed it: one that is repeated finds it. */
  claimMark: string | null;
}

export const siteBuildRecord = record<SiteBuildDoc>('site_builds', {
  noun: 'site build',
  list: 'GET /api/projects/{projectId}/site-builds/status',
  order: '-id',
  inProject: true,
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, projectId: 1, _id: -1 } },
    { keys: { tenantId: 1, projectId: 1, status: 1, _id: -1 } },
    { keys: { status: 1, _id: 1 } },
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    {
      keys: { tenantId: 1, claimMark: 1 },
      name: 'claim',
      partialFilterExpression: { claimMark: { $gt: '' } },
    },
    // A project's site is built by one builder at a time.
    {
      keys: { tenantId: 1, projectId: 1 },
      unique: true,
      name: 'building',
      partialFilterExpression: { status: 'Building' },
    },
  ],
});

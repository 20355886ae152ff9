// Builds of sites as they are answered and published.
import type { z } from 'zod';
import { SiteBuildStatus } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';

export const SiteBuildDto = dto('SiteBuildDto', {
  id: int64,
  projectId: int64,
  status: SiteBuildStatus,
  /** Null where the server asked for it itself. */
  requestedByUserId: int64.nullable(),
  requestedByName: string.nullable(),
  requestedAtUtc: dateTime,
  startedAtUtc: dateTime.nullable(),
  finishedAtUtc: dateTime.nullable(),
  commitSha: string.nullable(),
  builderHost: string.nullable(),
  detail: string.nullable(),
});
export type SiteBuildDto = z.output<typeof SiteBuildDto>;

export const SiteStatusDto = dto('SiteStatusDto', {
  projectId: int64,
  siteEnabled: boolean,
  /** Whether the caller may ask for a build. */
  canPublish: boolean,
  latest: SiteBuildDto.nullable(),
  lastPublished: SiteBuildDto.nullable(),
  /** Documents that the site shows otherwise than they are now. */
  pendingChanges: int32,
});
export type SiteStatusDto = z.output<typeof SiteStatusDto>;

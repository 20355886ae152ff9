// Builds of a project's public site, as they are answered and published.
import type { z } from 'zod';
import { SiteBuildStatus } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';

export const SiteBuildDto = dto('SiteBuildDto', {
  id: int64,
  projectId: int64,
  status: SiteBuildStatus,
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
  canPublish: boolean,
  latest: SiteBuildDto.nullable(),
  lastPublished: SiteBuildDto.nullable(),
  pendingChanges: int32,
});
export type SiteStatusDto = z.output<typeof SiteStatusDto>;

// Projects as they are answered and published.
import { z } from 'zod';
import { PrincipalKind, ProjectRole, ProjectStatus, SearchHitKind } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, int32, int64, string, uuid } from '../../contract/types.ts';
import { AgentRunDto } from '../agent/dto.ts';
import { AIUsagePoint } from '../ai-router/dto.ts';
import { SiteStatusDto } from '../site-builds/dto.ts';

export const ProjectDto = dto('ProjectDto', {
  id: int64,
  guid: uuid,
  key: string,
  name: string,
  description: string.nullable(),
  status: ProjectStatus,
  orgUnitId: int64.nullable(),
  orgUnitName: string.nullable(),
  ownerUserId: int64.nullable(),
  ownerName: string.nullable(),
  leadIdentityId: int64.nullable(),
  leadIdentityName: string.nullable(),
  repositoryUrl: string.nullable(),
  defaultBranch: string.nullable(),
  siteEnabled: boolean,
  siteSlug: string.nullable(),
  icon: string.nullable(),
  color: string.nullable(),
  tags: z.array(string),
  taskCount: int32,
  openTaskCount: int32,
  activeRunCount: int32,
  factCount: int32,
  docCount: int32,
  memberCount: int32,
  lastActivityAtUtc: dateTime.nullable(),
  archivedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type ProjectDto = z.output<typeof ProjectDto>;

export const ProjectMemberDto = dto('ProjectMemberDto', {
  id: int64,
  memberKind: PrincipalKind,
  userId: int64.nullable(),
  identityId: int64.nullable(),
  name: string,
  role: ProjectRole,
  addedAtUtc: dateTime,
});
export type ProjectMemberDto = z.output<typeof ProjectMemberDto>;

export const ProjectDetailDto = dto('ProjectDetailDto', {
  ...ProjectDto.shape,
  agentInstructions: string.nullable(),
  members: z.array(ProjectMemberDto),
  /** What the caller is in it; owners and administrators of the tenant are owners everywhere. */
  callerRole: ProjectRole.nullable(),
  workspaceIds: z.array(int64),
  site: SiteStatusDto.nullable(),
});
export type ProjectDetailDto = z.output<typeof ProjectDetailDto>;

const counts = z.record(string, int32);

export const ProjectSummaryDto = dto('ProjectSummaryDto', {
  projectId: int64,
  days: int32,
  runsByStatus: counts,
  tasksByStatus: counts,
  activeRuns: z.array(AgentRunDto),
  openEscalationCount: int32,
  runCount: int32,
  successRate: double,
  tokensUsed: int64,
  costUsd: double,
  costPoints: z.array(AIUsagePoint),
  factCount: int32,
  docCount: int32,
  memoryCount: int32,
  routineCount: int32,
  overdueTaskCount: int32,
  nextRoutineDueAtUtc: dateTime.nullable(),
});
export type ProjectSummaryDto = z.output<typeof ProjectSummaryDto>;

export const ActivityItemDto = dto('ActivityItemDto', {
  id: int64,
  kind: SearchHitKind,
  /** What was done, in a word or two: `created`, `completed`, `moved to Done`. */
  action: string,
  targetId: int64,
  title: string,
  detail: string.nullable(),
  actorKind: PrincipalKind,
  actorId: int64.nullable(),
  actorName: string.nullable(),
  /** Where the API answers what it is about. */
  url: string,
  createdAtUtc: dateTime,
});
export type ActivityItemDto = z.output<typeof ActivityItemDto>;

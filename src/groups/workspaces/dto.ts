// Workspaces and their snapshots as clients see them.
import { z } from 'zod';
import { WorkspaceKind, WorkspaceState } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../contract/types.ts';
import { AgentRunDto } from '../agent/dto.ts';

export const WorkspaceDto = dto('WorkspaceDto', {
  id: int64,
  guid: uuid,
  name: string,
  description: string.nullable(),
  kind: WorkspaceKind,
  state: WorkspaceState,
  projectId: int64.nullable(),
  orgUnitId: int64.nullable(),
  ownerIdentityId: int64.nullable(),
  rootPath: string,
  gitUrl: string.nullable(),
  branch: string.nullable(),
  headSha: string.nullable(),
  sizeBytes: int64,
  quotaBytes: int64.nullable(),
  fileCount: int32,
  isReadOnly: boolean,
  activeRunCount: int32,
  lastError: string.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type WorkspaceDto = z.output<typeof WorkspaceDto>;

export const WorkspaceSnapshotDto = dto('WorkspaceSnapshotDto', {
  id: int64,
  workspaceId: int64,
  label: string,
  sha: string,
  fileCount: int32,
  sizeBytes: int64,
  runId: int64.nullable(),
  createdByName: string.nullable(),
  createdAtUtc: dateTime,
});
export type WorkspaceSnapshotDto = z.output<typeof WorkspaceSnapshotDto>;

export const WorkspaceDetailDto = dto('WorkspaceDetailDto', {
  ...WorkspaceDto.shape,
  snapshots: z.array(WorkspaceSnapshotDto),
  activeRuns: z.array(AgentRunDto),
});
export type WorkspaceDetailDto = z.output<typeof WorkspaceDetailDto>;

// Stored workspaces and snapshots as clients see them.
import type { WorkspaceDto, WorkspaceSnapshotDto } from './dto.ts';
import type { SnapshotDoc, WorkspaceDoc } from './records.ts';

// Field by field: what a record keeps for itself must not come out.
export const toWorkspaceDto = (doc: WorkspaceDoc, activeRunCount: number): WorkspaceDto => ({
  id: doc._id,
  guid: doc.guid,
  name: doc.name,
  description: doc.description,
  kind: doc.kind,
  state: doc.state,
  projectId: doc.projectId,
  orgUnitId: doc.orgUnitId,
  ownerIdentityId: doc.ownerIdentityId,
  rootPath: doc.rootPath,
  gitUrl: doc.gitUrl,
  branch: doc.branch,
  headSha: doc.headSha,
  sizeBytes: doc.sizeBytes,
  quotaBytes: doc.quotaBytes,
  fileCount: doc.fileCount,
  isReadOnly: doc.isReadOnly,
  activeRunCount,
  lastError: doc.lastError,
  expiresAtUtc: doc.expiresAt?.toISOString() ?? null,
  createdAtUtc: doc.createdAt.toISOString(),
  updatedAtUtc: doc.updatedAt.toISOString(),
});

export const toSnapshotDto = (doc: SnapshotDoc): WorkspaceSnapshotDto => ({
  id: doc._id,
  workspaceId: doc.workspaceId,
  label: doc.label,
  sha: doc.sha,
  fileCount: doc.fileCount,
  sizeBytes: doc.sizeBytes,
  runId: doc.runId,
  createdByName: doc.createdByName,
  createdAtUtc: doc.createdAt.toISOString(),
});

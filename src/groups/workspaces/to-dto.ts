// Stored workspaces and snapshots as clients see them.
import type { WorkspaceDto, WorkspaceSnapshotDto } from './dto.ts';
import type { SnapshotDoc, WorkspaceDoc } from './records.ts';

export function toWorkspaceDto(doc: WorkspaceDoc, activeRunCount: number): WorkspaceDto {
  const { _id, tenantId, nameKey, expiresAt, createdAt, updatedAt, ...shown } = doc;
  return {
    ...shown,
    id: _id,
    activeRunCount,
    expiresAtUtc: expiresAt?.toISOString() ?? null,
    createdAtUtc: createdAt.toISOString(),
    updatedAtUtc: updatedAt.toISOString(),
  };
}

export function toSnapshotDto({ _id, tenantId, createdAt, ...shown }: SnapshotDoc): WorkspaceSnapshotDto {
  return { ...shown, id: _id, createdAtUtc: createdAt.toISOString() };
}

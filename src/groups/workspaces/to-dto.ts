// Stored workspaces and snapshots as clients see them.
import { shown } from '../../ports/shown.ts';
import { WorkspaceDto, WorkspaceSnapshotDto } from './dto.ts';
import type { SnapshotDoc, WorkspaceDoc } from './records.ts';

export const toWorkspaceDto = (doc: WorkspaceDoc, activeRunCount: number): WorkspaceDto =>
  shown(WorkspaceDto, doc, { activeRunCount });

export const toSnapshotDto = (doc: SnapshotDoc): WorkspaceSnapshotDto => shown(WorkspaceSnapshotDto, doc);

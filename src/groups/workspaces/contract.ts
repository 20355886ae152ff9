// File workspaces that runs share: made empty or from git, read and written, snapshotted and restored.
import { z } from 'zod';
import { WorkspaceKind } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { AgentRunFileContent, AgentRunFileInfo } from '../agent/files/dto.ts';
import { WorkspaceDetailDto, WorkspaceDto, WorkspaceSnapshotDto } from './dto.ts';

const name = string.trim().min(1).max(200);
const description = string.max(4000);
const path = string.min(1).max(4096);
const quotaBytes = int64.min(1_048_576).max(1_099_511_627_776);
const mebibyte = 1_048_576;

export const workspaces = group(
  'Workspaces',
  { base: '/api/workspaces', doc: 'Files that runs share: each workspace is a git store with one worktree.' },
  {
    list: op.get('', {
      doc: 'List workspaces, newest first.',
      needs: 'WorkspacesRead',
      query: listQuery(['createdAtUtc', 'updatedAtUtc', 'name', 'sizeBytes', 'id'], {
        projectId: int64.optional(),
        kind: WorkspaceKind.optional(),
        q: string.max(200).optional(),
      }),
      data: page(WorkspaceDto),
    }),
    create: op.post('', {
      doc: 'Create a workspace, empty or cloned from git over https; a clone is Preparing until it is there.',
      needs: 'WorkspacesWrite',
      body: fields({
        name,
        description: description.nullish(),
        kind: WorkspaceKind.nullish(),
        projectId: int64.nullish(),
        orgUnitId: int64.nullish(),
        gitUrl: string.trim().min(1).max(2000).nullish(),
        branch: string
          .max(200)
          .regex(/^[\w][\w./-]*$/, 'the name of a branch')
          .nullish(),
        connectorId: int64.nullish(),
        quotaBytes: quotaBytes.nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: WorkspaceDto,
    }),
    get: op.get('/{id}', {
      doc: 'One workspace with its snapshots and the runs that use it.',
      needs: 'WorkspacesRead',
      data: WorkspaceDetailDto,
    }),
    patch: op.patch('/{id}', {
      doc: 'Rename, limit, lock or re-attach a workspace; a later expiry makes an expired one usable again.',
      needs: 'WorkspacesWrite',
      body: fields({
        name: name.optional(),
        description: description.nullish(),
        projectId: int64.nullish(),
        orgUnitId: int64.nullish(),
        quotaBytes: quotaBytes.nullish(),
        isReadOnly: boolean.optional(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: WorkspaceDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete a workspace with its files and history; with force also while runs use it, which are cancelled.',
      needs: 'WorkspacesWrite',
      body: fields({ force: boolean.optional() }).optional(),
      data: nothing,
    }),
    listFiles: op.get('/{id}/files', {
      doc: 'List the files under a path.',
      needs: 'WorkspacesRead',
      query: fields({
        path: string.max(4096).optional(),
        recursive: boolean.optional(),
        glob: string.min(1).max(500).optional(),
      }),
      data: z.array(AgentRunFileInfo),
    }),
    read: op.get('/{id}/files/content', {
      doc: 'Read one file as text, cut when it is large; as it is now or as a snapshot has it.',
      needs: 'WorkspacesRead',
      query: fields({
        path,
        maxBytes: int32.min(1).max(16_777_216).default(mebibyte),
        snapshotId: int64.optional(),
      }),
      data: AgentRunFileContent,
    }),
    write: op.put('/{id}/files/content', {
      doc: 'Write one file whole, as text or base64; with expectedEtag only if nobody changed it meanwhile.',
      needs: 'WorkspacesWrite',
      maxBodyBytes: 32 * mebibyte,
      body: fields({
        path,
        text: string.optional(),
        base64: z.base64().optional(),
        expectedEtag: string.min(1).max(200).optional(),
      }),
      data: AgentRunFileInfo,
    }),
    removeFile: op.delete('/{id}/files/content', {
      doc: 'Delete a file or folder.',
      needs: 'WorkspacesWrite',
      body: fields({ path, recursive: boolean.optional() }),
      data: nothing,
    }),
    snapshot: op.post('/{id}/snapshots', {
      doc: 'Keep the workspace as it is now as a commit, which a restore brings back.',
      needs: 'WorkspacesWrite',
      body: fields({ label: string.trim().min(1).max(200), runId: int64.nullish() }),
      data: WorkspaceSnapshotDto,
    }),
    restore: op.post('/{id}/snapshots/{snapshotId}/restore', {
      doc: 'Bring the files back to a snapshot, as a new commit; with snapshotCurrent after one of what is there.',
      needs: 'WorkspacesWrite',
      body: fields({ snapshotCurrent: boolean.optional() }).optional(),
      data: WorkspaceDetailDto,
    }),
  },
);

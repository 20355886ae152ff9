// Files and changes of a run, as people review them.
import { z } from 'zod';
import { FileChangeType, SandboxStreamKind } from '../../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../../contract/types.ts';

export const AgentRunFileInfo = dto('AgentRunFileInfo', {
  path: string,
  name: string,
  isDirectory: boolean,
  sizeBytes: int64,
  mimeType: string.nullable(),
  isBinary: boolean,
  etag: string.nullable(),
  modifiedAtUtc: dateTime,
});
export type AgentRunFileInfo = z.output<typeof AgentRunFileInfo>;

export const AgentRunFileContent = dto('AgentRunFileContent', {
  path: string,
  sizeBytes: int64,
  isBinary: boolean,
  truncated: boolean,
  text: string.nullable(),
  modifiedAtUtc: dateTime,
});
export type AgentRunFileContent = z.output<typeof AgentRunFileContent>;

export const RunDiffFileDto = dto('RunDiffFileDto', {
  path: string,
  previousPath: string.nullable(),
  changeType: FileChangeType,
  additions: int32,
  deletions: int32,
  isBinary: boolean,
});
export type RunDiffFileDto = z.output<typeof RunDiffFileDto>;

export const ChangedFileDto = dto('ChangedFileDto', {
  path: string,
  changeType: FileChangeType,
  /** Absent for a removed file. */
  sizeBytes: int64.optional(),
  /** Text of a small text file, with secrets left out. */
  text: string.optional(),
  /** Digest of a file whose text is not here. */
  sha256: string.optional(),
});
export type ChangedFileDto = z.output<typeof ChangedFileDto>;

/** Payload of an event `FileChanged` of a command: the files that it has made, changed and removed. */
export const FilesChangedDto = dto('FilesChangedDto', {
  by: string,
  files: z.array(ChangedFileDto),
  /** Number of further changed files that are not listed. */
  more: int32.optional(),
  /** The workspace is too large to be looked through whole: changes may be missing. */
  isPartial: boolean.optional(),
  /** The command was interrupted, and its changes were found later. */
  wasInterrupted: boolean.optional(),
});
export type FilesChangedDto = z.output<typeof FilesChangedDto>;

export const RunDiffDto = dto('RunDiffDto', {
  runId: int64,
  baseSha: string.nullable(),
  headSha: string.nullable(),
  branch: string.nullable(),
  filesChanged: int32,
  additions: int32,
  deletions: int32,
  truncated: boolean,
  patch: string.nullable(),
  files: z.array(RunDiffFileDto),
});
export type RunDiffDto = z.output<typeof RunDiffDto>;

export const DeliverableCheckDto = dto('DeliverableCheckDto', {
  hasContract: boolean,
  deliverable: string.nullable(),
  destination: string.nullable(),
  kind: string,
  met: boolean,
  detail: string.nullable(),
});
export type DeliverableCheckDto = z.output<typeof DeliverableCheckDto>;

export const SandboxChunkDto = dto('SandboxChunkDto', {
  runId: int64,
  seq: int64,
  stream: SandboxStreamKind,
  text: string,
  toolCallId: string.nullable(),
  exitCode: int32.nullable(),
  atUtc: dateTime,
});
export type SandboxChunkDto = z.output<typeof SandboxChunkDto>;

// A run's files, changes and command output, as services read them.
import type { FileChangeType, SandboxStreamKind } from '../contract/enums.ts';

export interface RunFile {
  path: string;
  name: string;
  isDirectory: boolean;
  sizeBytes: number;
  mimeType: string | null;
  isBinary: boolean;
  etag: string | null;
  modifiedAtUtc: string;
}

export interface RunDiff {
  filesChanged: number;
  additions: number;
  deletions: number;
  truncated: boolean;
  patch: string | null;
  files: {
    path: string;
    previousPath: string | null;
    changeType: FileChangeType;
    additions: number;
    deletions: number;
    isBinary: boolean;
  }[];
}

/** What of a run tells where its files are. */
export interface RunOfFiles {
  id: number;
  tenantId: number;
  projectId: number | null;
  workspaceId: number | null;
  rootRunId: number;
  parentRunId: number | null;
  reviewWorktreePath: string | null;
}

/** Files of one run. Every method throws Faults that name what is wrong with a path. */
export interface RunWorkspace {
  branch: string;
  baseSha: string;
  head(): Promise<string>;
  list(path: string, recursive: boolean): Promise<RunFile[]>;
  info(path: string): Promise<RunFile>;
  readText(
    path: string,
    maxBytes: number,
  ): Promise<{
    path: string;
    sizeBytes: number;
    isBinary: boolean;
    truncated: boolean;
    text: string | null;
    modifiedAtUtc: string;
  }>;
  openBytes(
    path: string,
    range: { start?: number; end?: number } | null,
  ): Promise<{
    sizeBytes: number;
    mimeType: string;
    etag: string;
    range: { start: number; end: number };
    body: AsyncIterable<Uint8Array>;
  }>;
  zip(path: string): AsyncIterable<Uint8Array>;
  diff(options: { path?: string; contextLines?: number; statOnly?: boolean }): Promise<RunDiff>;
}

export interface OutputChunk {
  seq: number;
  stream: SandboxStreamKind;
  text: string;
  toolCallId: string | null;
  exitCode: number | null;
  atUtc: string;
}

export interface RunOutput {
  epoch: string;
  /** Seq of the newest chunk; 0 when there is none. */
  lastSeq: number;
  /** Chunks after `afterSeq`, and where `live`, what comes until the sandbox ends or the signal aborts. */
  follow(
    afterSeq: number,
    live: boolean,
    signal: AbortSignal,
  ): AsyncIterable<{ type: 'chunk'; chunk: OutputChunk } | { type: 'gap'; firstSeq: number }>;
}

export interface RunFiles {
  /** The run's workspace; null when it has not used one. */
  workspace(run: RunOfFiles): Promise<RunWorkspace | null>;
  output(runId: number): Promise<RunOutput>;
}

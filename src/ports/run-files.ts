// A run's files, changes and command output, as services read them.
import type { SandboxStreamKind } from '../contract/enums.ts';
import type { FileInfo, FilesDiff, FileText } from './files.ts';

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
  list(path: string, recursive: boolean): Promise<FileInfo[]>;
  info(path: string): Promise<FileInfo>;
  readText(path: string, maxBytes: number): Promise<FileText>;
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
  diff(options: { path?: string; contextLines?: number; statOnly?: boolean }): Promise<FilesDiff>;
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

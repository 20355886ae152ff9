// Files and changes of a workspace, as the sandbox finds them and services show them.
import type { FileChangeType } from '../contract/enums.ts';

export interface FileInfo {
  /** Relative to the workspace, with slashes. */
  path: string;
  name: string;
  isDirectory: boolean;
  sizeBytes: number;
  mimeType: string | null;
  isBinary: boolean;
  /** Changes whenever the file does; null for folders. */
  etag: string | null;
  modifiedAtUtc: string;
}

export interface FileText {
  path: string;
  sizeBytes: number;
  isBinary: boolean;
  truncated: boolean;
  /** Null for binary files. */
  text: string | null;
  modifiedAtUtc: string;
}

/** What changed between two states of the files. */
export interface FilesDiff {
  filesChanged: number;
  additions: number;
  deletions: number;
  /** The patch was cut at a line's end. */
  truncated: boolean;
  /** Unified; null when only counts were asked for. */
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

/** Files that a command has made, changed and removed: the payload of an event `FileChanged`. */
export interface FilesChanged {
  /** Tool that ran the command. */
  by: string;
  files: ChangedFile[];
  /** Number of further changed files that are not listed. */
  more?: number;
  /** The workspace is too large to be looked through whole: changes may be missing. */
  isPartial?: true;
  /** The command was interrupted, and its changes were found later. */
  wasInterrupted?: true;
}

export interface ChangedFile {
  path: string;
  changeType: Extract<FileChangeType, 'Added' | 'Modified' | 'Deleted'>;
  /** Absent for a removed file. */
  sizeBytes?: number;
  /** Text of a small text file, with secrets left out. */
  text?: string;
  /** Digest of a file whose text is not here. */
  sha256?: string;
}

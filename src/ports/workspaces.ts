// File workspaces that runs share, as services see them: files of one worktree, commits of them, and how they come to be.
import type { FileInfo, FileText } from './files.ts';

export interface WorkspaceMeasure {
  headSha: string;
  sizeBytes: number;
  fileCount: number;
}

export interface WorkspaceAuthor {
  name: string;
  email: string;
}

/** One open workspace. Every method throws Faults that name what is wrong. */
export interface SharedWorkspace {
  rootPath: string;
  measure(): Promise<WorkspaceMeasure>;
  list(options: { path: string; recursive: boolean; glob: string | undefined }): Promise<FileInfo[]>;
  readText(path: string, maxBytes: number): Promise<FileText>;
  /** As `readText`, of a commit. */
  readTextAt(sha: string, path: string, maxBytes: number): Promise<Omit<FileText, 'modifiedAtUtc'>>;
  /** Fault PRECONDITION_FAILED unless the file is still the one with this etag, QUOTA_EXCEEDED when it doesn't fit. */
  write(path: string, content: string | Uint8Array, expectedEtag: string | undefined): Promise<FileInfo>;
  remove(path: string, recursive: boolean): Promise<void>;
  /** Commits what changed; the sha of the newest commit. */
  commit(message: string, author: WorkspaceAuthor): Promise<string>;
  restore(sha: string, author: WorkspaceAuthor): Promise<void>;
  /** Keeps a commit whatever becomes of the branch, until the mark is deleted with the workspace. */
  mark(name: string, sha: string): Promise<void>;
}

export interface WorkspaceFiles {
  /** Opens a workspace and makes it, empty, where it is missing. */
  open(id: number, quotaBytes: number | null): Promise<SharedWorkspace>;
  /**
   * Makes a workspace of one branch of an https repository with a public address.
   * @throws Fault VALIDATION_FAILED, FORBIDDEN for a private address, CONNECTOR_ERROR, QUOTA_EXCEEDED
   */
  clone(id: number, source: { url: string; branch: string | null }, quotaBytes: number | null): Promise<void>;
  /** Deletes its files and its history. */
  remove(id: number): Promise<void>;
}

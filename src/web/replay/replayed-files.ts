// Files as a run had left them: what its tool `file_write` has written, what its commands have changed, and what came
// with runs that were merged into it.
import type { FilesChangedDto } from '../../client/index.ts';
import { payloadOf } from '../river/track.ts';
import type { RunView } from '../state/tree.ts';
import type { Line, ToolCall } from '../timeline/timeline.ts';

export interface ReplayedFile {
  path: string;
  /** Null for a binary or large file, of which only size and digest are known. */
  content: string | null;
  sizeBytes: number | null;
  sha256: string | null;
  /** First line of the command that changed it last; null for `file_write`. */
  command: string | null;
  /** The run whose call changed it last, and the sequence number of that call. */
  runId: number;
  seq: number;
}

export interface ReplayedFiles {
  /** By path. */
  files: ReplayedFile[];
  /** Some changes of commands were too many, or too far down, to be noted, or those of a merged run are not at hand. */
  isPartial: boolean;
}

type Views = ReadonlyMap<number, Pick<RunView, 'timeline'>>;

/** Of the runs as they stand at one moment. */
export function replayedFiles(runId: number, views: Views): ReplayedFiles {
  const { files, isPartial } = found(runId, views, new Set());
  return { files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), isPartial };
}

interface Found {
  files: Map<string, ReplayedFile>;
  /** Paths of files that are gone, of those before the run too. */
  removed: Set<string>;
  isPartial: boolean;
}

function found(runId: number, views: Views, above: ReadonlySet<number>): Found {
  const all: Found = { files: new Map(), removed: new Set(), isPartial: false };
  const commands = new Map<string, ToolCall>();
  for (const entry of views.get(runId)?.timeline.entries ?? []) {
    if (entry.kind === 'tool') {
      if (entry.name === 'shell_exec') commands.set(entry.callId, entry);
      const written = entry.name === 'file_write' && entry.state === 'done' ? writtenBy(entry, runId) : null;
      if (written) put(all, written);
    } else if (entry.kind === 'line' && entry.event.type === 'FileChanged') {
      const { fromRunId, ...changed } = payloadOf(entry.event) as Partial<FilesChangedDto> & { fromRunId?: unknown };
      if (changed.more || changed.isPartial) all.isPartial = true;
      if (typeof fromRunId === 'number') merge(all, fromRunId, views, new Set([...above, runId]));
      else apply(all, changed.files ?? [], { runId, entry, call: commands.get(entry.event.toolCallId ?? '') });
    }
  }
  return all;
}

function put({ files, removed }: Found, file: ReplayedFile): void {
  files.set(file.path, file);
  removed.delete(file.path);
}

function remove({ files, removed }: Found, path: string): void {
  files.delete(path);
  removed.add(path);
}

/** What another run had made, which had ended by then. */
function merge(all: Found, fromRunId: number, views: Views, above: ReadonlySet<number>): void {
  if (above.has(fromRunId) || !views.has(fromRunId)) {
    all.isPartial = true;
    return;
  }
  const { files, removed, isPartial } = found(fromRunId, views, above);
  if (isPartial) all.isPartial = true;
  for (const path of removed) remove(all, path);
  for (const file of files.values()) put(all, file);
}

function apply(
  all: Found,
  changes: FilesChangedDto['files'],
  { runId, entry, call }: { runId: number; entry: Line; call: ToolCall | undefined },
): void {
  const { command } = payloadOf({ payloadJson: call?.args ?? null });
  const by = typeof command === 'string' ? (command.split('\n')[0] ?? '') : 'shell_exec';
  for (const { path, changeType, text = null, sizeBytes = null, sha256 = null } of changes) {
    if (changeType === 'Deleted') remove(all, path);
    else put(all, { path, content: text, sizeBytes, sha256, command: by, runId, seq: call?.seq ?? entry.seq });
  }
}

function writtenBy({ args, seq }: ToolCall, runId: number): ReplayedFile | null {
  const { path, content } = payloadOf({ payloadJson: args });
  if (typeof path !== 'string' || typeof content !== 'string') return null;
  return { path: inWorkspace(path), content, sizeBytes: null, sha256: null, command: null, runId, seq };
}

/** Models name a file of the workspace in several ways; commands' changes come with one. */
const inWorkspace = (path: string): string =>
  path
    .replace(/^\/workspace(?=\/|$)/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

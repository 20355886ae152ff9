// Files as a run had written them: the last content that its tool `file_write` has written of each path.
import type { Entry } from '../timeline/timeline.ts';

export interface WrittenFile {
  path: string;
  content: string;
  /** Sequence number of the call. */
  seq: number;
}

/** Files by path. What commands and tools other than `file_write` change is not in the events, and so not here. */
export function writtenFiles(entries: readonly Entry[]): WrittenFile[] {
  const files = new Map<string, WrittenFile>();
  for (const entry of entries) {
    if (entry.kind !== 'tool' || entry.name !== 'file_write' || entry.state !== 'done') continue;
    const call = argumentsOf(entry.args);
    if (call) files.set(call.path, { ...call, seq: entry.seq });
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function argumentsOf(json: string): { path: string; content: string } | null {
  try {
    const { path, content } = JSON.parse(json) as Record<string, unknown>;
    return typeof path === 'string' && typeof content === 'string' ? { path, content } : null;
  } catch {
    return null;
  }
}

// Diff of a run against its base: files, counts and a unified patch.
import type { FilesDiff } from '../../src/ports/files.ts';
import { type GitPlace, git, gitFields, plainDiff } from './git.ts';

type DiffFile = FilesDiff['files'][number];

export interface DiffOptions {
  /** Path of the file or folder to compare; all when absent. */
  path?: string;
  /** Number of unchanged lines around each change, 3 when absent. */
  contextLines?: number;
  statOnly?: boolean;
  /** Limit of the patch in bytes, 1 MiB when absent. */
  maxBytes?: number;
}

const mebibyte = 1024 * 1024;

/** Compares two trees or commits, following renames and copies. */
export async function diffTrees(
  place: GitPlace,
  from: string,
  to: string,
  options: DiffOptions = {},
): Promise<FilesDiff> {
  const { contextLines = 3, statOnly = false, maxBytes = mebibyte } = options;
  const which = [from, to, '--', ...(options.path ? [options.path] : [])];
  const follow = ['--find-renames', '--find-copies'];
  const [names, counts] = await Promise.all([
    gitFields(place, ['diff', ...plainDiff, ...follow, '-z', '--name-status', ...which]),
    gitFields(place, ['diff', ...plainDiff, ...follow, '-z', '--numstat', ...which]),
  ]);
  const files = joinFiles(names, counts);
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + file[key], 0);
  const patch = statOnly
    ? null
    : await git(place, ['diff', ...plainDiff, ...follow, `--unified=${contextLines}`, ...which], {
        maxBytes,
        cutsOutput: true,
      });
  const text = patch?.stdout.toString() ?? null;
  return {
    filesChanged: files.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    truncated: patch?.isCut ?? false,
    patch: patch?.isCut && text !== null ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
    files,
  };
}

const changeTypes: Record<string, DiffFile['changeType']> = { A: 'Added', D: 'Deleted', R: 'Renamed', C: 'Copied' };

/** Joins two lists of the same files in the same order; renames and copies have two paths. */
function joinFiles(names: string[], counts: string[]): DiffFile[] {
  const files: DiffFile[] = [];
  let at = 0;
  for (let index = 0; index < names.length; ) {
    const status = names[index++] as string;
    const isPair = /^[RC]/.test(status);
    const previousPath = isPair ? (names[index++] as string) : null;
    const path = names[index++] as string;
    const [added = '', deleted = ''] = (counts[at] ?? '').split('\t');
    at += isPair ? 3 : 1;
    const isBinary = added === '-';
    files.push({
      path,
      previousPath,
      changeType: changeTypes[status[0] as string] ?? 'Modified',
      additions: isBinary ? 0 : Number(added),
      deletions: isBinary ? 0 : Number(deleted),
      isBinary,
    });
  }
  return files;
}

// Looks at a workspace for what changes: names and how the files look, never their content.
import type { Clock } from '../../src/kernel/clock.ts';
import type { ChangedFile } from '../../src/ports/files.ts';
import { fingerprintOf } from './known-files.ts';
import { listWork } from './work-files.ts';

export interface Scan {
  /** How each file looked, by its path; links begin with `@`. */
  files: Map<string, string>;
  /** The workspace is too large: some files are missing. */
  isCut: boolean;
}

export type Change = Pick<ChangedFile, 'path' | 'changeType'> & { isLink: boolean };

/** Entries and ms that one look may take. */
const mostEntries = 20_000;
const longestMs = 500;

/** Looks at the files that are work: not at what is ignored, rebuilt by tools, or a repository's own. */
export async function scanWork(directory: string, clock: Clock): Promise<Scan> {
  const end = clock.steady() + longestMs;
  const bounds = { entries: mostEntries, isOver: () => clock.steady() > end };
  const { files, isCut } = await listWork(directory, new Map(), Number.POSITIVE_INFINITY, bounds);
  const looks = files.map(({ path, kind, stats }): [string, string] => [
    path,
    (kind === 'link' ? '@' : '') + fingerprintOf(stats),
  ]);
  return { files: new Map(looks), isCut };
}

/** What changed between two scans, by path. What only one that was cut lacks is not counted. */
export function changesBetween(before: Scan, after: Scan): Change[] {
  const changes: Change[] = [];
  for (const [path, look] of after.files) {
    const old = before.files.get(path);
    if (old === look || (old === undefined && before.isCut)) continue;
    changes.push({ path, changeType: old === undefined ? 'Added' : 'Modified', isLink: look.startsWith('@') });
  }
  if (!after.isCut)
    for (const path of before.files.keys())
      if (!after.files.has(path)) changes.push({ path, changeType: 'Deleted', isLink: false });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

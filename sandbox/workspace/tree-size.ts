// How much a commit takes when it is checked out, told without checking it out.
import { Fault } from '../../src/kernel/fault.ts';
import { type GitPlace, git } from './git.ts';

/** Bytes of a listing that is read; a tree that holds itself many times over has one without end. */
const longestListing = 64 * 1024 * 1024;

/** Files of a commit and their bytes; a listing that is too long counts as files without end. */
export async function treeSize(place: GitPlace, commit: string): Promise<{ files: number; bytes: number }> {
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit];
  const { stdout, isCut } = await git(place, args, { maxBytes: longestListing, cutsOutput: true, work: 'large' });
  const entries = stdout.toString().split('\0').slice(0, -1);
  const sizes = entries.map((entry) => Number(/^\d+ \w+ \w+ +(\d+)\t/.exec(entry)?.[1] ?? 0));
  return {
    files: isCut ? Number.POSITIVE_INFINITY : entries.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

/** Throws Fault QUOTA_EXCEEDED for a commit that has more than a workspace may, before it is on any disk. */
export async function requireFits(
  place: GitPlace,
  commit: string,
  limits: { bytes: number; files: number },
): Promise<void> {
  const { files, bytes } = await treeSize(place, commit);
  if (files <= limits.files && bytes <= limits.bytes) return;
  const what = files > limits.files ? `more than ${limits.files} files` : `${bytes} bytes of files`;
  throw new Fault('QUOTA_EXCEEDED', `The repository has ${what}, which a workspace may not have.`, {
    hint: 'Name a smaller branch, or ask the operator to raise workspaceMb and workspaceFiles in RIVULET_SANDBOX_SETTINGS.',
  });
}

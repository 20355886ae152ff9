// Reads one file as a commit has it.
import type { FileText } from '../../src/ports/files.ts';
import { createTextSplitter } from '../output/text.ts';
import { git } from './git.ts';
import { notFound, pathParts } from './inside.ts';
import type { GitStore } from './store.ts';

const sniffedBytes = 8000;

/** A file of a commit as text, cut after `maxBytes` at the end of a character. Throws Fault NOT_FOUND. */
export async function readTextAt(
  store: GitStore,
  sha: string,
  path: string,
  maxBytes: number,
): Promise<Omit<FileText, 'modifiedAtUtc'>> {
  const parts = pathParts(path);
  const shownPath = parts.join('/');
  const { stdout } = await git(store.place, ['ls-tree', '-l', '-z', '--full-tree', sha, '--', shownPath]);
  const [, mode, id, size] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(stdout.toString()) ?? [];
  if (parts.length === 0 || !id || !mode?.startsWith('100')) throw notFound(parts);
  const answer = await git(store.place, ['cat-file', 'blob', id], {
    maxBytes: Math.max(maxBytes, sniffedBytes),
    cutsOutput: true,
  });
  const sizeBytes = Number(size);
  const isBinary = answer.stdout.subarray(0, sniffedBytes).includes(0);
  const truncated = sizeBytes > maxBytes;
  const splitter = createTextSplitter();
  const text =
    (splitter.write(answer.stdout.subarray(0, maxBytes))?.text ?? '') + (truncated ? '' : (splitter.end()?.text ?? ''));
  return {
    path: shownPath,
    sizeBytes,
    isBinary,
    truncated: isBinary ? false : truncated,
    text: isBinary ? null : text,
  };
}

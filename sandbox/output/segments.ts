// Segments of a spool: files of JSON lines, named after their first chunks.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Path of the segment that begins with a chunk. */
export const segmentPath = (directory: string, firstSeq: number): string => join(directory, `${firstSeq}.jsonl`);

/** Segments of a directory, the oldest first, by the numbers of their first chunks; none where it is not there. */
export async function segmentsIn(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch(orNone);
  const segments = names.filter((name) => /^\d+\.jsonl$/.test(name)).map((name) => Number.parseInt(name, 10));
  return segments.sort((a, b) => a - b);
}

function orNone(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

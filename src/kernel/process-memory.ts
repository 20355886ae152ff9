// The memory that this process takes.
import { getHeapStatistics } from 'node:v8';

let lastRss = 0;

/**
 * Bytes: all that is in RAM, the used heap, and what objects hold beside it. To read the first takes a file descriptor:
 * while the process has none left, it is as it was last.
 */
export function processMemory(): { rss: number; heapUsed: number; external: number } {
  try {
    lastRss = process.memoryUsage.rss();
  } catch (error) {
    if (!['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  const { used_heap_size: heapUsed, external_memory: external } = getHeapStatistics();
  return { rss: lastRss, heapUsed, external };
}

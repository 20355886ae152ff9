// Who goes when memory is short.
import { writeFile } from 'node:fs/promises';

/**
 * Has the kernel end this helper of the server before the server, which is the larger one, where the memory of both is at
 * its end. Linux alone has such a thing, and everybody may raise the score of their own processes.
 */
export async function endedFirst(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
}

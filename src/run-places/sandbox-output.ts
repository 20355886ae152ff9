// Publishes what commands print to the topics of their runs.
import type { RunRecord } from '../../runtime/records.ts';
import { type SandboxChunk, toSandboxChunkDto } from '../../sandbox/output/chunk.ts';
import type { Logger } from '../kernel/logger.ts';
import { createLru } from '../kernel/lru.ts';
import type { Publisher } from '../ports/stream.ts';

interface Deps {
  publisher: Publisher;
  findRun: (id: number) => Promise<Pick<RunRecord, 'tenantId'> | null>;
  log: Logger;
}

/** Limit of runs whose tenant is cached; an evicted one costs one read. */
const runsKept = 10_000;

/** A sink that publishes chunks in order of arrival. */
export function createOutputPublisher({ publisher, findRun, log }: Deps) {
  const tenants = createLru<number, Promise<number | null>>(runsKept);

  const tenantOf = (runId: number): Promise<number | null> => {
    const known = tenants.get(runId);
    if (known) return known;
    const found = findRun(runId).then((run) => run?.tenantId ?? null);
    found.catch(() => tenants.delete(runId));
    tenants.set(runId, found);
    return found;
  };

  return (runId: number, chunk: SandboxChunk): void => {
    // Continuations of one promise run in the order in which they were added.
    tenantOf(runId)
      .then((tenantId) => {
        if (tenantId === null) return;
        const data = toSandboxChunkDto(runId, chunk);
        return publisher.publish({ tenantId, topics: [`run:${runId}`], type: 'run.sandbox.output', data });
      })
      .catch((error: unknown) => log.warn({ err: error, runId }, 'sandbox output was not streamed'));
  };
}

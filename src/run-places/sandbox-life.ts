// Events of a run applied to its workspace and sandbox while it works.

import type { RunRecord } from '../../runtime/records.ts';
import type { Emission, EventSink } from '../../runtime/views/emission.ts';
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import type { Logger } from '../kernel/logger.ts';

interface Deps {
  sandboxes: RunSandboxes;
  findRun: (id: number) => Promise<RunRecord | null>;
  log: Logger;
}

/** Commits a run's work with each checkpoint, and ends sandboxes with runs. */
export function followRuns(sink: EventSink, { sandboxes, findRun, log }: Deps): EventSink {
  const obey = async (emission: Emission) => {
    const event = emission.data as { id: number; runId: number; type?: string; title?: string };
    if (emission.type === 'run.ended') return sandboxes.release(event.id);
    if (event.type !== 'CheckpointSaved') return;
    const run = await findRun(event.runId);
    if (run?.reviewWorktreePath) await sandboxes.checkpoint(run, event.title ?? 'Checkpoint');
  };
  return {
    publish: (emissions) => {
      for (const emission of emissions)
        if (emission.type === 'run.ended' || emission.type === 'run.event')
          obey(emission).catch((error: unknown) =>
            log.warn({ err: error, type: emission.type }, 'a sandbox did not follow its run'),
          );
      return sink.publish(emissions);
    },
  };
}

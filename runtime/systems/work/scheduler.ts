// Scheduler: gives worker slots to claimable runs, fairly by tree and tenant.
import type { RunRecord } from '../../records.ts';
import type { Core } from '../records/core.ts';
import { createLive } from './live-run.ts';
import { createReadyQueue, type Ready, type Room } from './ready-queue.ts';
import { claim, work } from './worker.ts';

export interface Scheduler {
  /** Announces a run that may be claimable. */
  offer(run: Pick<RunRecord, 'id' | 'tenantId' | 'rootRunId' | 'projectId' | 'identityId'>): void;
  /** Polls the store for claimable runs. */
  poll(): Promise<void>;
  /** Resolves when no run is at work. */
  idle(): Promise<void>;
}

/** A scheduler over the core's slots. */
export function createScheduler(core: Core): Scheduler {
  const queue = createReadyQueue(
    core.options,
    core.limits && ((run) => roomFor(core, run)),
    core.gate && ((usual) => core.gate?.most(usual) ?? usual),
  );
  const works = new Set<Promise<void>>();
  const tell = ({ tenantId }: Ready, units: readonly number[]) => {
    core.elsewhere?.tell(tenantId, queue.load(tenantId));
    for (const unitId of units) core.elsewhere?.tellUnit(unitId, queue.unitLoad(unitId));
  };

  const pump = () => {
    // A run claimed under an expired lease is lost at once, and that counts as a crash of the run.
    while (!core.closing && core.leaseValid() && !core.gate?.isPaused()) {
      const next = queue.take();
      if (!next) return;
      if (core.live.has(next.runId)) continue;
      const units = queue.begin(next);
      tell(next, units);
      const done = employ(core, next.runId).finally(() => {
        queue.end(next);
        works.delete(done);
        pump();
        // The report follows the claim, so that peers do not take this slot for free room.
        tell(next, units);
      });
      works.add(done);
    }
  };

  core.elsewhere?.onLess(pump);
  core.gate?.onOpen(pump);
  return {
    offer(run) {
      if (core.closing || queue.has(run.id)) return;
      const { id: runId, tenantId, rootRunId, projectId, identityId } = run;
      queue.offer({ runId, tenantId, rootRunId, projectId, identityId });
      pump();
    },
    async poll() {
      const room = queue.room();
      if (room <= 0 || core.closing || core.gate?.isPaused()) return;
      const runnable = await core.store.runs.runnable(room + 100);
      // Limits are read ahead, since the choice below needs them without waiting.
      if (core.limits) for (const run of runnable) await core.limits.of(run);
      for (const run of runnable) {
        if (!core.live.has(run.id)) this.offer(run);
      }
      pump();
    },
    async idle() {
      while (works.size > 0) await Promise.all(works);
    },
  };
}

/** What the run's tenant and units allow on all nodes, less what other nodes have at work; null where it was not read. */
function roomFor({ limits, elsewhere }: Core, run: Ready): Room | null {
  const allowed = limits?.last(run);
  if (!allowed) return null;
  return {
    ofTenant: allowed.maxConcurrentRuns - (elsewhere?.of(run.tenantId) ?? 0),
    ofUnits: allowed.units.map(({ unitId, maxConcurrentRuns }) => ({
      unitId,
      maxConcurrentRuns: maxConcurrentRuns - (elsewhere?.ofUnit(unitId) ?? 0),
    })),
  };
}

/** Claims a run and works on it until it rests. */
async function employ(core: Core, runId: number): Promise<void> {
  try {
    const run = await claim(core, runId);
    if (!run) return;
    const live = createLive(core, run);
    core.live.set(runId, live);
    live.done = core.tracing ? core.tracing.run(live.run, () => work(core, live)) : work(core, live);
    await live.done;
  } catch (error) {
    core.log.error({ err: error, runId }, 'a run could not be claimed');
    // The store may have made the claim although its answer was lost.
    core.abandoned.add(runId);
  }
}

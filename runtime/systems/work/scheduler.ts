// Gives worker slots to claimable runs, fairly: the tree and the tenant with the fewest runs at work go first.
import { setMaxListeners } from 'node:events';
import type { RunRecord } from '../../records.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { claim, work } from './worker.ts';

interface Ready {
  runId: number;
  tenantId: number;
  rootRunId: number;
  order: number;
}

export interface Scheduler {
  /** Says that a run may be claimable. */
  offer(run: Pick<RunRecord, 'tenantId' | 'rootRunId'> & { id: number }): void;
  /** Looks into the store for claimable runs. */
  poll(): Promise<void>;
  /** Resolves when no run is at work. */
  idle(): Promise<void>;
}

/** A scheduler over the core's slots. */
export function createScheduler(core: Core): Scheduler {
  const ready = new Map<number, Ready>();
  const perTree = new Map<number, number>();
  const perTenant = new Map<number, number>();
  let busy = 0;
  let order = 0;
  const works = new Set<Promise<void>>();

  const count = (map: Map<number, number>, id: number, by: number) => {
    const next = (map.get(id) ?? 0) + by;
    if (next <= 0) map.delete(id);
    else map.set(id, next);
  };

  /** Fewest at work in its tree, then in its tenant, then first come. */
  const fairest = (): Ready | null => {
    let best: Ready | null = null;
    let bestLoad = [Infinity, Infinity, Infinity];
    for (const one of ready.values()) {
      const tree = perTree.get(one.rootRunId) ?? 0;
      const tenant = perTenant.get(one.tenantId) ?? 0;
      if (tree >= core.options.slotsPerTree || tenant >= core.options.slotsPerTenant) continue;
      const load = [tree, tenant, one.order];
      if (
        load[0]! < bestLoad[0]! ||
        (load[0] === bestLoad[0] && (load[1]! < bestLoad[1]! || (load[1] === bestLoad[1] && load[2]! < bestLoad[2]!)))
      ) {
        best = one;
        bestLoad = load;
      }
    }
    return best;
  };

  const firstFree = (): Ready | null => {
    const first = ready.values().next().value;
    if (!first) return null;
    const free = busy < core.options.slots / 2 && !perTree.has(first.rootRunId);
    return free && (perTenant.get(first.tenantId) ?? 0) < core.options.slotsPerTenant ? first : fairest();
  };

  const pump = () => {
    // What is taken up under a lease that has run out is lost at once, and counts against the run.
    while (!core.closing && core.leaseValid() && busy < core.options.slots) {
      const next = firstFree();
      if (!next) return;
      ready.delete(next.runId);
      if (core.live.has(next.runId)) continue;
      busy++;
      count(perTree, next.rootRunId, 1);
      count(perTenant, next.tenantId, 1);
      const done = employ(core, next.runId).finally(() => {
        busy--;
        count(perTree, next.rootRunId, -1);
        count(perTenant, next.tenantId, -1);
        works.delete(done);
        pump();
      });
      works.add(done);
    }
  };

  return {
    offer(run) {
      if (core.closing || ready.has(run.id)) return;
      ready.set(run.id, { runId: run.id, tenantId: run.tenantId, rootRunId: run.rootRunId, order: order++ });
      pump();
    },
    async poll() {
      const room = core.options.slots - busy;
      if (room <= 0 || core.closing) return;
      for (const run of await core.store.runs.runnable(room + 100)) {
        if (!core.live.has(run.id)) this.offer(run);
      }
      pump();
    },
    async idle() {
      while (works.size > 0) await Promise.all(works);
    },
  };
}

/** Claims a run and works on it to its rest. */
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
    // The store may have taken the claim although its answer was lost.
    core.abandoned.add(runId);
  }
}

/** The work on a run that was just claimed. */
export function createLive(core: Core, run: RunRecord): LiveRun {
  const abort = new AbortController();
  // Every tool call in parallel listens to it.
  setMaxListeners(0, abort.signal);
  const endStep = () => {
    if (live.run.control?.kind === 'pause') abort.abort(new Stop('pause'));
  };
  const live: LiveRun = {
    run,
    fence: run.fence,
    abort,
    messages: [],
    offset: 0,
    journal: null,
    briefing: null,
    briefedAt: Number.NEGATIVE_INFINITY,
    deferred: null,
    unsettled: [],
    settled: new Set(),
    callCount: 0,
    auxCount: 0,
    auxTokens: 0,
    lastBudgetAt: Number.NEGATIVE_INFINITY,
    saving: Promise.resolve(),
    onControl(now) {
      live.run = { ...live.run, control: now.control };
      if (now.control?.kind === 'cancel') abort.abort(new Stop('cancel'));
      else if (now.control) core.clock.after(core.options.pauseGraceMs, endStep);
    },
    done: Promise.resolve(),
  };
  return live;
}

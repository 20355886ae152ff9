// Queue of claimable runs, and the fair choice among them: trees and tenants with the fewest running runs go first.
import type { EngineOptions } from '../records/core.ts';

export interface Ready {
  runId: number;
  tenantId: number;
  rootRunId: number;
}

type Limits = Pick<EngineOptions, 'slots' | 'slotsPerTenant' | 'slotsPerTree'>;

export type ReadyQueue = ReturnType<typeof createReadyQueue>;

/**
 * `mostOf`: a tenant's own limit, below the slots that the node gives it. `slotsOf`: the slots that the operator gives the
 * node, which has so many by itself.
 */
export function createReadyQueue(
  limits: Limits,
  mostOf: (tenantId: number) => number = () => limits.slotsPerTenant,
  slotsOf: (usual: number) => number = (usual) => usual,
) {
  const slots = () => Math.min(limits.slots, slotsOf(limits.slots));
  /** Claimable runs in the order of arrival. */
  const ready = new Map<number, Ready>();
  const perTree = new Map<number, number>();
  const perTenant = new Map<number, number>();
  let busy = 0;

  const treeLoad = ({ rootRunId }: Ready) => perTree.get(rootRunId) ?? 0;
  const tenantLoad = ({ tenantId }: Ready) => perTenant.get(tenantId) ?? 0;
  const hasRoom = (run: Ready) => tenantLoad(run) < Math.min(limits.slotsPerTenant, mostOf(run.tenantId));

  /** The run with the fewest running in its tree, then in its tenant, then the first to arrive. */
  const fairest = (): Ready | null => {
    let best: Ready | null = null;
    for (const one of ready.values()) {
      if (treeLoad(one) >= limits.slotsPerTree || !hasRoom(one)) continue;
      const isFairer = best === null || (treeLoad(one) - treeLoad(best) || tenantLoad(one) - tenantLoad(best)) < 0;
      if (isFairer) best = one;
    }
    return best;
  };

  /** The first to arrive while there is plenty of room, else the fairest. */
  const choose = (): Ready | null => {
    const first = ready.values().next().value;
    if (!first) return null;
    return busy < slots() / 2 && treeLoad(first) === 0 && hasRoom(first) ? first : fairest();
  };

  const count = (run: Ready, by: number) => {
    busy += by;
    add(perTree, run.rootRunId, by);
    add(perTenant, run.tenantId, by);
  };

  return {
    /** Number of free slots. */
    room: () => slots() - busy,
    has: (runId: number) => ready.has(runId),
    offer: (run: Ready) => void ready.set(run.runId, run),
    /** Takes the next run off the queue; null when there is none, or none that its tree and tenant have room for. */
    take(): Ready | null {
      const next = busy < slots() ? choose() : null;
      if (next) ready.delete(next.runId);
      return next;
    },
    /** Number of a tenant's runs that have slots. */
    load: (tenantId: number) => perTenant.get(tenantId) ?? 0,
    /** Takes a slot for the run. */
    begin: (run: Ready) => count(run, 1),
    end: (run: Ready) => count(run, -1),
  };
}

function add(map: Map<number, number>, id: number, by: number): void {
  const next = (map.get(id) ?? 0) + by;
  if (next <= 0) map.delete(id);
  else map.set(id, next);
}

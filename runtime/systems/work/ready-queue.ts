// Queue of claimable runs, and the fair choice among them: trees and tenants with the fewest running runs go first.
import type { LimitedWork, UnitLimit } from '../../state/tenant-limits.ts';
import type { EngineOptions } from '../records/core.ts';

export interface Ready extends LimitedWork {
  runId: number;
  rootRunId: number;
}

type Slots = Pick<EngineOptions, 'slots' | 'slotsPerTenant' | 'slotsPerTree'>;

/** What is left for a run of what its tenant and its units allow on all nodes. */
export interface Room {
  ofTenant: number;
  ofUnits: readonly UnitLimit[];
}

export type ReadyQueue = ReturnType<typeof createReadyQueue>;

/**
 * `roomFor`: what the tenant and its units leave to this node, below the slots that the node gives a tenant; null where
 * that is not known yet. `slotsOf`: the slots that the operator gives the node, which has so many by itself.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same counts.
export function createReadyQueue(
  limits: Slots,
  roomFor: (run: Ready) => Room | null = () => ({ ofTenant: limits.slotsPerTenant, ofUnits: [] }),
  slotsOf: (usual: number) => number = (usual) => usual,
) {
  const slots = () => Math.min(limits.slots, slotsOf(limits.slots));
  /** Claimable runs in the order of arrival. */
  const ready = new Map<number, Ready>();
  const perTree = new Map<number, number>();
  const perTenant = new Map<number, number>();
  const perUnit = new Map<number, number>();
  /** Units that a run at work was counted for, by its id: it may belong to others when it ends. */
  const countedFor = new Map<number, readonly number[]>();
  let busy = 0;

  const treeLoad = ({ rootRunId }: Ready) => perTree.get(rootRunId) ?? 0;
  const tenantLoad = ({ tenantId }: Ready) => perTenant.get(tenantId) ?? 0;
  const unitLoad = (unitId: number) => perUnit.get(unitId) ?? 0;
  const hasRoom = (run: Ready) => {
    if (tenantLoad(run) >= limits.slotsPerTenant) return false;
    const room = roomFor(run);
    if (!room || tenantLoad(run) >= room.ofTenant) return false;
    return room.ofUnits.every(({ unitId, maxConcurrentRuns }) => unitLoad(unitId) < maxConcurrentRuns);
  };

  /** The run with the fewest running in its tree, then in its tenant, then the first to arrive. */
  const fairest = (): Ready | null => {
    let best: Ready | null = null;
    for (const one of ready.values()) {
      if (treeLoad(one) >= limits.slotsPerTree) continue;
      const isFairer = best === null || (treeLoad(one) - treeLoad(best) || tenantLoad(one) - tenantLoad(best)) < 0;
      // The room is asked for last: its answer reads limits.
      if (isFairer && hasRoom(one)) best = one;
    }
    return best;
  };

  /** The first to arrive while there is plenty of room, else the fairest. */
  const choose = (): Ready | null => {
    const first = ready.values().next().value;
    if (!first) return null;
    return busy < slots() / 2 && treeLoad(first) === 0 && hasRoom(first) ? first : fairest();
  };

  const count = (run: Ready, units: readonly number[], by: number) => {
    busy += by;
    add(perTree, run.rootRunId, by);
    add(perTenant, run.tenantId, by);
    for (const unitId of units) add(perUnit, unitId, by);
  };

  return {
    /** Number of free slots. */
    room: () => slots() - busy,
    has: (runId: number) => ready.has(runId),
    offer: (run: Ready) => void ready.set(run.runId, run),
    /** Takes the next run off the queue; null when there is none, or none that its tree, units and tenant have room for. */
    take(): Ready | null {
      const next = busy < slots() ? choose() : null;
      if (next) ready.delete(next.runId);
      return next;
    },
    /** Number of a tenant's runs that have slots. */
    load: (tenantId: number) => perTenant.get(tenantId) ?? 0,
    unitLoad,
    /** Takes a slot for the run. Returns the units that it counts for until it ends. */
    begin(run: Ready): readonly number[] {
      const units = (roomFor(run)?.ofUnits ?? []).map(({ unitId }) => unitId);
      if (units.length > 0) countedFor.set(run.runId, units);
      count(run, units, 1);
      return units;
    },
    end(run: Ready): void {
      count(run, countedFor.get(run.runId) ?? [], -1);
      countedFor.delete(run.runId);
    },
  };
}

function add(map: Map<number, number>, id: number, by: number): void {
  const next = (map.get(id) ?? 0) + by;
  if (next <= 0) map.delete(id);
  else map.set(id, next);
}

// Limits of a tenant and its organisation units for runs, and the counts that nodes exchange so that a limit holds across
// all of them.
import type { Fault } from '../../src/kernel/fault.ts';
import type { EscalationRecord } from './escalation.ts';

/** What says which limits hold for a run. */
export interface LimitedWork {
  tenantId: number;
  projectId: number | null;
  identityId: number | null;
}

/** A limit that runs share with all others of an organisation unit and those below it. */
export interface UnitLimit {
  unitId: number;
  maxConcurrentRuns: number;
}

/** How many runs work at once, across all nodes that reach each other. */
export interface ConcurrencyLimits {
  /** Limits of the tenant. */
  maxConcurrentRuns: number;
  /** Of the units that the run belongs to. */
  units: readonly UnitLimit[];
}

/** Limits of a tenant, which no run, role or profile exceeds. */
export interface TenantLimits {
  /** Levels of children below a root. */
  maxSpawnDepth: number;
  /** Why no new run begins; null where one may. */
  closed: Fault | null;
  maxRunWallClockMs: number;
  /** US dollars for a tree of runs; null for no limit. */
  maxRunCostUsd: number | null;
}

export interface Limits {
  of(work: LimitedWork): Promise<TenantLimits>;
  /** Called before a run is made. @throws Fault QUOTA_EXCEEDED where the plan of the tenant allows no further one */
  admit?(tenantId: number): Promise<void>;
  /** How many may work at once as last read (by `of`, too), without waiting; null where it was not. Asked for each choice. */
  last(work: LimitedWork): ConcurrencyLimits | null;
  /** Default timeout of a tenant's questions that name none, and the action then; null: they wait. */
  escalationTimeout(tenantId: number): { afterMs: number; action: EscalationRecord['timeoutAction'] } | null;
}

/** What the operator allows the queue of runs: whether any may begin, and how many a node works on. */
export interface WorkGate {
  isPaused(): boolean;
  most(usual: number): number;
  /** Registers a function to call when more may be allowed than before. */
  onOpen(again: () => void): void;
}

/** Work on other nodes, where there are several. */
export interface WorkElsewhere {
  /** Runs of the tenant at work on other nodes, by their last report. */
  of(tenantId: number): number;
  /** Runs of an organisation unit and those below it, the same way. */
  ofUnit(unitId: number): number;
  /** Reports this node's count to the others. */
  tell(tenantId: number, atWork: number): void;
  tellUnit(unitId: number, atWork: number): void;
  /** Registers a function to call whenever there may be more room than before. */
  onLess(retry: () => void): void;
}

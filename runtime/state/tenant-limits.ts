// What a tenant allows its runs, and what several nodes tell each other of them, so that it holds for all together.
import type { EscalationRecord } from './escalation.ts';

/** What a tenant allows its runs, whatever they, their roles and their profiles say. */
export interface TenantLimits {
  /** Levels of children below a root. */
  maxSpawnDepth: number;
  /** Runs of the tenant at work at once, on all nodes that hear of each other. */
  maxConcurrentRuns: number;
  maxRunWallClockMs: number;
  /** US dollars for a tree of runs; null for no limit. */
  maxRunCostUsd: number | null;
  /** When questions that name no time are answered without anybody, and how; null: they wait. */
  escalationTimeout: { afterMs: number; action: EscalationRecord['timeoutAction'] } | null;
}

export interface Limits {
  of(tenantId: number): Promise<TenantLimits>;
  /** As they were last read, without waiting. */
  last(tenantId: number): TenantLimits;
}

/** What other nodes have at work, where there are several. */
export interface WorkElsewhere {
  /** Runs of the tenant at work on other nodes, as they last said. */
  of(tenantId: number): number;
  /** Tells the others how many this node has. */
  tell(tenantId: number, atWork: number): void;
  /** Has a function called whenever there may be more room than before. */
  onLess(retry: () => void): void;
}

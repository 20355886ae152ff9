// Queries of the lists of runs and of escalations.
import type { RunRecord, RunStatus } from './records.ts';
import type { EscalationRecord, EscalationStatus, Urgency } from './state/escalation.ts';

export interface RunQuery {
  tenantId: number;
  status?: readonly RunStatus[];
  projectId?: number;
  /** Ids of projects whose runs are left out. */
  hiddenProjects?: readonly number[];
  taskId?: number;
  identityId?: number;
  role?: string;
  modelId?: string;
  parentRunId?: number;
  rootRunId?: number;
  rootsOnly?: boolean;
  /** Tasks of MCP of this owner alone. */
  mcpOwner?: string;
  /** Text found in the goal, any case. */
  q?: string;
  from?: number;
  to?: number;
  /** Least cost of the run itself, in US dollars. */
  minCostUsd?: number;
  /** A field of RunRecord; ascending unless `descending`. Default: newest first. */
  sort?: keyof RunRecord;
  descending?: boolean;
  skip?: number;
  limit: number;
  /** False skips the count: `total` is then 0. */
  counted?: boolean;
}

export interface EscalationQuery {
  tenantId: number;
  status?: EscalationStatus;
  urgency?: Urgency;
  kind?: string;
  runId?: number;
  projectId?: number;
  /** Ids of projects whose escalations are left out. */
  hiddenProjects?: readonly number[];
  identityId?: number;
  /** True for escalations that still wait for a decision. */
  openOnly?: boolean;
  from?: number;
  to?: number;
  /** A field of EscalationRecord; ascending unless `descending`. Default: newest first. */
  sort?: keyof EscalationRecord;
  descending?: boolean;
  skip?: number;
  limit: number;
}

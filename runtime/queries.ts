// What lists of runs and of escalations are asked for.
import type { RunRecord, RunStatus } from './records.ts';
import type { EscalationRecord, EscalationStatus, Urgency } from './state/escalation.ts';

export interface RunQuery {
  tenantId: number;
  status?: readonly RunStatus[];
  projectId?: number;
  /** Those of these projects are left out. */
  hiddenProjects?: readonly number[];
  taskId?: number;
  identityId?: number;
  role?: string;
  modelId?: string;
  parentRunId?: number;
  rootRunId?: number;
  rootsOnly?: boolean;
  /** Text found in the goal, any case. */
  q?: string;
  from?: number;
  to?: number;
  /** What the run itself has cost at least. */
  minCostUsd?: number;
  /** A field of RunRecord; ascending unless `descending`. Default: newest first. */
  sort?: keyof RunRecord;
  descending?: boolean;
  skip?: number;
  limit: number;
  /** False when nobody asks how many there are: `total` is 0. */
  counted?: boolean;
}

export interface EscalationQuery {
  tenantId: number;
  status?: EscalationStatus;
  urgency?: Urgency;
  kind?: string;
  runId?: number;
  projectId?: number;
  /** Those of these projects are left out. */
  hiddenProjects?: readonly number[];
  identityId?: number;
  /** Only those that still wait for a decision. */
  openOnly?: boolean;
  from?: number;
  to?: number;
  /** A field of EscalationRecord; ascending unless `descending`. Default: newest first. */
  sort?: keyof EscalationRecord;
  descending?: boolean;
  skip?: number;
  limit: number;
}

// Queues of work as the operator sees and steers them; whoever works one asks its gate before it takes the next job.
import type { JobState } from '../contract/enums.ts';
import type { ListRequest } from './keeper.ts';
import type { ServerState } from './server-state.ts';

export const queueNames = ['runs', 'routines', 'webhooks', 'channels', 'site-builds', 'maintenance'] as const;
export type QueueName = (typeof queueNames)[number];

/** Whether and how many jobs of a queue a node may work on. */
export interface Gate {
  isPaused(): boolean;
  /** Jobs at once on this node: what it does by itself, or fewer or more as the operator has set it. */
  most(usual: number): number;
  /** Called when more may be allowed than before. */
  onOpen(again: () => void): void;
}

/** The gate of a queue. Maintenance mode holds all queues but that of maintenance. */
export function gateOf(state: Pick<ServerState, 'get' | 'onChange'>, name: QueueName): Gate {
  const control = () => state.get('queues')?.[name] ?? null;
  const held = () => name !== 'maintenance' && state.get('maintenance')?.on === true;
  const isPaused = () => held() || control()?.paused === true;
  return {
    isPaused,
    most: (usual) => control()?.concurrency ?? usual,
    onOpen: (again) => state.onChange(() => void (isPaused() || again())),
  };
}

/** A gate that is always open, where nobody steers. */
export const openGate: Gate = { isPaused: () => false, most: (usual) => usual, onOpen: () => {} };

/** One job of a queue. */
export interface Job {
  id: string;
  name: string;
  state: JobState;
  attempts: number;
  maxAttempts: number;
  progressPercent: number | null;
  /** What it is about, as ids; texts of people stay where they are. */
  payload: object;
  error: string | null;
  lockedByNodeId: string | null;
  nextRunAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  createdAt: Date;
}

export interface QueueCounts {
  waiting: number;
  delayed: number;
  active: number;
  /** Since the failures were cleared last. */
  failed: number;
  completedLastHour: number;
  /** Of jobs that ended within the last hour; null where there is none. */
  avgDurationMs: number | null;
  oldestWaitingAt: Date | null;
  lastError: string | null;
}

/** What a list of jobs asks for. */
export interface JobQuery extends Pick<ListRequest, 'page' | 'pageSize'> {
  state?: JobState | undefined;
  /** The oldest first. */
  oldestFirst?: boolean;
  /** A job's id. */
  id?: number | undefined;
}

/** A queue as its keeper tells of it, each tenant's jobs apart. */
export interface Queue {
  name: QueueName;
  description: string;
  /** Jobs that a node works on at once by itself. */
  usual: number;
  /** False where it is always so many. */
  scales: boolean;
  /** `since`: failures and ends before it do not count. */
  counts(tenantId: number, times: { now: number; clearedAt: number }): Promise<QueueCounts>;
  jobs(tenantId: number, query: JobQuery): Promise<{ items: Job[]; totalCount: number }>;
  find(tenantId: number, id: number): Promise<Job | null>;
  /** Makes a failed or delayed job due now; with `anew` its attempts begin from the first. @throws Fault */
  retry(tenantId: number, id: number, anew: boolean): Promise<void>;
  /** Takes a job that waits or is delayed out of the queue; false where it has begun meanwhile. */
  drop(tenantId: number, id: number): Promise<boolean>;
}

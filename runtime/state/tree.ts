// Records of a spawn tree.

import type { Breakpoint } from './breakpoints.ts';
import type { Members } from './members.ts';

export interface Hold {
  runId: number;
  tokens: number;
  costUsd: number;
  at: number;
}

export interface StopRound {
  id: string;
  kind: 'cancel' | 'pause';
  runIds: number[];
  reason: string | null;
  by: string | null;
}

/** A spawn tree: its shared pool as an escrow, its members and their stop requests, in one document. */
export interface TreeRecord {
  /** The root run's id. */
  id: number;
  tenantId: number;
  version: number;
  iterationBudget: number;
  iterationsUsed: number;
  tokenBudget: number;
  /** Settled tokens, written-off ones included. */
  tokensUsed: number;
  /** US dollars; null for no limit. */
  costBudgetUsd: number | null;
  costUsd: number;
  deadlineAt: number | null;
  holds: Record<string, Hold>;
  members: Members;
  /** Limit of live members; `members` keeps ended ones as well. */
  maxMembers: number;
  maxDepth: number;
  warned: string[];
  /** Stop requests that have not reached all their members. */
  stopping: StopRound[];
  /** Idempotency keys of the latest pool changes that had one. */
  asked?: string[];
  /** Breakpoints of the tree and its runs; absent when none was ever set. */
  breakpoints?: Breakpoint[];
  /** Time since which no member is at work and none will be without a new command. */
  quiescedAt: number | null;
}

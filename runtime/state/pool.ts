// The pool of a spawn tree as an escrow: pure functions over its one document.
import type { Settlement } from '../records.ts';
import type { Members, TreeMember } from './members.ts';
import type { TreeRecord } from './tree.ts';

export interface Need {
  runId: number;
  callId: string;
  /** Worst case of the call in tokens: prompt and completion. */
  tokens: number;
  costUsd: number;
  now: number;
  countIteration: boolean;
}

/** `wait` when calls in flight may still return part of their reservation. */
type Refusal = { ok: false; why: 'stopped' | 'exhausted' | 'wait' | 'deadline'; available: number };

export type Reservation = { ok: true; set: Partial<TreeRecord> } | Refusal;

/** Sum of the reservations of calls in flight. */
export function heldIn(tree: TreeRecord) {
  const held = { calls: 0, iterations: 0, tokens: 0, costUsd: 0 };
  for (const id in tree.holds) {
    const { tokens, costUsd } = tree.holds[id]!;
    held.calls++;
    held.tokens += tokens;
    held.costUsd += costUsd;
    if (!id.startsWith('aux:')) held.iterations++;
  }
  return held;
}

/** Tokens that are neither used nor reserved. */
export const availableTokens = (tree: TreeRecord) => tree.tokenBudget - tree.tokensUsed - heldIn(tree).tokens;

/** Reason to refuse a reservation; null when there is none. */
export function refusalOf(tree: TreeRecord, need: Need): Refusal | null {
  const held = heldIn(tree);
  const available = tree.tokenBudget - tree.tokensUsed - held.tokens;
  const member = tree.members.get(need.runId);
  if (!member || member.ended || member.stop) return { ok: false, why: 'stopped', available };
  if (tree.deadlineAt !== null && need.now >= tree.deadlineAt) return { ok: false, why: 'deadline', available };
  if (tree.holds[need.callId]) return null;
  const isHeld = held.calls > 0;
  const iterationsLeft = tree.iterationBudget - tree.iterationsUsed - held.iterations;
  if (need.countIteration && iterationsLeft < 1) {
    return { ok: false, why: isHeld && tree.iterationsUsed < tree.iterationBudget ? 'wait' : 'exhausted', available };
  }
  const costLeft = tree.costBudgetUsd === null ? Infinity : tree.costBudgetUsd - tree.costUsd - held.costUsd;
  if (need.tokens > available || need.costUsd > costLeft) {
    return { ok: false, why: isHeld ? 'wait' : 'exhausted', available };
  }
  return null;
}

/** Reserves a call's worst case. Calling it again with the same id changes nothing. */
export function reserve(tree: TreeRecord, need: Need): Reservation {
  const refusal = refusalOf(tree, need);
  if (refusal) return refusal;
  if (tree.holds[need.callId]) return { ok: true, set: {} };
  const hold = { runId: need.runId, tokens: need.tokens, costUsd: need.costUsd, at: need.now };
  const holds = copyOfHolds(tree.holds);
  holds[need.callId] = hold;
  return { ok: true, set: { holds } };
}

/**
 * A copy without a prototype, which V8 keeps as a table. Each call has an id of its own: of a plain object with such a
 * key V8 makes a hidden class each time, and looks for it among all the earlier ones.
 */
function copyOfHolds(holds: TreeRecord['holds']): TreeRecord['holds'] {
  const copy = Object.create(null) as TreeRecord['holds'];
  for (const id in holds) copy[id] = holds[id]!;
  return copy;
}

/**
 * Releases the reservations of calls and charges their true usage; null when none of these calls has a reservation. A
 * call without one was settled before and changes nothing.
 */
export function settle(tree: TreeRecord, settlements: Iterable<Settlement>): Partial<TreeRecord> | null {
  let { tokensUsed, costUsd, iterationsUsed } = tree;
  let holds: TreeRecord['holds'] | null = null;
  const charged = new Map<number, TreeMember>();
  for (const { callId, tokens, costUsd: cost, writtenOff, countIteration } of settlements) {
    const hold = (holds ?? tree.holds)[callId];
    if (!hold) continue;
    holds ??= copyOfHolds(tree.holds);
    delete holds[callId];
    const member = charged.get(hold.runId) ?? tree.members.get(hold.runId);
    if (member) charged.set(hold.runId, { ...member, tokens: member.tokens + tokens, costUsd: member.costUsd + cost });
    tokensUsed += tokens + writtenOff;
    costUsd += cost;
    if (countIteration) iterationsUsed++;
  }
  return holds && { holds, members: tree.members.with(charged), tokensUsed, costUsd, iterationsUsed };
}

/** Settled share of the pool in percent, of the budget that is used most. */
export const usedPercent = (tree: TreeRecord) =>
  100 *
  Math.max(
    tree.tokensUsed / tree.tokenBudget,
    tree.iterationsUsed / tree.iterationBudget,
    tree.costBudgetUsd ? tree.costUsd / tree.costBudgetUsd : 0,
  );

export interface SpawnRequest {
  parentRunId: number;
  childRunId: number;
  identityId: number;
  key: string | null;
}

export type SpawnAnswer =
  | { ok: true; childRunId: number; depth: number; set: Partial<TreeRecord> }
  | { ok: false; why: 'stopped' | 'depth' | 'ceiling' };

/** The smaller of two limits, of which null means none. */
export const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Admits a child to the tree. The same key gives the same child. */
export function admit(tree: TreeRecord, request: SpawnRequest): SpawnAnswer {
  const parent = tree.members.get(request.parentRunId);
  if (request.key !== null) {
    const childRunId = tree.members.childByKey(request.parentRunId, request.key);
    const child = childRunId !== undefined && tree.members.get(childRunId);
    if (child) return { ok: true, childRunId, depth: child.depth, set: {} };
  }
  if (!parent || parent.ended || parent.stop === 'cancel') return { ok: false, why: 'stopped' };
  if (parent.depth + 1 > tree.maxDepth) return { ok: false, why: 'depth' };
  if (tree.members.live >= tree.maxMembers) return { ok: false, why: 'ceiling' };
  const child: TreeMember = {
    parent: request.parentRunId,
    depth: parent.depth + 1,
    identityId: request.identityId,
    key: request.key,
    stop: parent.stop,
    ended: false,
    active: false,
    tokens: 0,
    costUsd: 0,
  };
  const members = tree.members.with(new Map([[request.childRunId, child]]));
  return { ok: true, childRunId: request.childRunId, depth: child.depth, set: { members, quiescedAt: null } };
}

/** The run and all below it, parents first. */
export function descendants(tree: TreeRecord, runId: number): number[] {
  const found = [runId];
  for (let at = 0; at < found.length; at++) found.push(...tree.members.childrenOf(found[at]!));
  return found;
}

/** Tokens and dollars of a run and all below it. */
export function rollUp(tree: TreeRecord, runId: number): { tokens: number; costUsd: number; runs: number } {
  const total = { tokens: 0, costUsd: 0, runs: 0 };
  for (const id of descendants(tree, runId)) {
    const member = tree.members.get(id);
    if (!member) continue;
    total.tokens += member.tokens;
    total.costUsd += member.costUsd;
    total.runs++;
  }
  return total;
}

/** Changes members in one step; null when nothing would change. */
export function changeMembers(
  tree: TreeRecord,
  ids: readonly number[],
  change: (member: TreeMember) => Partial<TreeMember> | null,
): Members | null {
  const changed = new Map<number, TreeMember>();
  for (const id of ids) {
    const member = changed.get(id) ?? tree.members.get(id);
    const set = member && change(member);
    if (set) changed.set(id, { ...member, ...set });
  }
  return changed.size > 0 ? tree.members.with(changed) : null;
}

/** Whether no member is at work and none will be without a new command. */
export const isQuiet = (tree: TreeRecord): boolean => tree.members.busy === 0;

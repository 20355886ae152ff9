// Adds up recorded calls: counts, tokens, cost and latencies, by whatever they are grouped by.
import type { AIUsageGroupBy } from '../../../contract/enums.ts';
import type { CallDoc } from '../../../ports/ai-router.ts';

export interface Tally {
  key: string;
  label: string;
  calls: number;
  failedCalls: number;
  fallbackCalls: number;
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  costUsd: number;
  latencyMs: number;
  firstTokenMs: number;
  firstTokens: number;
}

const none = { key: '', label: '' };

/** What calls are told apart by. */
export type CallClass = Pick<
  CallDoc,
  | 'status'
  | 'providerId'
  | 'providerName'
  | 'modelId'
  | 'routeId'
  | 'routeName'
  | 'identityId'
  | 'userId'
  | 'projectId'
  | 'orgUnitId'
  | 'role'
  | 'purpose'
>;

/** The fields of a class that say which group a call belongs to; those of `Day` are its time. */
export const fieldsOf: Record<AIUsageGroupBy, readonly (keyof CallClass)[]> = {
  None: [],
  Provider: ['providerId', 'providerName'],
  Model: ['modelId'],
  Route: ['routeId', 'routeName'],
  Identity: ['identityId'],
  User: ['userId'],
  Project: ['projectId'],
  OrgUnit: ['orgUnitId'],
  Role: ['role'],
  Purpose: ['purpose'],
  Status: ['status'],
  Day: [],
};

/** What a call is grouped by: a stable key and a text for people. */
export function groupOf(call: CallClass, at: number, by: AIUsageGroupBy): { key: string; label: string } {
  const id = (value: number | null, label?: string | null) =>
    value === null ? { key: '', label: label ?? '(none)' } : { key: String(value), label: label ?? String(value) };
  const text = (value: string | null) => ({ key: value ?? '', label: value ?? '(none)' });
  switch (by) {
    case 'None':
      return none;
    case 'Provider':
      return call.providerId === null ? text(call.providerName) : id(call.providerId, call.providerName);
    case 'Model':
      return text(call.modelId);
    case 'Route':
      return id(call.routeId, call.routeName);
    case 'Identity':
      return id(call.identityId);
    case 'User':
      return id(call.userId);
    case 'Project':
      return id(call.projectId);
    case 'OrgUnit':
      return id(call.orgUnitId ?? null);
    case 'Role':
      return text(call.role);
    case 'Purpose':
      return text(call.purpose);
    case 'Status':
      return text(call.status);
    case 'Day':
      return text(new Date(at).toISOString().slice(0, 10));
    default:
      return by satisfies never;
  }
}

export function emptyTally(group: { key: string; label: string }): Tally {
  return {
    ...group,
    calls: 0,
    failedCalls: 0,
    fallbackCalls: 0,
    promptTokens: 0,
    completionTokens: 0,
    cacheReadTokens: 0,
    costUsd: 0,
    latencyMs: 0,
    firstTokenMs: 0,
    firstTokens: 0,
  };
}

/** Whether a call counts as failed; one that somebody cancelled does not. */
export const hasFailed = ({ status }: Pick<CallDoc, 'status'>) => status !== 'Succeeded' && status !== 'Cancelled';

/** Sums of calls of one class. */
export interface CallSums
  extends Pick<
    CallDoc,
    'promptTokens' | 'completionTokens' | 'cacheReadTokens' | 'costUsd' | 'latencyMs' | 'fallbacks' | 'firstTokens'
  > {
  calls: number;
  timeToFirstTokenMs: number | null;
}

export function addTo(tally: Tally, status: CallDoc['status'], sums: CallSums): void {
  tally.calls += sums.calls;
  if (hasFailed({ status })) tally.failedCalls += sums.calls;
  tally.fallbackCalls += sums.fallbacks;
  tally.promptTokens += sums.promptTokens;
  tally.completionTokens += sums.completionTokens;
  tally.cacheReadTokens += sums.cacheReadTokens;
  tally.costUsd += sums.costUsd;
  tally.latencyMs += sums.latencyMs;
  tally.firstTokenMs += sums.timeToFirstTokenMs ?? 0;
  tally.firstTokens += sums.firstTokens;
}

/** The tally of a group, made when it is first asked for. */
export function tallyOf(tallies: Map<string, Tally>, group: { key: string; label: string }): Tally {
  let tally = tallies.get(group.key);
  if (!tally) {
    tally = emptyTally(group);
    tallies.set(group.key, tally);
  }
  return tally;
}

export const average = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
export const averageFirstToken = ({ firstTokenMs, firstTokens }: Tally): number | null =>
  firstTokens === 0 ? null : firstTokenMs / firstTokens;

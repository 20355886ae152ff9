// What the policy and the plan of a tenant allow its runs, as the engine asks for it.
import type { Limits, TenantLimits } from '../../../runtime/state/tenant-limits.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Policies, PolicyDoc } from '../../ports/tenant-policy.ts';

const minute = 60_000;

export const createRunLimits = (policies: Pick<Policies, 'of' | 'last'>, quotas: Quotas): Limits => ({
  of: async (tenantId) => limitsIn(await policies.of(tenantId)),
  admit: (tenantId) => quotas.require(tenantId, { Runs: 1, RunMinutes: 0 }),
  last: (tenantId) => limitsIn(policies.last(tenantId)),
});

function limitsIn(policy: PolicyDoc): TenantLimits {
  const { escalationTimeoutAction: action, escalationTimeoutMinutes } = policy;
  return {
    maxSpawnDepth: policy.maxSpawnDepth,
    maxConcurrentRuns: policy.maxConcurrentRuns,
    maxRunWallClockMs: policy.maxRunWallClockMs,
    maxRunCostUsd: policy.maxRunCostUsd,
    escalationTimeout: action === 'KeepWaiting' ? null : { afterMs: escalationTimeoutMinutes * minute, action },
  };
}

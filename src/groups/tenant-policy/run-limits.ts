// What the plan of a tenant and its policy, as its organisation units tighten it, allow runs: as the engine asks for it.
import type { Limits, TenantLimits } from '../../../runtime/state/tenant-limits.ts';
import { Fault } from '../../kernel/fault.ts';
import type { UnitPath } from '../../ports/org-units.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Policies, PolicyDoc, WorkPolicy } from '../../ports/tenant-policy.ts';

const minute = 60_000;

export const createRunLimits = (
  policies: Pick<Policies, 'last' | 'of' | 'ofWork' | 'lastOfWork'>,
  quotas: Quotas,
): Limits => ({
  of: async (work) => limitsIn(await policies.ofWork(work), await policies.of(work.tenantId)),
  admit: (tenantId) => quotas.require(tenantId, { Runs: 1, RunMinutes: 0 }),
  last: (work) => {
    const policy = policies.lastOfWork(work);
    return policy && limitsIn(policy, policies.last(work.tenantId));
  },
  escalationTimeout(tenantId) {
    const { escalationTimeoutAction: action, escalationTimeoutMinutes } = policies.last(tenantId);
    return action === 'KeepWaiting' ? null : { afterMs: escalationTimeoutMinutes * minute, action };
  },
});

/** `ofTenant`: the policy without what units say, since the runs of a unit and of the tenant are counted apart. */
const limitsIn = ({ units, ...policy }: WorkPolicy, ofTenant: PolicyDoc): TenantLimits => ({
  maxSpawnDepth: policy.maxSpawnDepth,
  maxConcurrentRuns: ofTenant.maxConcurrentRuns,
  units: units.flatMap(({ id: unitId, policy: own }) =>
    own?.maxConcurrentRuns == null ? [] : [{ unitId, maxConcurrentRuns: own.maxConcurrentRuns }],
  ),
  closed: closedBy(units),
  maxRunWallClockMs: policy.maxRunWallClockMs,
  maxRunCostUsd: policy.maxRunCostUsd,
});

function closedBy(units: UnitPath): Fault | null {
  const closed = units.find(({ isActive }) => !isActive);
  if (!closed) return null;
  return new Fault('CONFLICT', `The organisation unit ${closed.name} is not active: no run begins in it.`, {
    hint: `Activate it with PATCH /api/org-units/${closed.id} {"isActive": true}, or work in another project.`,
  });
}

// What the plan of a tenant and its policy, as its organisation units tighten it, allow runs: as the engine asks for it.
import type { Limits, TenantLimits, UnitLimit } from '../../../runtime/state/tenant-limits.ts';
import { Fault } from '../../kernel/fault.ts';
import type { UnitPath } from '../../ports/org-units.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Policies, WorkPolicy } from '../../ports/tenant-policy.ts';

const minute = 60_000;

export const createRunLimits = (
  policies: Pick<Policies, 'last' | 'ofWork' | 'lastUnitsOf'>,
  quotas: Quotas,
): Limits => ({
  of: async (work) => limitsIn(await policies.ofWork(work)),
  admit: (tenantId) => quotas.require(tenantId, { Runs: 1, RunMinutes: 0 }),
  last: (work) => {
    const units = policies.lastUnitsOf(work);
    return units && { maxConcurrentRuns: policies.last(work.tenantId).maxConcurrentRuns, units: unitLimits(units) };
  },
  escalationTimeout(tenantId) {
    const { escalationTimeoutAction: action, escalationTimeoutMinutes } = policies.last(tenantId);
    return action === 'KeepWaiting' ? null : { afterMs: escalationTimeoutMinutes * minute, action };
  },
});

const unitLimits = (units: UnitPath): UnitLimit[] =>
  units.flatMap(({ id: unitId, policy }) =>
    policy?.maxConcurrentRuns == null ? [] : [{ unitId, maxConcurrentRuns: policy.maxConcurrentRuns }],
  );

const limitsIn = ({ units, ...policy }: WorkPolicy): TenantLimits => ({
  maxSpawnDepth: policy.maxSpawnDepth,
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

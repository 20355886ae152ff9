// Shows and replaces the policy of a tenant.
import { implement } from '../../contract/operation.ts';
import { noteWrite } from '../../ports/audit.ts';
import { shown } from '../../ports/shown.ts';
import type { Policies, PolicyDoc } from '../../ports/tenant-policy.ts';
import { tenantPolicy } from './contract.ts';
import { TenantPolicyDto } from './dto.ts';

export interface TenantPolicyDeps {
  policies: Policies;
  /** Called after sessions may have lost rights; sockets and caches follow. */
  accessChanged: () => void;
}

const show = (policy: PolicyDoc) => shown(TenantPolicyDto, policy);

export const tenantPolicyService = implement(tenantPolicy, ({ policies, accessChanged }: TenantPolicyDeps) => ({
  get: async ({ caller }) => show(await policies.of(caller.tenantId)),
  replace: async ({ caller, body: { version: _, updatedByName: __, updatedAtUtc: ___, ...body } }) => {
    const before = await policies.of(caller.tenantId);
    const policy = await policies.replace(
      caller.tenantId,
      {
        ...body,
        mfaRequiredForRoles: [...new Set(body.mfaRequiredForRoles)],
        maxRunCostUsd: body.maxRunCostUsd ?? null,
        monthlyCostCapUsd: body.monthlyCostCapUsd ?? null,
        chatRetentionDays: body.chatRetentionDays ?? null,
      },
      caller.name,
    );
    noteWrite(caller, { kind: 'tenant policy', how: 'changed', doc: policy, before });
    // Sessions may need a second factor, or end, from now on.
    accessChanged();
    return show(policy);
  },
}));

// Operations on the policy of a tenant.
import { group, op } from '../../contract/operation.ts';
import { double, fields, int32 } from '../../contract/types.ts';
import { policyFields, TenantPolicyDto } from './dto.ts';

export const tenantPolicy = group(
  'TenantPolicy',
  { base: '/api/tenant-policy', doc: 'What a tenant allows its people and agents.' },
  {
    get: op.get('', {
      doc: 'The policy of the tenant, with defaults where nothing was said.',
      needs: 'PolicyRead',
      unmetered: true,
      data: TenantPolicyDto,
    }),
    replace: op.put('', {
      doc: 'Replace the policy; it holds from the next request on, on every node within a second.',
      needs: 'PolicyWrite',
      unmetered: true,
      body: fields({
        ...policyFields,
        maxRunCostUsd: double.min(0).nullish(),
        monthlyCostCapUsd: double.min(0).nullish(),
        chatRetentionDays: int32.min(1).max(36_500).nullish(),
      }),
      data: TenantPolicyDto,
    }),
  },
);

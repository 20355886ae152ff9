// Operations on the policy of a tenant.
import { group, op } from '../../contract/operation.ts';
import { dateTime, double, fields, int32, string } from '../../contract/types.ts';
import { policyFields, TenantPolicyDto } from './dto.ts';

/** What only the server writes, so that the answer of `get` can be sent back; it is not looked at. */
const asAnswered = {
  version: int32.nullish(),
  updatedByName: string.nullish(),
  updatedAtUtc: dateTime.nullish(),
};

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
        ...asAnswered,
      }),
      data: TenantPolicyDto,
    }),
  },
);

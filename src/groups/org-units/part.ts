// Organisation units as a part of the server; their service needs the AI router and stands in the wiring.
import { orgUnitInviteRecord, orgUnitMemberRecord, orgUnitRecord } from '../../org-units/record.ts';
import { part, sampleOf } from '../part.ts';
import { orgUnits } from './contract.ts';

export const orgUnitsPart = part({
  records: [orgUnitRecord, orgUnitMemberRecord, orgUnitInviteRecord],
  contracts: [],
  serve: () => [],
  samples: [
    sampleOf(orgUnits, (name) => ({ name }), {
      patch: () => ({ description: 'changed' }),
      replace: ({ name, id }) => ({
        name,
        key: `replaced-${id}`,
        kind: 'Squad' as const,
        sortOrder: 1,
        isActive: true,
      }),
      remove: () => ({ moveToOrgUnitId: null }),
      move: () => ({ parentId: null }),
      addMember: () => ({ userId: 1 }),
      invite: () => ({ email: 'ada@example.org' }),
      acceptInvite: () => ({ token: 'oui_unknown' }),
      setRoles: () => ({ roleIds: [] }),
      setBudget: () => ({ period: 'Month' as const, limitUsd: 5 }),
      setPolicy: () => ({ maxSpawnDepth: 1 }),
      attachIdentity: () => ({ identityId: 1 }),
    }),
  ],
});

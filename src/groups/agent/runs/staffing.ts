// What child runs get from the role and the identity that they are given.
import type { Staffing } from '../../../../runtime/ports.ts';
import type { Acting } from '../../../auth/acting.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { FindRoleDefaults } from './role-defaults.ts';

interface Deps {
  roleDefaults: FindRoleDefaults;
  identityName: FindIdentityName;
  workRole: FindWorkRole;
  acting: Pick<Acting, 'requireForWork'>;
}

/** The role of an identity's work profile: what its runs have that name none. */
export type FindWorkRole = (tenantId: number, identityId: number) => Promise<number | null>;

/** Name of an identity of the tenant that may act, or null when there is none. */
export type FindIdentityName = (tenantId: number, identityId: number) => Promise<string | null>;

/** @throws Fault NOT_FOUND for an identity that is not there or not active */
async function requireIdentity(identityName: FindIdentityName, tenantId: number, identityId: number) {
  const name = await identityName(tenantId, identityId);
  if (name !== null) return { identityId, identityName: name };
  throw new Fault('NOT_FOUND', `There is no active identity ${identityId}.`, {
    hint: 'List identities with GET /api/identities.',
  });
}

export function createStaffing({ roleDefaults, identityName, workRole, acting }: Deps): Staffing {
  return {
    async specOf({ tenantId, ...parent }, { role, roleDefinitionId, identityId }) {
      const own = role === undefined && roleDefinitionId === undefined;
      const named = identityId === undefined ? {} : await requireIdentity(identityName, tenantId, identityId);
      const work = own && identityId !== undefined ? await workRole(tenantId, identityId) : null;
      const wanted = !own
        ? { id: roleDefinitionId ?? null, name: role ?? null }
        : { id: work ?? parent.roleDefinitionId, name: work === null ? parent.role : null };
      const { poolIterationBudget: _i, poolTokenBudget: _t, ...limits } = await roleDefaults(tenantId, wanted, own);
      return { ...limits, ...named };
    },
    requireActing: acting.requireForWork,
  };
}

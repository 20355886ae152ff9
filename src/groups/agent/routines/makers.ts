// Who made a routine, with today's rights, and what its runs work as: what they may not do any more, it does no more.
import type { RunDraft } from '../../../../runtime/systems/life/new-run.ts';
import type { Acting } from '../../../auth/acting.ts';
import type { AuthCollections } from '../../../auth/collections.ts';
import { createRanks } from '../../../auth/rank.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import { requireChangeIn } from '../../../ports/in-project.ts';
import type { ProjectAccess } from '../../../projects/access.ts';
import { given } from '../../fields.ts';
import type { FindRoleDefaults } from '../runs/role-defaults.ts';
import type { FindWorkRole } from '../runs/staffing.ts';
import type { RoutineDoc } from './record.ts';

interface Deps {
  auth: AuthCollections;
  access: ProjectAccess;
  acting: Acting;
  roleDefaults: FindRoleDefaults;
  workRole: FindWorkRole;
}

/** What somebody made: a routine, a webhook. */
export type Made = Pick<RoutineDoc, 'tenantId' | 'createdByUserId' | 'createdByIdentityId'>;

const defaultRole = 'worker';

export function createMakers({ auth, access, acting, roleDefaults, workRole }: Deps) {
  const ranks = createRanks(auth);

  const makerOf = async (made: Made): Promise<Caller | null> => {
    const { tenantId, createdByUserId, createdByIdentityId: identityId } = made;
    const identity = identityId === null ? null : await auth.identities.findOne({ _id: identityId, tenantId });
    const userId = createdByUserId ?? identity?.userId ?? null;
    const user = userId === null ? null : await auth.users.findOne({ _id: userId, tenantId });
    if (!user?.isActive || (identity && (!identity.isActive || identity.deletedAt))) return null;
    const { permissions, rank } = await ranks.standing(user);
    const who = { tenantId, userId, identityId, role: user.role };
    return {
      ...who,
      ...{ kind: createdByUserId === null ? 'IdentityKey' : 'User', keyId: null, sessionId: null, name: user.username },
      ...{ rank, permissions, managesAccount: false, provenAt: null, originKeyId: null, expiresAt: null },
      lendsUntil: null,
      projects: await access.rightsOf(who),
    };
  };

  return {
    makerOf,
    /** @throws Fault FORBIDDEN, NOT_FOUND, OWNERSHIP_REQUIRED, CONFLICT */
    async staff(routine: RoutineDoc): Promise<Partial<RunDraft> & Pick<RunDraft, 'identityId'>> {
      const { tenantId, roleDefinitionId, toolProfileName, poolTokenBudgetOverride } = routine;
      const maker = await makerOf(routine);
      if (!maker?.permissions.has('RoutinesWrite'))
        throw new Fault('FORBIDDEN', 'Who made it is not active any more, or may not have routines.', {
          hint: 'Somebody who may makes it anew.',
        });
      requireChangeIn(maker, routine.projectId);
      await access.requireOpen(tenantId, routine.projectId);
      const who = await acting.require(maker, routine.identityId);
      const work = roleDefinitionId ?? (await workRole(tenantId, who.identityId));
      return {
        role: defaultRole,
        ...(await roleDefaults(tenantId, { id: work, name: defaultRole }, true)),
        ...given({ toolProfileName, poolTokenBudget: poolTokenBudgetOverride }),
        ...who,
      };
    },
    async roleName(tenantId: number, id: number): Promise<string> {
      return (await roleDefaults(tenantId, { id, name: null })).role ?? defaultRole;
    },
  };
}

/** Why nothing begins in a project now; null where something may. */
export const createBlockedIn =
  ({ find }: Pick<ProjectAccess, 'find'>) =>
  async (tenantId: number, projectId: number | null): Promise<string | null> => {
    const project = projectId === null ? null : await find(tenantId, projectId);
    return project?.status === 'Archived' ? `The project ${project.name} is archived: nothing new begins in it.` : null;
  };

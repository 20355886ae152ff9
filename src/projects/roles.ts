// Which role somebody has in a project, and what each role may do there.
import type { ProjectRights } from '../contract/caller.ts';
import type { ProjectRole, UserRole } from '../contract/enums.ts';
import { strongestOf } from '../ports/project-roles.ts';
import type { ProjectDoc } from './record.ts';

/** Who wants something, as far as projects care. */
export interface Somebody {
  userId: number | null;
  identityId: number | null;
  role: UserRole;
  projects?: Pick<ProjectRights, 'units'> | null;
}

/** Owners and administrators of the tenant are owners of every project. */
export const isAdministrator = ({ role }: Pick<Somebody, 'role'>): boolean => role === 'Owner' || role === 'Admin';

/**
 * The strongest role that somebody has, as a person, as the identity that they act as, or by the project's unit; null for
 * who has none.
 */
export function roleIn(
  project: Pick<ProjectDoc, 'ownerUserId' | 'leadIdentityId' | 'orgUnitId' | 'members' | 'deletedAt'>,
  who: Somebody,
): ProjectRole | null {
  if (isAdministrator(who)) return 'Owner';
  if (project.deletedAt) return null;
  const isWho = (userId: number | null, identityId: number | null) =>
    (userId !== null && userId === who.userId) || (identityId !== null && identityId === who.identityId);
  const roles = project.members.filter((one) => isWho(one.userId, one.identityId)).map(({ role }) => role);
  if (isWho(project.ownerUserId, null)) roles.push('Owner');
  if (isWho(null, project.leadIdentityId)) roles.push('Maintainer');
  const byUnit = project.orgUnitId == null ? undefined : who.projects?.units?.roles.get(project.orgUnitId);
  if (byUnit) roles.push(byUnit);
  return strongestOf(roles);
}

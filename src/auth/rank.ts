// Ranks: the order of roles, the rights of a user by its roles, and the check before a write on another user.
import type { Caller } from '../contract/caller.ts';
import { type Permission, UserRole } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';
import type { AuthCollections } from './collections.ts';
import type { UserDoc } from './documents.ts';
import { expand, rolePermissions } from './permissions.ts';

/** Rank of a system role: higher may do more; the enumeration lists the strongest role first. */
export const rankOf = (role: UserRole): number => UserRole.options.length - UserRole.options.indexOf(role);

/** Fields of a user that determine its rights. */
export type Ranked = Pick<UserDoc, 'tenantId' | 'role' | 'roleIds'>;

/** Rights and rank of a user, from its system role and the tenant's own roles together. */
export interface Standing {
  permissions: Set<Permission>;
  rank: number;
}

export interface Ranks {
  standing(user: Ranked): Promise<Standing>;
  /** Whether the caller ranks at least as high as `user`. */
  reaches(caller: Pick<Caller, 'rank'>, user: Ranked): Promise<boolean>;
  /**
   * Call before every write on a user, on an identity of theirs, and on its keys.
   *
   * @param what - named in the message, e.g. `Identity 7`
   * @throws Fault FORBIDDEN when the user ranks above the caller
   */
  require(caller: Caller, user: Ranked, what: string): Promise<void>;
}

export function createRanks({ roles }: Pick<AuthCollections, 'roles'>): Ranks {
  const standing = async ({ tenantId, role, roleIds = [] }: Ranked): Promise<Standing> => {
    const own = roleIds.length > 0 ? await roles.find({ tenantId, _id: { $in: roleIds } }).toArray() : [];
    return {
      permissions: expand([...rolePermissions[role], ...own.flatMap(({ permissions }) => permissions)]),
      rank: Math.max(rankOf(role), ...own.map(({ weight }) => weight)),
    };
  };
  const reaches: Ranks['reaches'] = async (caller, user) => (await standing(user)).rank <= caller.rank;
  return {
    standing,
    reaches,
    require: async (caller, user, what) => {
      if (await reaches(caller, user)) return;
      throw new Fault('FORBIDDEN', `${what} ranks above you.`, {
        hint: `Ask somebody whose role is ${user.role}, or one above it.`,
      });
    },
  };
}

/** Check before permissions are granted: a caller grants only permissions of its own. @throws Fault FORBIDDEN */
export function requireOwn(caller: Caller, given: Iterable<Permission>, what: string, leave = 'Leave out'): void {
  const beyond = [...given].filter((permission) => !caller.permissions.has(permission));
  if (beyond.length === 0) return;
  throw new Fault('FORBIDDEN', `${what} could do more than you may.`, {
    hint: `${leave} ${beyond.slice(0, 5).join(', ')}${beyond.length > 5 ? ' …' : ''}.`,
  });
}

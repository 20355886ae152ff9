// Lists users and changes them: nobody gives rights that they do not have, and an owner who can get in is left.
import type { Administrators } from '../../auth/administrators.ts';
import type { RoleDoc, UserDoc } from '../../auth/documents.ts';
import { type Ranks, rankOf, requireOwn } from '../../auth/rank.ts';
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import { users } from './contract.ts';
import { toUserDto } from './to-dto.ts';

export interface RegistryDeps {
  users: Keeper<UserDoc>;
  roles: PerTenant<RoleDoc>;
  ranks: Ranks;
  administrators: Administrators;
  /** Called after rights or sessions may have ended; sockets and caches follow. */
  accessChanged: () => void;
}

export function registryHandlers({ users: keeper, roles, ranks, administrators, accessChanged }: RegistryDeps) {
  /** @throws Fault NOT_FOUND for a role that is not there; VALIDATION_FAILED for one of the system */
  const requireRoles = async ({ tenantId }: Caller, ids: readonly number[]): Promise<void> => {
    const found = await roles(tenantId)
      .find({ _id: { $in: ids } })
      .toArray();
    const missing = ids.find((id) => !found.some(({ _id }) => _id === id));
    if (missing !== undefined)
      throw new Fault('NOT_FOUND', `There is no role ${missing}.`, { hint: 'List them with GET /api/roles.' });
    const system = found.find(({ isSystem }) => isSystem);
    if (system)
      throw new Fault('VALIDATION_FAILED', `${system.name} is a role of the system.`, {
        hint: `Send {"role": "${system.name}"} instead; roleIds are roles of your own.`,
      });
  };

  /** @throws Fault FORBIDDEN where the user would rank above the caller, or could do more than before and than they */
  const requireReach = async (caller: Caller, old: UserDoc, next: UserDoc): Promise<void> => {
    const [had, gets] = await Promise.all([ranks.standing(old), ranks.standing(next)]);
    if (gets.rank > caller.rank)
      throw new Fault('FORBIDDEN', 'This role ranks above you.', { hint: `Your own weight is ${caller.rank}.` });
    requireOwn(
      caller,
      [...gets.permissions].filter((one) => !had.permissions.has(one)),
      `User ${old._id}`,
    );
  };

  const usual = kept(users, keeper, {
    show: toUserDto,
    mayWrite: (user, caller) => ranks.require(caller, user, `User ${user._id}`),
    filters: {
      // There are no others yet.
      authProvider: (provider: string) => (provider === 'Local' ? {} : { _id: -1 }),
    },
    expecting: ['role', 'isActive'],
    change: async ({ username, roleIds, ...fields }, old, caller) => {
      if (roleIds) await requireRoles(caller, roleIds);
      const change = {
        ...defined(fields),
        ...(username !== undefined && { username: username.toLowerCase() }),
        ...(roleIds && { roleIds: [...new Set(roleIds)] }),
      };
      await requireReach(caller, old, { ...old, ...change });
      return change;
    },
  });

  return {
    ...usual,
    patch: async (input: Parameters<typeof usual.patch>[0]) => {
      const { caller, params, body } = input;
      const old = await keeper.get(caller, params.id);
      const demoted = old.role === 'Owner' && rankOf(body.role ?? old.role) < rankOf('Owner');
      const loses = demoted || (old.role === 'Owner' && body.isActive === false);
      const write = async () => usual.patch(input);
      const { role, isActive } = old;
      const undo = () => keeper.change(caller, old._id, { role, isActive });
      const changed = loses
        ? await administrators.guard(caller.tenantId, { userId: old._id }, { write, undo })
        : await write();
      if (body.role !== undefined || body.roleIds !== undefined || body.isActive !== undefined) accessChanged();
      return changed;
    },
  };
}

// Users: the registry, their keys and passwords, and what people do with their own account.
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import { users } from './contract.ts';
import { type UserKeysDeps, userKeyHandlers } from './keys.ts';
import { type OwnDeps, ownHandlers } from './own.ts';
import { type PasswordsDeps, passwordHandlers } from './passwords.ts';
import { type RegistryDeps, registryHandlers } from './registry.ts';
import { toUserDto } from './to-dto.ts';

export type UsersDeps = RegistryDeps & UserKeysDeps & PasswordsDeps & OwnDeps;

export const usersService = implement(users, (deps: UsersDeps) => ({
  ...registryHandlers(deps),
  ...userKeyHandlers(deps),
  ...passwordHandlers(deps),
  ...ownHandlers(deps),
  byUsername: async ({ caller, params }) => {
    const username = params.username.toLowerCase();
    const user = await deps.users.of(caller.tenantId).findOne({ username, deletedAt: null });
    if (user) return toUserDto(user);
    throw new Fault('NOT_FOUND', `There is no user named "${params.username}".`, {
      hint: 'List them with GET /api/users.',
    });
  },
}));

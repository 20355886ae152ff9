// Lists users, makes and changes them: nobody gives rights that they do not have, and an owner who can get in is left.
import type { Accounts } from '../../auth/accounts.ts';
import type { Administrators } from '../../auth/administrators.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { RoleDoc, UserDoc } from '../../auth/documents.ts';
import { hashPassword } from '../../auth/passwords.ts';
import { type Ranks, rankOf, requireOwn } from '../../auth/rank.ts';
import type { Tenants } from '../../auth/tenants.ts';
import type { Caller } from '../../contract/caller.ts';
import type { AuthProvider } from '../../contract/enums.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Draft } from '../../ports/record.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import { users } from './contract.ts';
import { toUserDto } from './to-dto.ts';

export interface RegistryDeps {
  collections: AuthCollections;
  users: Keeper<UserDoc>;
  roles: PerTenant<RoleDoc>;
  ranks: Ranks;
  administrators: Administrators;
  accounts: Accounts;
  tenants: Pick<Tenants, 'addIdentity'>;
  /** What the plan allows; everything without it. */
  quotas?: Quotas;
  /** Called after rights or sessions may have ended; sockets and caches follow. */
  accessChanged: () => void;
}

/** Room for an account; a person who signs in acts as an identity. @throws Fault QUOTA_EXCEEDED */
const requireRoom = async ({ quotas }: RegistryDeps, { tenantId }: Caller, { type }: Pick<UserDoc, 'type'>) => {
  if (type === 'Human') await quotas?.require(tenantId, { ActiveUsers: 1, ActiveIdentities: 1 });
};

type Rights = ReturnType<typeof createRights>;
type Body<Verb extends 'create' | 'patch' | 'replace'> = Parameters<Handlers<typeof users>[Verb]>[0]['body'];

export function registryHandlers(deps: RegistryDeps) {
  const { users: keeper, ranks, accounts } = deps;
  const rights = createRights(deps);

  const usual = kept(users, keeper, {
    show: toUserDto,
    mayWrite: (user, caller) => ranks.require(caller, user, `User ${user._id}`),
    filters: {
      authProvider: (provider: AuthProvider) => ({ authProvider: provider === 'Local' ? null : provider }),
    },
    expecting: ['role', 'isActive'],
    draft: (body, caller) => rights.draft(body, caller),
    change: (body, old, caller) => changed(rights, body, old, caller),
    replace: (body, old, caller) =>
      changed(
        rights,
        {
          ...body,
          email: body.email ?? null,
          displayName: body.displayName ?? null,
          location: body.location ?? null,
          timezone: body.timezone ?? null,
          language: body.language ?? null,
          ui: body.ui ?? null,
          roleIds: body.roleIds ?? [],
        },
        old,
        caller,
      ),
  });

  return {
    ...usual,
    create: async ({ caller, body }: Parameters<typeof usual.create>[0]) => {
      const draft = await rights.draft(body, caller);
      await requireRoom(deps, caller, draft);
      const user = await keeper.insert(caller, draft);
      // A person who signs in acts as an identity.
      if (user.type === 'Human') await deps.tenants.addIdentity(user);
      if (body.sendInvite) await accounts.mailToken(user, 'invite', caller.name);
      return toUserDto(user);
    },
    patch: (input: Parameters<typeof usual.patch>[0]) =>
      guarded(deps, input.caller, input.params.id, input.body, async () => usual.patch(input)),
    replace: (input: Parameters<typeof usual.replace>[0]) =>
      guarded(deps, input.caller, input.params.id, input.body, async () => usual.replace(input)),
    remove: async ({ caller, params }: Parameters<typeof usual.remove>[0]) => {
      const user = await keeper.get(caller, params.id);
      if (user._id === caller.userId)
        throw new Fault('CONFLICT', 'Nobody deletes themselves.', { hint: 'Use POST /api/users/me/close.' });
      await ranks.require(caller, user, `User ${user._id}`);
      await accounts.close(user);
      return null;
    },
  };
}

/** The fields that a change sets, where the caller may set them. */
async function changed(rights: Rights, body: Body<'patch'>, old: UserDoc, caller: Caller) {
  const { username, roleIds, email, ...fields } = body;
  if (roleIds) await rights.requireRoles(caller, roleIds);
  const address = email === undefined ? {} : { email: email?.toLowerCase() ?? null };
  const moves = address.email !== undefined && address.email !== old.email;
  if (moves) await rights.requireAccount(caller, old);
  const change = {
    // The new address is not confirmed yet.
    ...(moves && { emailConfirmed: false }),
    ...defined(fields),
    ...address,
    ...(username !== undefined && { username: username.toLowerCase() }),
    ...(roleIds && { roleIds: [...new Set(roleIds)] }),
  };
  await rights.requireReach(caller, old, { ...old, ...change });
  return change;
}

/** Writes a change unless it takes away the last owner who can get in. */
async function guarded<T>(
  { users: keeper, administrators, accessChanged, quotas }: RegistryDeps,
  caller: Caller,
  id: number,
  next: { role?: UserDoc['role'] | undefined; isActive?: boolean | undefined; roleIds?: unknown },
  write: () => Promise<T>,
) {
  const old = await keeper.get(caller, id);
  const returns = next.isActive === true && !old.isActive && old.type === 'Human';
  if (returns) await quotas?.require(caller.tenantId, { ActiveUsers: 1 });
  const demoted = old.role === 'Owner' && rankOf(next.role ?? old.role) < rankOf('Owner');
  const loses = demoted || (old.role === 'Owner' && next.isActive === false);
  const { role, isActive } = old;
  const undo = () => keeper.change(caller, old._id, { role, isActive });
  const changed = loses
    ? await administrators.guard(caller.tenantId, { userId: old._id }, { write, undo })
    : await write();
  if (next.role !== undefined || next.roleIds !== undefined || next.isActive !== undefined) accessChanged();
  return changed;
}

/** What somebody may make of a user. */
function createRights({ roles, ranks, accounts }: RegistryDeps) {
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
  const requireReach = async (caller: Caller, old: UserDoc | null, next: Pick<UserDoc, 'role' | 'roleIds'>) => {
    const ranked = { tenantId: caller.tenantId, ...next };
    const [had, gets] = await Promise.all([old && ranks.standing(old), ranks.standing(ranked)]);
    if (gets.rank > caller.rank)
      throw new Fault('FORBIDDEN', 'This role ranks above you.', { hint: `Your own weight is ${caller.rank}.` });
    const added = [...gets.permissions].filter((one) => !had?.permissions.has(one));
    requireOwn(caller, added, old ? `User ${old._id}` : 'This user');
  };

  const draft = async (body: Body<'create'>, caller: Caller): Promise<Draft<UserDoc>> => {
    const type = body.type ?? 'Human';
    const place = { role: body.role ?? (type === 'Human' ? ('Member' as const) : ('Agent' as const)) };
    const roleIds = [...new Set(body.roleIds ?? [])];
    await requireRoles(caller, roleIds);
    await requireReach(caller, null, { ...place, roleIds });
    if (body.sendInvite && (!body.email || body.password != null || type !== 'Human'))
      throw new Fault('VALIDATION_FAILED', 'An invitation takes an e-mail address, and a person without a password.', {
        hint: 'Give an email and leave the password out: who is invited chooses it.',
      });
    if (body.password != null) await accounts.requireGood(caller.tenantId, body.password, body.username);
    return {
      ...place,
      roleIds,
      type,
      username: body.username.toLowerCase(),
      displayName: body.displayName ?? null,
      email: body.email?.toLowerCase() ?? null,
      emailConfirmed: false,
      location: body.location ?? null,
      timezone: body.timezone ?? null,
      language: body.language ?? null,
      ui: body.ui ?? null,
      isActive: body.isActive ?? true,
      passwordHash: body.password == null ? null : await hashPassword(body.password),
      // A password opens no more than the key that it was set with, and ends with it.
      passwordKeyId: body.password == null ? null : caller.originKeyId,
      lastLoginAt: null,
      lastSeenAt: null,
    };
  };

  return {
    requireRoles,
    requireReach,
    draft,
    /** Goes before what lets the caller in as somebody. @throws Fault FORBIDDEN */
    requireAccount: (caller: Caller, user: UserDoc) => requireAccount(ranks, caller, user),
  };
}

/**
 * Goes before what lets the caller in as somebody else: a key or password of theirs, or the address that a new password
 * is mailed to.
 *
 * @throws Fault FORBIDDEN for a key that does not name the scope, and where the user could do more than the caller
 */
export async function requireAccount(ranks: Ranks, caller: Caller, user: UserDoc): Promise<void> {
  await ranks.require(caller, user, `User ${user._id}`);
  if (!caller.managesAccount)
    throw new Fault('FORBIDDEN', 'A key may not do this to the account of a person.', {
      hint: 'Sign in with a password or a link, or use a key that names the scope UsersWrite.',
    });
  requireOwn(caller, (await ranks.standing(user)).permissions, `User ${user._id}`, 'It takes somebody who has');
}

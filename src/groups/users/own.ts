// What people do with their own account: change the profile, take their data with them, close it.
import type { Accounts } from '../../auth/accounts.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { UserDoc } from '../../auth/documents.ts';
import type { Proof } from '../../auth/proof.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { users } from './contract.ts';
import type { PersonalData } from './export/personal-data.ts';
import { toUserDto } from './to-dto.ts';

export interface OwnDeps {
  collections: AuthCollections;
  users: Keeper<UserDoc>;
  accounts: Accounts;
  proof: Proof;
  personalData: PersonalData;
  /** The first tenant, which always has an owner. */
  tenantId: number;
  clock: Clock;
}

export function ownHandlers(deps: OwnDeps): Pick<Handlers<typeof users>, 'replaceProfile' | 'exportData' | 'close'> {
  const { collections, accounts, proof, personalData } = deps;

  /** Whether somebody has a tenant to themselves, which then may stay without an owner. */
  const isAlone = async ({ _id, tenantId }: UserDoc): Promise<boolean> => {
    if (tenantId === deps.tenantId) return false;
    const others = { tenantId, type: 'Human' as const, isActive: true, _id: { $ne: _id } };
    return (await collections.users.findOne(others)) === null;
  };

  return {
    replaceProfile: async ({ caller, body }) => {
      const user = await collections.users.findOne({ _id: caller.userId ?? 0, tenantId: caller.tenantId });
      if (!user) throw new Fault('NOT_FOUND', 'You have no account.', { hint: 'Sign in again.' });
      const email = body.email?.toLowerCase() ?? null;
      const moves = email !== user.email;
      // A new password can be mailed to the new address.
      if (moves) proof.requireRecent(caller);
      const changed = await deps.users.change(caller, user._id, {
        displayName: body.displayName ?? null,
        email,
        location: body.location ?? null,
        timezone: body.timezone ?? null,
        language: body.language ?? null,
        ...(body.ui === undefined ? {} : { ui: body.ui }),
        ...(moves ? { emailConfirmed: false } : {}),
      });
      if (moves) accounts.later(() => tellOfMove(accounts, user, changed));
      return toUserDto(changed);
    },
    exportData: async ({ caller, query }) => {
      const data = await personalData.of(caller);
      return query.format === 'Zip' ? personalData.zip(data) : data;
    },
    close: async ({ caller, body }) => {
      const user = await proof.person(caller);
      await proof.requirePassword(caller, user, body.password);
      await accounts.close(user, { erase: body.deleteData ?? false, alone: await isAlone(user) });
      if (body.deleteData) await personalData.erase(user);
      return null;
    },
  };
}

/** The new address gets a link to confirm it, the old one a word about it. */
async function tellOfMove(accounts: Accounts, old: UserDoc, changed: UserDoc): Promise<void> {
  if (changed.email) await accounts.mailToken(changed, 'confirm');
  if (old.email && old.emailConfirmed)
    await accounts.mail({
      to: old.email,
      subject: 'Your e-mail address was changed',
      text: 'The e-mail address of your account was changed. If it was not you, ask your administrator at once.',
    });
}

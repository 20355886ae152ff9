// Registers people: into a tenant of their own, or by an invitation into that of who invites.
import type { Accounts } from '../../auth/accounts.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { UserDoc } from '../../auth/documents.ts';
import type { MailTokens } from '../../auth/mail-tokens.ts';
import { hashPassword } from '../../auth/passwords.ts';
import { type NewPerson, nameTaken, newUser, type Tenants } from '../../auth/tenants.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Invitations, invitePrefix } from '../../org-units/invitations.ts';
import type { OrgUnitInviteDoc } from '../../org-units/record.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Policies } from '../../ports/tenant-policy.ts';

export interface RegistrationDeps {
  collections: AuthCollections;
  accounts: Accounts;
  mailTokens: MailTokens;
  tenants: Tenants;
  policies: Policies;
  /** Invitations to organisation units. */
  invited: Invitations;
  ids: Ids;
  clock: Clock;
  /** The first tenant, whose policy says who may start others. */
  tenantId: number;
}

interface Wanted {
  username: string;
  email: string;
  password: string;
  displayName?: string | null | undefined;
  inviteToken?: string | null | undefined;
  timezone?: string | null | undefined;
  language?: string | null | undefined;
}

const closed = (message: string, hint: string) => new Fault('REGISTRATION_CLOSED', message, { hint });

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same dependencies, one for each step.
export function createRegistration(deps: RegistrationDeps): (wanted: Wanted) => Promise<UserDoc> {
  const { collections, accounts, mailTokens, tenants, policies } = deps;

  /** @throws Fault DUPLICATE: people sign in by name without saying of which tenant they are */
  const requireFree = async (username: string, but: number | null) => {
    const found = await collections.users.findOne({ username, deletedAt: null });
    if (found && found._id !== but) throw nameTaken(username);
  };

  const requireNotClosed = async (tenantId: number) => {
    if ((await policies.of(tenantId)).registrationMode === 'Closed')
      throw closed('The tenant that invites takes no registrations any more.', 'Ask who invited you.');
  };

  const personOf = async (wanted: Wanted): Promise<NewPerson> => ({
    username: wanted.username.toLowerCase(),
    email: wanted.email.toLowerCase(),
    displayName: wanted.displayName?.trim() || null,
    passwordHash: await hashPassword(wanted.password),
    timezone: wanted.timezone ?? null,
    language: wanted.language ?? null,
  });

  /** @throws Fault REGISTRATION_CLOSED, WEAK_PASSWORD, DUPLICATE */
  const ready = async (tenantId: number, wanted: Wanted): Promise<NewPerson> => {
    await requireNotClosed(tenantId);
    await accounts.requireGood(tenantId, wanted.password, wanted.username);
    await requireFree(wanted.username.toLowerCase(), null);
    return personOf(wanted);
  };

  const startTenant = async (wanted: Wanted): Promise<UserDoc> => {
    const { registrationMode } = await policies.of(deps.tenantId);
    if (registrationMode === 'Closed')
      throw closed('This server takes no registrations.', 'Ask its administrator for an account.');
    if (registrationMode === 'InviteOnly')
      throw closed('Registration takes an invitation here.', 'Ask for one, and open the link in its mail.');
    await accounts.requireGood(deps.tenantId, wanted.password, wanted.username);
    await requireFree(wanted.username.toLowerCase(), null);
    return tenants.start(await personOf(wanted));
  };

  const accept = async (wanted: Wanted, inviteToken: string): Promise<UserDoc> => {
    if (inviteToken.startsWith(invitePrefix))
      return joinUnit(deps, await deps.invited.find(inviteToken), wanted, ready);
    const token = await mailTokens.find(inviteToken, 'invite');
    const { tenantId, userId } = token;
    await requireNotClosed(tenantId);
    await accounts.requireGood(tenantId, wanted.password, wanted.username);
    const username = wanted.username.toLowerCase();
    await requireFree(username, userId);
    const person = await personOf(wanted);
    await mailTokens.use(token);
    // The token proves access to the address that it was sent to.
    const change = { ...person, passwordKeyId: null, emailConfirmed: person.email === token.email.toLowerCase() };
    try {
      const user = await collections.users.findOneAndUpdate(
        { _id: userId, tenantId, isActive: true, deletedAt: null, passwordHash: null },
        { $set: change },
        { returnDocument: 'after' },
      );
      if (!user)
        throw new Fault('INVALID_TOKEN', 'This invitation does not hold any more.', { hint: 'Ask for another one.' });
      return user;
    } catch (cause) {
      await mailTokens.giveBack(token);
      throw isDuplicate(cause) ? nameTaken(username) : cause;
    }
  };

  return async (wanted) => {
    const user = wanted.inviteToken == null ? await startTenant(wanted) : await accept(wanted, wanted.inviteToken);
    if (!user.emailConfirmed) accounts.later(() => accounts.mailToken(user, 'confirm'));
    return user;
  };
}

/**
 * An account in the tenant of an invitation to a unit, whose member it becomes.
 *
 * @param ready - says whether the tenant takes the person, and makes what an account begins with of them
 */
async function joinUnit(
  { collections, invited, tenants, ids, clock }: RegistrationDeps,
  invite: OrgUnitInviteDoc,
  wanted: Wanted,
  ready: (tenantId: number, wanted: Wanted) => Promise<NewPerson>,
): Promise<UserDoc> {
  const { tenantId, accountRole } = invite;
  const person = await ready(tenantId, wanted);
  const user: UserDoc = {
    ...newUser(person, { tenantId, role: accountRole }, await ids.next('users'), new Date(clock.now())),
    // The token proves access to the address that it was sent to.
    emailConfirmed: person.email === invite.email,
  };
  try {
    await collections.users.insertOne(user);
  } catch (cause) {
    throw isDuplicate(cause) ? nameTaken(user.username) : cause;
  }
  try {
    await invited.accept(invite, user);
  } catch (cause) {
    // Somebody else was faster: their account is the one that there is.
    await collections.users.deleteOne({ _id: user._id });
    throw cause;
  }
  await tenants.addIdentity(user);
  return user;
}

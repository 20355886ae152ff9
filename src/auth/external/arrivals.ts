// Which account a person of a sign-in provider enters: the one that is linked, one of a proven address, or a new one.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { AuthCollections } from '../collections.ts';
import type { ExternalLoginDoc, UserDoc } from '../documents.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { hasSecondFactor } from '../mfa.ts';
import { firstSlug, newUser, type Tenants } from '../tenants.ts';
import type { Profile } from './provider.ts';
import type { ProviderSettings } from './settings.ts';

/** How long one request may take to find or make an account; after that another one goes on, ms. */
const makingMs = 60_000;
/** Accounts that one address is looked for in, and names that are tried for a new one. */
const mostNamesakes = 20;
const mostNames = 1000;

export interface Arrivals {
  /**
   * The login of a person, with its account found or made.
   *
   * @throws Fault REGISTRATION_CLOSED where nobody of that kind gets an account; CONFLICT where an address is that of
   * several accounts; MFA_REQUIRED where it is that of one with a second factor
   */
  arrive(settings: ProviderSettings, profile: Profile): Promise<ExternalLoginDoc>;
  /** Links a person to an account. @throws Fault DUPLICATE where they enter another one */
  link(
    settings: ProviderSettings,
    profile: Profile,
    user: Pick<UserDoc, '_id' | 'tenantId'>,
  ): Promise<ExternalLoginDoc>;
}

interface Deps {
  auth: AuthCollections;
  ids: Ids;
  tenants: Pick<Tenants, 'start' | 'addIdentity'>;
  mailTokens: Pick<MailTokens, 'forget'>;
  policies: Policies;
  /** What the plan allows; everything without it. */
  quotas?: Quotas | undefined;
  clock: Clock;
}

export function createArrivals(deps: Deps): Arrivals {
  const { auth, clock } = deps;
  const { externalLogins: logins } = auth;

  const settle = async (login: ExternalLoginDoc, profile: Profile, settings: ProviderSettings) => {
    try {
      const user = (await ownerOf(deps, settings, profile)) ?? (await join(deps, settings, profile));
      const owner = { tenantId: user.tenantId, userId: user._id };
      await logins.updateOne({ _id: login._id }, { $set: owner });
      return { ...login, ...owner };
    } catch (error) {
      await logins.deleteOne({ _id: login._id, userId: null });
      throw error;
    }
  };

  return {
    async arrive(settings, profile) {
      const found = await loginOf(deps, profile);
      const known = found && found.userId !== null ? found : await claim(deps, settings, profile);
      const login = known.userId === null ? await settle(known, profile, settings) : known;
      const { email, displayName } = profile;
      await logins.updateOne({ _id: login._id }, { $set: { email, displayName, lastUsedAt: new Date(clock.now()) } });
      return login;
    },
    async link(settings, profile, user) {
      const added = await add(deps, settings, profile, { tenantId: user.tenantId, userId: user._id });
      const login = added ?? (await loginOf(deps, profile));
      if (login?.userId === user._id) return login;
      throw new Fault('DUPLICATE', `This login of ${settings.name} enters another account.`, {
        hint: 'Unlink it there first.',
      });
    },
  };
}

const loginOf = ({ auth }: Deps, { issuer, subject }: Profile) => auth.externalLogins.findOne({ issuer, subject });

/** Adds a login; null where there is one already. */
async function add(
  { auth, ids, clock }: Deps,
  { key, kind }: ProviderSettings,
  { issuer, subject, email, displayName }: Profile,
  owner: { tenantId: number; userId: number | null },
): Promise<ExternalLoginDoc | null> {
  const login: ExternalLoginDoc = {
    _id: await ids.next('external_logins'),
    guid: randomUUID(),
    ...owner,
    ...{ provider: key, kind, issuer, subject, email, displayName },
    createdAt: new Date(clock.now()),
    lastUsedAt: null,
  };
  try {
    await auth.externalLogins.insertOne(login);
    return login;
  } catch (cause) {
    if (isDuplicate(cause)) return null;
    throw cause;
  }
}

/**
 * A login with its account; or one without, and with it the right to give it one: of requests that come at once, one has
 * that.
 *
 * @throws Fault CONFLICT while another request has it
 */
async function claim(deps: Deps, settings: ProviderSettings, profile: Profile): Promise<ExternalLoginDoc> {
  const added = await add(deps, settings, profile, { tenantId: 0, userId: null });
  if (added) return added;
  const now = deps.clock.now();
  const { issuer, subject } = profile;
  const abandoned = { issuer, subject, userId: null, createdAt: { $lt: new Date(now - makingMs) } };
  const change = { $set: { createdAt: new Date(now) } };
  const taken = await deps.auth.externalLogins.findOneAndUpdate(abandoned, change, { returnDocument: 'after' });
  const known = taken ?? (await loginOf(deps, profile));
  if (known && (taken || known.userId !== null)) return known;
  throw new Fault('CONFLICT', 'Another sign-in of yours is under way.', { hint: 'Try again in a minute.' });
}

/** The account that has the address: confirmed, or made for somebody who has not come yet. Null without one. */
async function ownerOf(
  { auth, mailTokens }: Deps,
  { name, kind }: ProviderSettings,
  { email, isEmailProven }: Profile,
): Promise<UserDoc | null> {
  if (email === null || !isEmailProven) return null;
  const options = { sort: { _id: 1 }, limit: mostNamesakes } as const;
  const found = await auth.users.find({ email, type: 'Human', isActive: true, deletedAt: null }, options).toArray();
  const confirmed = found.filter(({ emailConfirmed }) => emailConfirmed);
  // An account with a password may only claim the address.
  const invited = found.filter(({ passwordHash, lastLoginAt }) => passwordHash === null && lastLoginAt === null);
  const [user, ...others] = confirmed.length > 0 ? confirmed : invited;
  if (!user) return null;
  const byHand = `Sign in there without ${name}, and link it in the account.`;
  if (others.length > 0) throw new Fault('CONFLICT', 'Several accounts have this e-mail address.', { hint: byHand });
  if (hasSecondFactor(user))
    throw new Fault('MFA_REQUIRED', 'The account with this e-mail address has a second factor.', { hint: byHand });
  const authProvider = user.passwordHash === null ? { authProvider: kind } : {};
  await auth.users.updateOne({ _id: user._id }, { $set: { emailConfirmed: true, ...authProvider } });
  await mailTokens.forget(user._id);
  return user;
}

/** Makes an account where the operator or the registration mode lets the person have one. */
async function join(deps: Deps, settings: ProviderSettings, profile: Profile): Promise<UserDoc> {
  const { auth, tenants, policies } = deps;
  const first = await auth.tenants.findOne({ slug: firstSlug });
  if (!first) throw new Error('there is no first tenant');
  if (isWelcome(settings, profile)) {
    await requireUnclaimed(deps, first._id, settings, profile);
    return underFreeName(deps, profile, (username) => insert(deps, settings, profile, username, first._id));
  }
  if ((await policies.of(first._id)).registrationMode === 'Open')
    return underFreeName(deps, profile, async (username) => {
      const user = await tenants.start(personOf(profile, username));
      const known = { emailConfirmed: profile.isEmailProven, authProvider: settings.kind };
      await auth.users.updateOne({ _id: user._id }, { $set: known });
      return { ...user, ...known };
    });
  throw new Fault('REGISTRATION_CLOSED', `${settings.name} knows you, but you have no account here.`, {
    hint: 'Ask an administrator for one with the e-mail address that you have there.',
  });
}

/** Whether the operator lets the person join: without domains everybody, else by a proven address. */
function isWelcome({ join: welcome }: ProviderSettings, { email, isEmailProven }: Profile): boolean {
  if (!welcome) return false;
  if (welcome.domains.length === 0) return true;
  return isEmailProven && email !== null && welcome.domains.includes(email.slice(email.lastIndexOf('@') + 1));
}

/** An account that only claims the address is not entered, and not given a double. @throws Fault CONFLICT */
async function requireUnclaimed({ auth }: Deps, tenantId: number, { name }: ProviderSettings, { email }: Profile) {
  if (email === null || !(await auth.users.findOne({ tenantId, email, deletedAt: null }))) return;
  throw new Fault('CONFLICT', 'An account has this e-mail address, but it is not proven.', {
    hint: `Sign in there without ${name} and link it in the account, or ask an administrator.`,
  });
}

async function insert(deps: Deps, settings: ProviderSettings, profile: Profile, username: string, tenantId: number) {
  const { auth, ids, tenants, clock } = deps;
  await deps.quotas?.require(tenantId, { ActiveUsers: 1, ActiveIdentities: 1 });
  const place = { tenantId, role: settings.join?.role ?? 'Member' } as const;
  const user: UserDoc = {
    ...newUser(personOf(profile, username), place, await ids.next('users'), new Date(clock.now())),
    ...{ emailConfirmed: profile.isEmailProven, authProvider: settings.kind },
  };
  await auth.users.insertOne(user);
  await tenants.addIdentity(user);
  return user;
}

const personOf = ({ email, displayName }: Profile, username: string) => ({
  ...{ username, displayName, email, passwordHash: null },
});

/** Tries `ada`, `ada-2`, `ada-3` …: people sign in by name without saying of which tenant they are. */
async function underFreeName({ auth }: Deps, profile: Profile, make: (username: string) => Promise<UserDoc>) {
  const plain = (profile.username ?? profile.email?.split('@')[0] ?? profile.displayName ?? '')
    .toLowerCase()
    .replaceAll(/[\s/]+/g, '-')
    .slice(0, 100);
  for (let number = 1; number <= mostNames; number++) {
    const username = number === 1 ? plain || 'person' : `${plain || 'person'}-${number}`;
    if (await auth.users.findOne({ username, deletedAt: null })) continue;
    try {
      return await make(username);
    } catch (cause) {
      if (!isDuplicate(cause) && !(cause instanceof Fault && cause.code === 'DUPLICATE')) throw cause;
    }
  }
  throw new Fault('CONFLICT', 'No username is free for you.', { hint: 'Ask an administrator for an account.' });
}

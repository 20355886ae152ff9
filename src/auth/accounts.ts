// Accounts as a whole: passwords by the tenant's policy, mails to their people, and closing.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Mail, Mailer } from '../ports/mail.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import type { Administrators } from './administrators.ts';
import type { AuthCollections } from './collections.ts';
import type { UserDoc } from './documents.ts';
import type { Lockout } from './lockout.ts';
import type { MailTokens } from './mail-tokens.ts';
import { mails } from './mails.ts';
import { hashPassword } from './passwords.ts';
import { namesakes } from './sign-in.ts';

export interface Accounts {
  /** Checks a password against the tenant's policy. @throws Fault WEAK_PASSWORD */
  requireGood(tenantId: number, password: string, username: string): Promise<void>;
  /**
   * Sets a password and ends the mailed tokens that could set another. `keyId` is the key that the password is set
   * with.
   */
  setPassword(user: UserDoc, password: string, keyId: number | null): Promise<void>;
  /** Ends all sessions of a user except `but`. */
  endSessions(userId: number, but?: number | null): Promise<void>;
  /** Mails a token; false without an address or when one was mailed within a minute. @throws Fault NOT_CONFIGURED */
  mailToken(user: UserDoc, kind: 'confirm' | 'reset' | 'invite', by?: string): Promise<boolean>;
  mail(mail: Mail): Promise<void>;
  /** Runs work in the background, so that the response time does not reveal whether an account exists. */
  later(work: () => Promise<unknown>): void;
  /**
   * Closes an account for good: sign-in, keys, sessions and identities end, the name is free. What the account did
   * stays;
   * with `erase` the person's own data is deleted.
   *
   * @throws Fault LAST_OWNER
   */
  close(user: UserDoc, options?: { erase?: boolean; alone?: boolean }): Promise<void>;
}

interface Deps {
  auth: AuthCollections;
  administrators: Administrators;
  policies: Policies;
  tokens: MailTokens;
  lockout: Lockout;
  mailer: Mailer;
  clock: Clock;
  log: Logger;
  /** Public URL of the server, for links. */
  publicUrl: () => string;
  /** Called after rights or sessions may have ended, so that sockets and caches are updated. */
  accessChanged: () => void;
}

export function createAccounts(deps: Deps): Accounts {
  const { auth, administrators, policies, tokens, lockout, mailer, clock, log, accessChanged } = deps;

  const mail = async (one: Mail): Promise<void> => {
    try {
      await mailer.send(one);
    } catch (cause) {
      log.warn({ err: cause, where: mailer.where }, 'a mail could not be sent');
      throw new Fault('NOT_CONFIGURED', 'The mail could not be sent.', {
        hint: 'Try again later; an administrator finds the cause in the log, and sets RIVULET_SMTP_URL.',
        cause,
      });
    }
  };

  const endSessions: Accounts['endSessions'] = async (userId, but = null) => {
    const others = { userId, revokedAt: null, ...(but === null ? {} : { _id: { $ne: but } }) };
    await auth.sessions.updateMany(others, { $set: { revokedAt: new Date(clock.now()) } });
    accessChanged();
  };

  return {
    mail,
    endSessions,
    async requireGood(tenantId, password, username) {
      const { passwordMinLength } = await policies.of(tenantId);
      if (password.length < passwordMinLength)
        throw new Fault('WEAK_PASSWORD', `A password has ${passwordMinLength} characters or more.`, {
          hint: 'A few words make a good one.',
        });
      if (password.toLowerCase() === username.toLowerCase() || new Set(password).size < 4)
        throw new Fault('WEAK_PASSWORD', 'This password is easy to guess.', { hint: 'A few words make a good one.' });
    },
    async setPassword(user, password, keyId) {
      const passwordHash = await hashPassword(password);
      await auth.users.updateOne({ _id: user._id }, { $set: { passwordHash, passwordKeyId: keyId } });
      await auth.mailTokens.deleteMany({ userId: user._id, kind: { $in: ['reset', 'invite'] } });
      for (const name of [user.username, user.email])
        if (name && (await namesakes(auth, name)).length === 1) await lockout.succeeded(name);
    },
    async mailToken(user, kind, by = 'Rivulet') {
      const issued = await tokens.issue(user, kind);
      if (!issued) return false;
      await mail(mails[kind]({ ...issued, by, name: user.displayName ?? user.username, url: deps.publicUrl() }));
      return true;
    },
    later(work) {
      setImmediate(() => {
        work().catch((error: unknown) => log.warn({ err: error }, 'work on an account failed'));
      });
    },
    async close(user, { erase = false, alone = false } = {}) {
      const { _id, tenantId, isActive } = user;
      const write = () => auth.users.updateOne({ _id }, { $set: { isActive: false } });
      const undo = () => auth.users.updateOne({ _id }, { $set: { isActive } });
      if (user.role === 'Owner' && !alone) await administrators.guard(tenantId, { userId: _id }, { write, undo });
      else await write();
      await shut(deps, user, erase);
      await endSessions(_id);
    },
  };
}

/** Revokes every credential of a user: keys, sessions and tokens. */
async function shut({ auth, tokens, clock }: Deps, user: UserDoc, erase: boolean): Promise<void> {
  const { _id: userId, tenantId, guid } = user;
  const now = new Date(clock.now());
  const own = await auth.identities.find({ tenantId, userId, deletedAt: null }).toArray();
  for (const { _id, nameKey, guid: itsGuid } of own)
    await auth.identities.updateOne(
      { _id, deletedAt: null },
      { $set: { isActive: false, deletedAt: now, updatedAt: now, nameKey: `${nameKey} ${itsGuid}` } },
    );
  const identityId = { $in: own.map(({ _id }) => _id) };
  await auth.keys.updateMany({ tenantId, identityId, revokedAt: null }, { $set: { revokedAt: now } });
  await tokens.forget(userId);
  await auth.externalLogins.deleteMany({ tenantId, userId });
  const personal = { email: null, displayName: null, location: null, timezone: null, language: null, ui: null };
  await auth.users.updateOne(
    { _id: userId },
    {
      $set: {
        ...(erase ? personal : {}),
        username: erase ? `closed ${guid}` : `${user.username} ${guid}`,
        deletedAt: now,
        passwordHash: null,
        totp: null,
        totpPending: null,
        recoveryHashes: [],
      },
    },
  );
}

// Sign-in sessions of people: access tokens for 15 minutes, refresh tokens that change at each use.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Ids } from '../ports/ids.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, SessionDoc, UserDoc } from './documents.ts';
import { type AccessTokens, accessTokenSeconds } from './jwt.ts';
import { hashSecret, linkPrefix, newToken } from './keys.ts';
import { isLive, liveOrigin, livePassword, liveUser } from './live.ts';
import { checkPassword } from './passwords.ts';
import type { SignInLinks } from './sign-in-links.ts';

const day = 86_400_000;
/** How long a session lives without use: remembered, or not. */
const lifetimes = { remembered: 30 * day, plain: day, signInLink: day };
/** How many used refresh tokens are remembered to notice a stolen one. */
const rememberedHashes = 50;

export interface IssuedTokens {
  accessToken: string;
  expiresInSeconds: number;
  refreshToken: string;
  session: SessionDoc;
  user: UserDoc;
}

export interface ClientInfo {
  ip: string | null;
  userAgent: string | null;
  deviceName?: string | null;
}

export interface Sessions {
  /** A token that starts a session when it is used, once, for the sign-in link. */
  createSignInToken(user: UserDoc, identity: IdentityDoc): Promise<string>;
  /** @throws Fault INVALID_CREDENTIALS, ACCOUNT_DISABLED */
  login(
    tenantId: number,
    login: string,
    password: string,
    options: ClientInfo & { remember: boolean },
  ): Promise<IssuedTokens>;
  /**
   * Exchanges a refresh token for new tokens. Using one twice ends the session, for both holders; a sign-in link that
   * was used before just opens nothing, as links lie about in histories and chats.
   *
   * @throws Fault TOKEN_REVOKED, TOKEN_EXPIRED, UNAUTHENTICATED
   */
  refresh(refreshToken: string, client: ClientInfo): Promise<IssuedTokens>;
  /** Ends one session, or all of the user's. Returns how many ended. */
  end(userId: number, sessionId: number | null): Promise<number>;
}

interface Deps {
  auth: AuthCollections;
  ids: Ids;
  tokens: AccessTokens;
  clock: Clock;
  links: SignInLinks;
  /** Called after sessions have ended; sockets and caches follow. */
  accessChanged: () => void;
}

/**
 * What a session stands on, where all of it may still act: its identity, and the key that it came from.
 *
 * @throws Fault TOKEN_REVOKED
 */
export async function liveSession({ auth, clock }: Pick<Deps, 'auth' | 'clock'>, session: SessionDoc) {
  const origin = await liveOrigin(auth, clock, session.keyId);
  if (session.identityId === null) return { identity: null, origin };
  const identity = await auth.identities.findOne({ _id: session.identityId });
  if (isLive(identity, clock.now())) return { identity, origin };
  throw new Fault('TOKEN_REVOKED', 'The identity of this session has ended.', { hint: 'Sign in again.' });
}

export function createSessions({ auth, ids, tokens, links, clock, accessChanged }: Deps): Sessions {
  const open = async (
    user: UserDoc,
    identity: IdentityDoc | null,
    lifetimeMs: number,
    { token: refreshToken, ...client }: ClientInfo & { token: string },
  ) => {
    const now = new Date(clock.now());
    const session: SessionDoc = {
      _id: await ids.next('authSessions'),
      guid: randomUUID(),
      tenantId: user.tenantId,
      userId: user._id,
      identityId: identity?._id ?? null,
      deviceName: client.deviceName ?? null,
      ip: client.ip,
      userAgent: client.userAgent,
      refreshHash: hashSecret(refreshToken),
      usedHashes: [],
      keyId: user.passwordKeyId ?? null,
      provenAt: now,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(clock.now() + lifetimeMs),
      revokedAt: null,
    };
    await auth.sessions.insertOne(session);
    return { refreshToken, session };
  };

  const issue = (session: SessionDoc, user: UserDoc, refreshToken: string): IssuedTokens => ({
    accessToken: tokens.sign({ tenantId: session.tenantId, userId: user._id, sessionId: session._id }),
    expiresInSeconds: accessTokenSeconds,
    refreshToken,
    session,
    user,
  });

  const refuse = async (refreshToken: string): Promise<Fault> => {
    if (refreshToken.startsWith(linkPrefix))
      return new Fault('TOKEN_REVOKED', 'This sign-in link was used before, or is not of this server.', {
        hint: 'Sign in with a password or a key, or make another link with "npm run admin:link".',
      });
    const hash = hashSecret(refreshToken);
    const stolen = await auth.sessions.findOneAndUpdate(
      { usedHashes: hash, revokedAt: null },
      { $set: { revokedAt: new Date(clock.now()) } },
    );
    if (stolen) accessChanged();
    return stolen
      ? new Fault('TOKEN_REVOKED', 'This refresh token was used before, so its session has been ended.', {
          hint: 'Sign in again.',
        })
      : new Fault('UNAUTHENTICATED', 'This sign-in token is not valid.', { hint: 'Sign in again, or use a key.' });
  };

  /** Whom a person acts as: the first of their identities that may act. */
  const firstIdentity = async ({ tenantId, _id: userId }: UserDoc): Promise<IdentityDoc | null> => {
    const own = { tenantId, userId, isActive: true, deletedAt: null } as const;
    const found = await auth.identities.find(own, { sort: { _id: 1 } }).toArray();
    return found.find((one) => isLive(one, clock.now())) ?? null;
  };

  /** The session that a signed link stands for, so that it can be opened like a stored one; a link works once. */
  const beginSigned = async (token: string, client: ClientInfo): Promise<void> => {
    const isUsed = async () => (await auth.sessions.findOne({ usedHashes: hashSecret(token) })) !== null;
    if (await isUsed()) throw await refuse(token);
    const tenant = await auth.tenants.findOne({ slug: 'default' });
    const user = tenant && (await auth.users.findOne({ tenantId: tenant._id, username: 'admin' }));
    if (!user) throw await refuse(token);
    const { session } = await open(user, await firstIdentity(user), lifetimes.signInLink, {
      ...client,
      deviceName: 'Sign-in link',
      token,
    });
    // Somebody was quicker, and had used it up between the two looks.
    if (!(await isUsed())) return;
    await auth.sessions.deleteOne({ _id: session._id });
    throw await refuse(token);
  };

  return {
    createSignInToken: async (user, identity) =>
      (
        await open({ ...user, passwordKeyId: null }, identity, lifetimes.signInLink, {
          token: newToken(linkPrefix),
          ip: null,
          userAgent: null,
          deviceName: 'Sign-in link',
        })
      ).refreshToken,

    login: async (tenantId, login, password, { remember, ...client }) => {
      const user = await auth.users.findOne({ tenantId, username: login.toLowerCase() });
      const right = await checkPassword(user && (await livePassword(auth, clock, user)), password);
      if (!user || !right)
        throw new Fault('INVALID_CREDENTIALS', 'Login or password is wrong.', {
          hint: 'Try again, or sign in with a key.',
        });
      liveUser(user);
      const identity = await firstIdentity(user);
      const { session, refreshToken } = await open(user, identity, remember ? lifetimes.remembered : lifetimes.plain, {
        ...client,
        token: newToken('rft_'),
      });
      await auth.users.updateOne({ _id: user._id }, { $set: { lastLoginAt: session.createdAt } });
      return issue(session, user, refreshToken);
    },

    refresh: async (refreshToken, client) => {
      const hash = hashSecret(refreshToken);
      const next = newToken('rft_');
      const isSigned = links.verify(refreshToken);
      if (isSigned) await beginSigned(refreshToken, client);
      const current = await auth.sessions.findOne({ refreshHash: hash });
      if (!current) throw await refuse(refreshToken);
      if (current.revokedAt) throw new Fault('TOKEN_REVOKED', 'This session has ended.', { hint: 'Sign in again.' });
      if (current.expiresAt.getTime() <= clock.now())
        throw new Fault('TOKEN_EXPIRED', 'This session has expired.', { hint: 'Sign in again.' });
      await liveSession({ auth, clock }, current);
      const user = liveUser(await auth.users.findOne({ _id: current.userId }));
      const fromLink = refreshToken.startsWith(linkPrefix);
      const lifetime = Math.max(current.expiresAt.getTime() - current.lastSeenAt.getTime(), lifetimes.plain);
      const session = await auth.sessions.findOneAndUpdate(
        { _id: current._id, refreshHash: hash, revokedAt: null },
        {
          $set: {
            refreshHash: hashSecret(next),
            ...(fromLink ? { provenAt: new Date(clock.now()) } : {}),
            ...(fromLink && !isSigned ? {} : { usedHashes: [...current.usedHashes, hash].slice(-rememberedHashes) }),
            lastSeenAt: new Date(clock.now()),
            expiresAt: new Date(clock.now() + lifetime),
            ip: client.ip,
            userAgent: client.userAgent,
          },
        },
        { returnDocument: 'after' },
      );
      if (!session) throw await refuse(refreshToken);
      return issue(session, user, next);
    },

    end: async (userId, sessionId) => {
      const which = sessionId === null ? { userId, revokedAt: null } : { _id: sessionId, userId, revokedAt: null };
      const result = await auth.sessions.updateMany(which, { $set: { revokedAt: new Date(clock.now()) } });
      if (result.modifiedCount > 0) accessChanged();
      return result.modifiedCount;
    },
  };
}

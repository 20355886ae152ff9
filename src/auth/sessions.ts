// Sign-in sessions of people: short access tokens, and refresh tokens that rotate at each use.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Ids } from '../ports/ids.ts';
import type { Policies, TenantPolicy } from '../ports/tenant-policy.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, SessionDoc, UserDoc } from './documents.ts';
import type { AccessTokens } from './jwt.ts';
import { hashSecret, linkPrefix, newToken } from './keys.ts';
import { type Lack, lackOf } from './lacks.ts';
import { isLive, liveOrigin, liveUser } from './live.ts';
import type { SignInLinks } from './sign-in-links.ts';
import { firstSlug } from './tenants.ts';

const day = 86_400_000;
/** Lifetime in ms of a session without use when it is not remembered; the policy sets it for remembered ones. */
const plainMs = day;
/** Limit of remembered used refresh tokens, which reveal a stolen one. */
const rememberedHashes = 50;

export interface IssuedTokens {
  accessToken: string;
  expiresInSeconds: number;
  refreshToken: string;
  session: SessionDoc;
  user: UserDoc;
  /** Requirement that the person must meet before the session may do anything else. */
  lacks: Lack | null;
}

export interface ClientInfo {
  ip: string | null;
  userAgent: string | null;
  deviceName?: string | null;
}

export interface Sessions {
  /** A single-use token for a sign-in link, which starts a session. */
  createSignInToken(user: UserDoc, identity: IdentityDoc): Promise<string>;
  /** Starts a session for a person who has been authenticated. */
  begin(user: UserDoc, options: ClientInfo & { remember: boolean }): Promise<IssuedTokens>;
  /**
   * Exchanges a refresh token for new tokens. A second use ends the session for both holders; a used sign-in link only
   * fails, since links remain in histories and chats.
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
  policies: Policies;
  /** Called after sessions have ended, so that sockets and caches are updated. */
  accessChanged: () => void;
}

/**
 * Identity and key of a session, if both may still act.
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

/** Lifetime of a session without use, in ms. */
const idleMs = ({ sessionIdleMinutes }: TenantPolicy, remember: boolean) =>
  Math.min(sessionIdleMinutes * 60_000, remember ? Number.POSITIVE_INFINITY : plainMs);

/** Latest end of a session whatever its use, ms since 1970. */
export const absoluteEnd = (
  { createdAt }: Pick<SessionDoc, 'createdAt'>,
  { sessionAbsoluteHours }: Pick<TenantPolicy, 'sessionAbsoluteHours'>,
) => createdAt.getTime() + sessionAbsoluteHours * 3_600_000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createSessions({ auth, ids, tokens, links, policies, clock, accessChanged }: Deps): Sessions {
  const open = async (
    user: UserDoc,
    identity: IdentityDoc | null,
    { token: refreshToken, remember = false, ...client }: ClientInfo & { token: string; remember?: boolean },
  ) => {
    const now = new Date(clock.now());
    const policy = await policies.of(user.tenantId);
    const session: SessionDoc = {
      _id: await ids.next('auth_sessions'),
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
      remember,
      expiresAt: new Date(Math.min(clock.now() + idleMs(policy, remember), absoluteEnd({ createdAt: now }, policy))),
      revokedAt: null,
    };
    await auth.sessions.insertOne(session);
    return { refreshToken, session };
  };

  const issue = async (session: SessionDoc, user: UserDoc, refreshToken: string): Promise<IssuedTokens> => {
    const { tenantId, _id: sessionId } = session;
    const policy = await policies.of(tenantId);
    const left = Math.ceil((absoluteEnd(session, policy) - clock.now()) / 1000);
    const expiresInSeconds = Math.max(1, Math.min(policy.accessTokenMinutes * 60, left));
    const accessToken = tokens.sign({ tenantId, userId: user._id, sessionId }, expiresInSeconds);
    return { accessToken, expiresInSeconds, refreshToken, session, user, lacks: lackOf(user, policy) };
  };

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

  /** The first identity of a person that may act. */
  const firstIdentity = async ({ tenantId, _id: userId }: UserDoc): Promise<IdentityDoc | null> => {
    const own = { tenantId, userId, isActive: true, deletedAt: null } as const;
    const found = await auth.identities.find(own, { sort: { _id: 1 } }).toArray();
    return found.find((one) => isLive(one, clock.now())) ?? null;
  };

  /** Stores the session of a signed link, so that it is opened like a stored one; a link works once. */
  const beginSigned = async (token: string, client: ClientInfo): Promise<void> => {
    const isUsed = async () => (await auth.sessions.findOne({ usedHashes: hashSecret(token) })) !== null;
    if (await isUsed()) throw await refuse(token);
    const tenant = await auth.tenants.findOne({ slug: firstSlug });
    const user = tenant && (await auth.users.findOne({ tenantId: tenant._id, username: 'admin' }));
    if (!user) throw await refuse(token);
    const { session } = await open(user, await firstIdentity(user), {
      ...client,
      deviceName: 'Sign-in link',
      token,
    });
    // A concurrent request used the link up between the two reads.
    if (!(await isUsed())) return;
    await auth.sessions.deleteOne({ _id: session._id });
    throw await refuse(token);
  };

  return {
    createSignInToken: async (user, identity) =>
      (
        await open({ ...user, passwordKeyId: null }, identity, {
          token: newToken(linkPrefix),
          ip: null,
          userAgent: null,
          deviceName: 'Sign-in link',
        })
      ).refreshToken,

    begin: async (user, options) => {
      const { session, refreshToken } = await open(user, await firstIdentity(user), {
        ...options,
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
      // A client's refresh token is for its own endpoint: here it would get all that the person may do.
      if (!current || current.client) throw await refuse(refreshToken);
      if (current.revokedAt) throw new Fault('TOKEN_REVOKED', 'This session has ended.', { hint: 'Sign in again.' });
      if (current.expiresAt.getTime() <= clock.now())
        throw new Fault('TOKEN_EXPIRED', 'This session has expired.', { hint: 'Sign in again.' });
      await liveSession({ auth, clock }, current);
      const user = liveUser(await auth.users.findOne({ _id: current.userId }));
      const fromLink = refreshToken.startsWith(linkPrefix);
      const policy = await policies.of(current.tenantId);
      const end = absoluteEnd(current, policy);
      // A stricter policy also applies to sessions that began before it.
      const remember = current.remember ?? current.expiresAt.getTime() - current.lastSeenAt.getTime() > plainMs;
      if (Math.min(current.lastSeenAt.getTime() + idleMs(policy, remember), end) <= clock.now())
        throw new Fault('TOKEN_EXPIRED', 'This session has expired.', { hint: 'Sign in again.' });
      const session = await auth.sessions.findOneAndUpdate(
        { _id: current._id, refreshHash: hash, revokedAt: null },
        {
          $set: {
            refreshHash: hashSecret(next),
            ...(fromLink ? { provenAt: new Date(clock.now()) } : {}),
            ...(fromLink && !isSigned ? {} : { usedHashes: [...current.usedHashes, hash].slice(-rememberedHashes) }),
            lastSeenAt: new Date(clock.now()),
            expiresAt: new Date(Math.min(clock.now() + idleMs(policy, remember), end)),
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

// Authentication: turns a key or an access token into a Caller, cached briefly and dropped at once on a change.
import type { Caller, ProjectRights } from '../contract/caller.ts';
import type { Permission } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { createLru } from '../kernel/lru.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, KeyDoc, SessionDoc, UserDoc } from './documents.ts';
import type { AccessTokens } from './jwt.ts';
import { hashSecret, keyPrefix } from './keys.ts';
import { type Lack, lackOf } from './lacks.ts';
import { earliest, holderOf, type KeyHolder, keyEnd, liveUser } from './live.ts';
import type { Resource } from './oauth/resources.ts';
import { permissionsOf } from './oauth/scopes.ts';
import { isOAuthToken, type OAuthTokens } from './oauth/tokens.ts';
import { narrow } from './permissions.ts';
import { createRanks, type Standing } from './rank.ts';
import { absoluteEnd, liveSession } from './sessions.ts';

/** Duration in ms of a cached caller; bounds how long a change made on another node stays unseen. */
const cacheMs = 1000;
/** Interval in ms between two writes of when a key or a user was seen last. */
const lastUseMs = 60_000;

export interface Authenticator {
  /**
   * Caller of an `Authorization` header value; returned at once when cached. The token of an OAuth client holds for the
   * resource that it was made for alone, which is the API unless given.
   *
   * @throws Fault UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED, ACCOUNT_DISABLED
   */
  authenticate(authorization: string, ip: string, resource?: Resource): Caller | Promise<Caller>;
  /** Caller of a bare key or access token, as sockets send it. */
  fromToken(token: string, ip: string): Promise<Caller>;
  /** Reads a caller again: the same principal with its present permissions, or a Fault if it may not act any more. */
  refresh(caller: Caller): Promise<Caller>;
  /** Empties the cache; call after keys, identities, users or roles have changed. */
  forget(): void;
}

interface Deps {
  auth: AuthCollections;
  tokens: AccessTokens;
  oauthTokens: Pick<OAuthTokens, 'verify'>;
  clock: Clock;
  policies: Policies;
  /** Project rights of a caller; without this port no project is hidden. */
  projectRights?: (who: Pick<Caller, 'tenantId' | 'userId' | 'identityId' | 'role'>) => Promise<ProjectRights | null>;
}

/** A JWT has three parts. */
const isAccessToken = (token: string) => token.split('.').length === 3;

const foreignKey = () =>
  new Fault('UNAUTHENTICATED', `This is no key of this server: its keys begin with "${keyPrefix}".`, {
    hint: 'Make a key in the dashboard or with POST /api/identities/{identityId}/api-keys, and give it to your client as its API key.',
  });

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createAuthenticator({
  auth,
  tokens,
  oauthTokens,
  clock,
  policies,
  projectRights,
}: Deps): Authenticator {
  const ranks = createRanks(auth);
  const cache = createLru<string, Caller>(10_000, { ttl: cacheMs, clock });
  /** Number of changes to rights; a read from before a change is not cached. */
  let changes = 0;
  const seenAt = createLru<string, number>(10_000);

  // The token itself is the cache key: hashing it would cost more than the rest of a look-up.
  const cached = (token: string): Caller | null => {
    const known = cache.get(token);
    return known && (known.expiresAt === null || known.expiresAt > clock.now()) ? known : null;
  };

  const lookUp = async (token: string, ip: string): Promise<Caller> => {
    const before = changes;
    if (!token.startsWith(keyPrefix) && !isAccessToken(token)) throw foreignKey();
    const caller = token.startsWith(keyPrefix) ? await byKeyHash(hashSecret(token), ip) : await byAccessToken(token);
    noteSeen(`user ${caller.userId}`, (now) =>
      auth.users.updateOne({ _id: caller.userId }, { $set: { lastSeenAt: now } }),
    );
    // A read from before a change is out of date.
    if (before === changes) cache.set(token, caller);
    return caller;
  };

  const byKeyHash = async (hash: string, ip: string) => {
    const key = await auth.keys.findOne({ hash });
    if (!key)
      throw new Fault('UNAUTHENTICATED', 'This key is not known.', {
        hint: 'Check the key, or make one with POST /api/identities/{identityId}/api-keys.',
      });
    const caller = await keyCaller(key);
    noteSeen(`key ${key._id}`, (now) =>
      auth.keys.updateOne({ _id: key._id }, { $set: { lastUsedAt: now, lastUsedIp: ip } }),
    );
    return caller;
  };

  const keyCaller = async (key: KeyDoc | null) => {
    const holder = await holderOf(auth, clock, key);
    return withProjects(toKeyCaller(holder, await ranks.standing(holder.user)), holder.key.scopes);
  };

  const withProjects = async (caller: Caller, scopes: readonly Permission[]): Promise<Caller> => {
    if (!projectRights) return caller;
    const projects = await projectRights(caller);
    // Scopes narrow what a manager may do in a unit, too.
    if (!projects?.units || scopes.length === 0 || scopes.includes('OrgUnitsWrite')) return { ...caller, projects };
    return { ...caller, projects: { ...projects, units: { ...projects.units, managed: new Set() } } };
  };

  const byAccessToken = async (token: string) => {
    if (isOAuthToken(token)) {
      const { sessionId, expiresAt, clientId, scopes, resource } = oauthTokens.verify(token);
      return sessionCaller(sessionId, expiresAt, { id: clientId, scopes, resource });
    }
    const claims = tokens.verify(token);
    return sessionCaller(claims.sessionId, claims.expiresAt);
  };

  const sessionCaller = async (sessionId: number, expiresAt: number | null, client: Caller['client'] = null) => {
    const session = await auth.sessions.findOne({ _id: sessionId });
    if (!session || session.revokedAt || session.client?.id !== client?.id)
      throw new Fault('TOKEN_REVOKED', 'This session has ended.', { hint: 'Sign in again.' });
    const { identity, origin } = await liveSession({ auth, clock }, session);
    const user = liveUser(await auth.users.findOne({ _id: session.userId }));
    const policy = await policies.of(user.tenantId);
    const ends = earliest(expiresAt, session.client?.isLasting ? null : absoluteEnd(session, policy));
    if (ends !== null && ends <= clock.now())
      throw new Fault('TOKEN_EXPIRED', 'This session has expired.', { hint: 'Sign in again.' });
    const lacks = lackOf(user, policy);
    const standing = await ranks.standing(user);
    const person = toSessionCaller({ session, identity, user, origin, expiresAt: ends, lacks, ...standing });
    return withProjects(client ? clientCaller(person, session, client) : person, origin?.scopes ?? []);
  };

  const noteSeen = (name: string, write: (now: Date) => Promise<unknown>) => {
    const at = clock.steady();
    if (at - (seenAt.get(name) ?? 0) < lastUseMs) return;
    seenAt.set(name, at);
    write(new Date(clock.now())).catch(() => seenAt.delete(name));
  };

  return {
    fromToken: async (token, ip) => admitted(cached(token) ?? (await lookUp(token, ip)), 'api'),
    authenticate: (authorization, ip, resource = 'api') => {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      if (!token)
        throw new Fault('UNAUTHENTICATED', 'The Authorization header cannot be read.', {
          hint: 'Send "Authorization: Bearer <key or access token>".',
        });
      const known = cached(token);
      return known ? admitted(known, resource) : lookUp(token, ip).then((caller) => admitted(caller, resource));
    },
    refresh: async (caller) => {
      if (caller.sessionId !== null) return sessionCaller(caller.sessionId, caller.expiresAt, caller.client);
      return keyCaller(caller.keyId === null ? null : await auth.keys.findOne({ _id: caller.keyId }));
    },
    forget: () => {
      changes++;
      cache.clear();
    },
  };
}

/** Caller of a key: the rights of its user, narrowed to the key's scopes where it has any. */
function toKeyCaller({ identity, user, key }: KeyHolder, { permissions, rank }: Standing): Caller {
  const ends = earliest(keyEnd(key), identity.expiresAt);
  return {
    tenantId: user.tenantId,
    kind: key.ofUser ? 'UserKey' : 'IdentityKey',
    userId: user._id,
    identityId: identity._id,
    keyId: key._id,
    sessionId: null,
    name: identity.displayName,
    role: user.role,
    rank,
    permissions: narrow(permissions, key.scopes),
    // The server's own keys belong to the operator; any other key must name the scope.
    managesAccount: key.source !== 'api' || key.scopes.includes('UsersWrite'),
    provenAt: null,
    originKeyId: key._id,
    expiresAt: ends,
    lendsUntil: ends,
  };
}

/** @throws Fault UNAUTHENTICATED for a client's token that was made for another resource */
function admitted(caller: Caller, resource: Resource): Caller {
  if (!caller.client || caller.client.resource === resource) return caller;
  throw new Fault('UNAUTHENTICATED', 'This access token is for another resource.', {
    hint: resource === 'mcp' ? 'Ask for one with resource set to the address of /mcp.' : 'Ask for one for this API.',
  });
}

/** A client acts for a person, within what its token and its grant let it, and never on the account itself. */
function clientCaller(person: Caller, { client: grant }: SessionDoc, client: NonNullable<Caller['client']>): Caller {
  const scopes = client.scopes.filter((scope) => grant?.scopes.includes(scope));
  const allowed = permissionsOf(scopes);
  return {
    ...person,
    kind: 'OAuthClient',
    permissions: new Set([...person.permissions].filter((permission) => allowed.has(permission))),
    managesAccount: false,
    provenAt: null,
    lendsUntil: earliest(person.lendsUntil, person.expiresAt),
    client: { ...client, scopes },
  };
}

interface SessionParts extends Standing {
  session: SessionDoc;
  identity: IdentityDoc | null;
  user: UserDoc;
  origin: KeyDoc | null;
  expiresAt: number | null;
  lacks: Lack | null;
}

function toSessionCaller({
  session,
  identity,
  user,
  origin,
  expiresAt,
  lacks,
  permissions,
  rank,
}: SessionParts): Caller {
  const lendsUntil = earliest(keyEnd(origin), identity?.expiresAt);
  return {
    tenantId: user.tenantId,
    kind: 'User',
    userId: user._id,
    identityId: identity?._id ?? null,
    keyId: null,
    sessionId: session._id,
    name: identity?.displayName ?? user.displayName ?? user.username,
    role: user.role,
    rank,
    permissions: lacks ? new Set() : narrow(permissions, origin?.scopes ?? []),
    lacks,
    managesAccount: true,
    provenAt: (session.provenAt ?? session.createdAt).getTime(),
    originKeyId: origin?._id ?? null,
    expiresAt: earliest(expiresAt, lendsUntil),
    lendsUntil,
  };
}

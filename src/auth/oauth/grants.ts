// What people let OAuth clients do: a session of the client's own, whose refresh tokens rotate at each use.
import { randomUUID } from 'node:crypto';
import { OAuthFault } from '../../contract/oauth-failure.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { AuthCollections } from '../collections.ts';
import type { ClientGrant, SessionDoc } from '../documents.ts';
import { hashSecret, newToken } from '../keys.ts';
import { absoluteEnd } from '../sessions.ts';

/** A grant whose client has a token is remembered by so many of its used refresh tokens. */
const rememberedHashes = 50;
const never = new Date('9999-12-31T00:00:00Z');

export interface NewGrant {
  tenantId: number;
  userId: number;
  identityId: number | null;
  /** Key that the consent came from: the grant ends with it. */
  keyId: number | null;
  provenAt: Date;
  client: ClientGrant;
}

interface From {
  ip: string;
  userAgent: string | null;
}

export interface Grants {
  begin(grant: NewGrant, from: From): Promise<SessionDoc>;
  /** Gives a grant its first refresh token. @throws OAuthFault invalid_grant for one that has ended */
  firstToken(sessionId: number, from: From): Promise<{ session: SessionDoc; refreshToken: string }>;
  /**
   * Exchanges a refresh token for the next one. A second use ends the grant for all who have a token of it.
   *
   * @throws OAuthFault invalid_grant
   */
  refresh(refreshToken: string, clientId: string, from: From): Promise<{ session: SessionDoc; refreshToken: string }>;
  /** The live grant that a refresh token is of, whatever its client; null for none. */
  ofRefreshToken(refreshToken: string): Promise<SessionDoc | null>;
  end(sessionId: number): Promise<void>;
}

interface Deps {
  auth: Pick<AuthCollections, 'sessions'>;
  ids: Ids;
  clock: Clock;
  policies: Policies;
  /** Called after a grant has ended, so that sockets and caches are updated. */
  accessChanged: () => void;
}

const ended = () =>
  new OAuthFault('invalid_grant', 'This token is not known, was used, or has ended.', {
    hint: 'Ask the person to connect again.',
  });

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same deps, which call each other.
export function createGrants({ auth: { sessions }, ids, clock, policies, accessChanged }: Deps): Grants {
  const endOf = async (session: Pick<SessionDoc, 'tenantId' | 'createdAt' | 'client'>) => {
    if (session.client?.isLasting) return never;
    const policy = await policies.of(session.tenantId);
    return new Date(Math.min(clock.now() + policy.sessionIdleMinutes * 60_000, absoluteEnd(session, policy)));
  };
  const end = async (sessionId: number) => {
    const result = await sessions.updateOne(
      { _id: sessionId, revokedAt: null },
      { $set: { revokedAt: new Date(clock.now()) } },
    );
    if (result.modifiedCount > 0) accessChanged();
  };
  const isOver = (session: SessionDoc) => session.revokedAt !== null || session.expiresAt.getTime() <= clock.now();
  /** Changes the token of a session that still has `from`. */
  const rotate = async (session: SessionDoc, used: string[], { ip, userAgent }: From) => {
    const refreshToken = newToken('ort_');
    const change = {
      refreshHash: hashSecret(refreshToken),
      usedHashes: used.slice(-rememberedHashes),
      lastSeenAt: new Date(clock.now()),
      expiresAt: await endOf(session),
      ip,
      userAgent,
    };
    const filter = { _id: session._id, refreshHash: session.refreshHash, revokedAt: null };
    const next = await sessions.findOneAndUpdate(filter, { $set: change }, { returnDocument: 'after' });
    return next && { session: next, refreshToken };
  };
  return {
    async begin({ client, provenAt, ...who }, { ip, userAgent }) {
      const now = new Date(clock.now());
      const session: SessionDoc = {
        _id: await ids.next('auth_sessions'),
        guid: randomUUID(),
        ...who,
        deviceName: null,
        ip,
        userAgent,
        // Of a token that nobody has.
        refreshHash: hashSecret(newToken('ort_')),
        usedHashes: [],
        client,
        provenAt,
        remember: true,
        createdAt: now,
        lastSeenAt: now,
        expiresAt: await endOf({ tenantId: who.tenantId, createdAt: now, client }),
        revokedAt: null,
      };
      await sessions.insertOne(session);
      return session;
    },
    async firstToken(sessionId, from) {
      const session = await sessions.findOne({ _id: sessionId });
      const first = session && !isOver(session) ? await rotate(session, [], from) : null;
      if (!first) throw ended();
      return first;
    },
    async refresh(refreshToken, clientId, from) {
      const hash = hashSecret(refreshToken);
      const session = (await sessions.findOne({ refreshHash: hash })) ?? (await sessions.findOne({ usedHashes: hash }));
      // A token of another client is as unknown as any: its owner keeps it.
      if (session?.client?.id !== clientId || isOver(session)) throw ended();
      const next = session.refreshHash === hash ? await rotate(session, [...session.usedHashes, hash], from) : null;
      if (next) return next;
      await end(session._id);
      throw ended();
    },
    async ofRefreshToken(refreshToken) {
      const session = await sessions.findOne({ refreshHash: hashSecret(refreshToken) });
      return session?.client && !isOver(session) ? session : null;
    },
    end,
  };
}

// Says of a client's token whose grant it is of, and whether it holds.
import type { SessionDoc } from '../../auth/documents.ts';
import { audienceOf } from '../../auth/oauth/resources.ts';
import { isOAuthToken, type VerifiedToken } from '../../auth/oauth/tokens.ts';
import { Fault } from '../../kernel/fault.ts';
import type { OAuthIntrospectionResponse } from './dto.ts';
import type { OAuthServerDeps } from './server.ts';

type Deps = Pick<OAuthServerDeps, 'collections' | 'grants' | 'oauthTokens' | 'authenticator'>;

export function createInspection({ collections, grants, oauthTokens, authenticator }: Deps) {
  /** The grant that a token of a client is of, with what the token says; null for any other text. */
  const lookUp = async (token: string): Promise<{ session: SessionDoc; said: VerifiedToken | null } | null> => {
    if (!isOAuthToken(token)) {
      const session = await grants.ofRefreshToken(token);
      return session && { session, said: null };
    }
    try {
      const said = oauthTokens.verify(token);
      const session = await collections.sessions.findOne({ _id: said.sessionId });
      return session && { session, said };
    } catch (error) {
      if (error instanceof Fault && error.status < 500) return null;
      throw error;
    }
  };

  const introspect = async (
    { session, said }: { session: SessionDoc; said: VerifiedToken | null },
    token: string,
    ip: string,
  ): Promise<OAuthIntrospectionResponse> => {
    try {
      // What the token itself would be told.
      if (said) await authenticator.authenticate(`Bearer ${token}`, ip, said.resource);
    } catch (error) {
      if (error instanceof Fault && error.status < 500) return { active: false };
      throw error;
    }
    const user = await collections.users.findOne({ _id: session.userId });
    const { client } = session;
    if (!user?.isActive || !client) return { active: false };
    const seconds = (time: Date | number) => Math.floor(Number(time) / 1000);
    return {
      active: true,
      scope: (said?.scopes ?? client.scopes).join(' '),
      client_id: client.id,
      username: user.username,
      token_type: said ? 'Bearer' : 'refresh_token',
      exp: seconds(said?.expiresAt ?? session.expiresAt),
      iat: seconds(said?.issuedAt ?? session.lastSeenAt),
      sub: user.guid,
      aud: said?.audience ?? audienceOf(client.issuer, client.resource),
      iss: said?.issuer ?? client.issuer,
      ...(said && { jti: said.id }),
      identity_id: session.identityId,
    };
  };

  return { lookUp, introspect };
}

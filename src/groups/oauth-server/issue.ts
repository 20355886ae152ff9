// Gives tokens: for a code, for a refresh token, for the credentials of a client.
import type { AuthCollections } from '../../auth/collections.ts';
import type { OAuthClientDoc, SessionDoc, UserDoc } from '../../auth/documents.ts';
import { liveUser } from '../../auth/live.ts';
import type { Grants } from '../../auth/oauth/grants.ts';
import { type Resource, resourceOf } from '../../auth/oauth/resources.ts';
import { scopeList } from '../../auth/oauth/scopes.ts';
import type { OAuthTokens } from '../../auth/oauth/tokens.ts';
import { absoluteEnd, liveSession } from '../../auth/sessions.ts';
import { OAuthFault } from '../../contract/oauth-failure.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import { emailClaims, profileClaims } from './claims.ts';
import type { OAuthTokenResponse } from './dto.ts';
import type { Requests } from './requests.ts';

export interface TokenRequest {
  grant_type: string;
  code?: string | null | undefined;
  redirect_uri?: string | null | undefined;
  code_verifier?: string | null | undefined;
  refresh_token?: string | null | undefined;
  scope?: string | null | undefined;
  resource?: string | null | undefined;
}

export interface IssueDeps {
  collections: AuthCollections;
  grants: Grants;
  requests: Requests;
  oauthTokens: OAuthTokens;
  policies: Policies;
  clock: Clock;
}

interface Granted {
  session: SessionDoc;
  refreshToken: string | null;
  scopes: string[];
  resource: Resource;
  /** Of the request that the person agreed to. */
  nonce: string | null;
}

const missing = (field: string) => new OAuthFault('invalid_request', `${field} is missing.`);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same deps, which call each other.
export function createIssuer(deps: IssueDeps) {
  const { collections, grants, requests, oauthTokens, policies, clock } = deps;

  const byCode = async (client: OAuthClientDoc, body: TokenRequest, from: RequestInfo): Promise<Granted> => {
    if (!body.code) throw missing('code');
    const request = await requests.redeem(
      {
        code: body.code,
        clientId: client._id,
        redirectUri: body.redirect_uri ?? null,
        verifier: body.code_verifier ?? null,
      },
      grants.end,
    );
    requireSame(request, body.resource);
    const { session, refreshToken } = await grants.firstToken(request.sessionId, from);
    const scopes = session.client?.scopes ?? [];
    const refreshes = client.grantTypes.includes('refresh_token') || scopes.includes('offline_access');
    const { resource, nonce } = request;
    return { session, refreshToken: refreshes ? refreshToken : null, scopes, resource, nonce };
  };

  const byRefreshToken = async (client: OAuthClientDoc, body: TokenRequest, from: RequestInfo): Promise<Granted> => {
    if (!body.refresh_token) throw missing('refresh_token');
    // What cannot be given is refused before the token is used up.
    const held = await grants.ofRefreshToken(body.refresh_token);
    const own = held?.client?.id === client._id ? held.client : null;
    const scopes = own ? narrowed(own.scopes, body.scope) : [];
    if (own) requireSame(own, body.resource);
    const next = await grants.refresh(body.refresh_token, client._id, from);
    return { ...next, scopes, resource: next.session.client?.resource ?? 'api', nonce: null };
  };

  const byCredentials = async (client: OAuthClientDoc, body: TokenRequest): Promise<Granted> => {
    const session = await collections.sessions.findOne({ _id: client.sessionId ?? 0, revokedAt: null });
    if (!session?.client)
      throw new OAuthFault('unauthorized_client', 'This client may not act by its own secret any more.');
    const { scopes, issuer } = session.client;
    const resource = body.resource == null ? 'api' : resourceOf(issuer, body.resource);
    return { session, refreshToken: null, scopes: narrowed(scopes, body.scope), resource, nonce: null };
  };

  /** The person behind a grant, if all that it comes from still holds. @throws OAuthFault invalid_grant */
  const personOf = async (session: SessionDoc): Promise<UserDoc> => {
    try {
      await liveSession({ auth: collections, clock }, session);
      return liveUser(await collections.users.findOne({ _id: session.userId }));
    } catch (cause) {
      if (!(cause instanceof Fault) || cause.status >= 500) throw cause;
      throw new OAuthFault('invalid_grant', 'Who let this client in may not act any more.', { cause });
    }
  };

  const answer = async (client: OAuthClientDoc, granted: Granted): Promise<OAuthTokenResponse> => {
    const { session, refreshToken, scopes, resource, nonce } = granted;
    const user = await personOf(session);
    const policy = await policies.of(session.tenantId);
    const issuer = session.client?.issuer ?? '';
    const left = session.client?.isLasting ? Number.POSITIVE_INFINITY : absoluteEnd(session, policy) - clock.now();
    const seconds = Math.max(1, Math.min(policy.accessTokenMinutes * 60, Math.ceil(left / 1000)));
    const who = { issuer, subject: user.guid, clientId: client._id };
    const claims = {
      ...(scopes.includes('profile') && profileClaims(user)),
      ...(scopes.includes('email') && emailClaims(user)),
    };
    const authTime = (session.provenAt ?? session.createdAt).getTime();
    const { _id: sessionId, identityId } = session;
    return {
      access_token: oauthTokens.access({ ...who, sessionId, identityId, scopes, resource }, seconds),
      token_type: 'Bearer',
      expires_in: seconds,
      scope: scopes.join(' '),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      ...(scopes.includes('openid') && { id_token: oauthTokens.id({ ...who, nonce, authTime, claims }, seconds) }),
    };
  };

  /** @throws OAuthFault */
  return async (client: OAuthClientDoc, body: TokenRequest, from: RequestInfo): Promise<OAuthTokenResponse> => {
    const { grant_type: type } = body;
    if (!['authorization_code', 'refresh_token', 'client_credentials'].includes(type))
      throw new OAuthFault('unsupported_grant_type', 'grant_type is one that this server does not have.');
    // offline_access is consent enough to refresh.
    if (type !== 'refresh_token' && !client.grantTypes.includes(type))
      throw new OAuthFault('unauthorized_client', `This client did not register for ${type}.`);
    if (type === 'authorization_code') return answer(client, await byCode(client, body, from));
    if (type === 'refresh_token') return answer(client, await byRefreshToken(client, body, from));
    return answer(client, await byCredentials(client, body));
  };
}

/** @throws OAuthFault invalid_target for a resource other than the one that was agreed to */
function requireSame({ issuer, resource }: { issuer: string; resource: Resource }, url: string | null | undefined) {
  if (url != null && resourceOf(issuer, url) !== resource)
    throw new OAuthFault('invalid_target', 'The person agreed to another resource.');
}

/** @throws OAuthFault invalid_scope for more than there is */
function narrowed(scopes: readonly string[], wanted: string | null | undefined): string[] {
  if (!wanted) return [...scopes];
  const names = scopeList(wanted);
  const beyond = names.find((one) => !scopes.includes(one));
  if (beyond) throw new OAuthFault('invalid_scope', `${beyond.slice(0, 60)} was not granted.`);
  return names;
}

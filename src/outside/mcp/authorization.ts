// OAuth of the MCP specification: the server says who signs its clients in, and tokens are for that server alone.
import {
  auth,
  computeScopeUnion,
  exchangeAuthorization,
  type FetchLike,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { Fault } from '../../kernel/fault.ts';
import type { Tokens } from '../oauth.ts';

/** What a server says to who has no token, or one that is not enough (RFC 9728, RFC 6750). */
export interface Challenge {
  /** Scopes that it wants, by blanks. */
  scope: string | null;
  /** Where it describes itself as a protected resource; null for the usual place. */
  metadataUrl: string | null;
  /** The token is good, but not for this. */
  wantsMore: boolean;
}

/** Who signs in to a server whose tokens are not among its headers. */
export interface McpSignedIn {
  /** Undefined where nobody has signed in. @throws Fault where there is no token any more */
  token(): Promise<string | undefined>;
  /** Told when the server wants a token, or another one. Resolves to whether another one may be had now. */
  challenged(challenge: Challenge): Promise<boolean>;
}

/** A client that the other side knows already; without an issuer it is that of the first sign-in. */
export type OwnClient = Pick<StoredOAuthClientInformation, 'client_id' | 'issuer'> & { client_secret?: string };

export interface Wanted {
  serverUrl: URL;
  redirectUri: string;
  state: string;
  challenge: Challenge | null;
  /** Scopes beside those of the challenge. */
  scopes: readonly (string | undefined)[];
  own: OwnClient | null;
  /** Where this client is described, for servers that read that instead of registering it; https. */
  clientUrl: string | null;
}

/** What tokens are asked for and renewed by; it is kept with them, since each server has others. */
const Grant = z.object({
  serverUrl: z.string(),
  metadata: z.looseObject({ issuer: z.string() }).optional(),
  client: z.looseObject({ client_id: z.string() }),
  resource: z.string().optional(),
  scope: z.string().optional(),
});
export type Grant = z.output<typeof Grant>;
export const readGrant = (text: string): Grant => Grant.parse(JSON.parse(text));

export interface Begun {
  /** Where a person lets the client in. */
  authorizationUrl: URL;
  verifier: string;
  grant: Grant;
}

/** What this client says of itself where it registers, and where servers read of it. */
export const clientMetadata = (redirectUri: string) => ({
  client_name: 'Rivulet',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
});

/**
 * Finds out who signs clients of a server in, makes this client known there, and begins.
 *
 * @throws Fault CONNECTOR_ERROR with what the other side does against the rules
 */
export async function beginAuthorization(fetchFn: FetchLike, wanted: Wanted): Promise<Begun> {
  const { serverUrl, redirectUri, challenge, own } = wanted;
  let client: StoredOAuthClientInformation | undefined = own ?? undefined;
  let found: Parameters<NonNullable<Parameters<typeof auth>[0]['saveDiscoveryState']>>[0] | undefined;
  let begun: Pick<Begun, 'authorizationUrl' | 'verifier'> | undefined;
  let verifier = '';
  const scope = computeScopeUnion(challenge?.scope ?? undefined, ...wanted.scopes);
  const answer = auth(
    {
      redirectUrl: redirectUri,
      clientMetadata: clientMetadata(redirectUri),
      ...(wanted.clientUrl !== null && { clientMetadataUrl: wanted.clientUrl }),
      state: () => wanted.state,
      clientInformation: () => client,
      // One that was registered by hand is known to its server alone, and is never replaced.
      ...(own === null && {
        saveClientInformation: (one: StoredOAuthClientInformation) => {
          client = one;
        },
      }),
      tokens: () => undefined,
      saveTokens: () => {},
      saveDiscoveryState: (state) => {
        found = state;
      },
      saveCodeVerifier: (text) => {
        verifier = text;
      },
      codeVerifier: () => verifier,
      redirectToAuthorization: (authorizationUrl) => {
        begun = { authorizationUrl, verifier };
      },
    },
    {
      serverUrl,
      fetchFn,
      forceReauthorization: true,
      ...(scope !== undefined && { scope }),
      ...(challenge?.metadataUrl && { resourceMetadataUrl: new URL(challenge.metadataUrl) }),
    },
  );
  await answer.catch((error: unknown) => {
    throw refusalOf(error, 'The sign-in could not begin');
  });
  if (!begun || !found || !client || !/^https?:$/.test(begun.authorizationUrl.protocol))
    throw refusal('The sign-in could not begin: the server names no page to sign in at');
  const asked = begun.authorizationUrl.searchParams.get('scope');
  const resource = found.resourceMetadata?.resource;
  return {
    ...begun,
    grant: {
      serverUrl: found.authorizationServerUrl,
      client,
      ...(found.authorizationServerMetadata && { metadata: found.authorizationServerMetadata }),
      ...(resource !== undefined && { resource }),
      ...(asked !== null && { scope: asked }),
    },
  };
}

interface Returned {
  grant: Grant;
  code: string;
  iss: string | null | undefined;
  verifier: string;
  redirectUri: string;
  now: number;
}

/** Exchanges a code for tokens, once it is sure that it is of the server which was asked (RFC 9207). @throws Fault */
export async function endAuthorization(fetchFn: FetchLike, returned: Returned): Promise<Tokens> {
  const { grant, code, iss, verifier, redirectUri, now } = returned;
  const given = await exchangeAuthorization(grant.serverUrl, {
    ...whoAsks(grant, fetchFn),
    ...{ authorizationCode: code, codeVerifier: verifier, redirectUri },
    ...(typeof iss === 'string' && { iss }),
  }).catch((error: unknown) => {
    throw refusalOf(error, 'The other side gave no tokens');
  });
  return tokensOf(given, grant, now);
}

/** Renews tokens at the server that gave them. @throws Fault */
export async function renewAuthorization(
  fetchFn: FetchLike,
  { grant: text, refreshToken }: { grant: string; refreshToken: string },
  now: number,
): Promise<Tokens> {
  const grant = readGrant(text);
  const given = await refreshAuthorization(grant.serverUrl, { ...whoAsks(grant, fetchFn), refreshToken }).catch(
    (error: unknown) => {
      throw refusalOf(error, 'The sign-in could not be renewed');
    },
  );
  return tokensOf(given, grant, now);
}

const whoAsks = ({ metadata, client, resource }: Grant, fetchFn: FetchLike) => ({
  clientInformation: client as StoredOAuthClientInformation,
  fetchFn,
  ...(metadata && { metadata: metadata as never }),
  ...(resource !== undefined && { resource }),
});

/** Milliseconds that a token is taken to last at most. */
const longestMs = 86_400_000 * 365;

function tokensOf(given: OAuthTokens, grant: Grant, now: number): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in: seconds = 0, scope } = given;
  if ((given.token_type ?? 'bearer').toLowerCase() !== 'bearer')
    throw refusal('The other side gave tokens of a kind that is not spoken here');
  return {
    accessToken,
    refreshToken,
    expiresAt: seconds > 0 ? now + Math.min(seconds * 1000, longestMs) : null,
    grant: JSON.stringify({ ...grant, ...(scope !== undefined && { scope: computeScopeUnion(grant.scope, scope) }) }),
  };
}

/** What went wrong, with the other side's name for it, and nothing of what it was shown. */
function refusalOf(error: unknown, what: string): Fault {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof Fault) return one;
  if (error instanceof OAuthError)
    return refusal(`${what}: ${error.code.replace(/[^\w .-]/g, '').slice(0, 60)}`, error);
  const said = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 300) : 'no answer';
  return refusal(`${what}: ${said}`, error);
}

const refusal = (what: string, cause?: unknown) =>
  new Fault('CONNECTOR_ERROR', `${what}.`, {
    ...{ status: 502, field: 'credentials', cause },
    hint: 'A server that registers no clients needs clientId (and clientSecret) as credentials; else sign in anew with POST /api/connectors/{id}/sign-in.',
  });

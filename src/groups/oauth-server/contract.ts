// Operations of the OAuth authorization server: programs get tokens for what a person lets them do.
import { z } from 'zod';
import { oauthFailure } from '../../contract/oauth-failure.ts';
import { group, op } from '../../contract/operation.ts';
import { nothing, string } from '../../contract/types.ts';
import {
  JsonWebKeySet,
  OAuthAuthorizationRequestDto,
  OAuthClientInformation,
  OAuthIntrospectionResponse,
  OAuthProtectedResource,
  OAuthServerMetadata,
  OAuthTokenResponse,
  OAuthUserInfo,
} from './dto.ts';

const text = string.max(4000);
/** Of a request by address: all of it together fits the head of a request (16 KiB). */
const word = string.max(500);
const name = string.max(200).nullish();
const uri = string.max(2000);
/** A server ignores what it does not know of a request (RFC 6749, section 3), so that clients can say more. */
const lenient = z.object;
const raw = { needs: 'public', reply: 'raw', failure: oauthFailure } as const;
/** How a client says who it is, where it does not send its secret by HTTP Basic. */
const credentials = { client_id: text.nullish(), client_secret: text.nullish() };
const posted = { ...raw, takesForm: true, idempotent: false } as const;

export const oauthServer = group(
  'OAuthServer',
  { base: '', doc: 'An OAuth 2.1 authorization server: programs such as MCP clients get tokens of limited scope.' },
  {
    metadata: op.get('/.well-known/oauth-authorization-server', {
      ...raw,
      doc: 'Describe this authorization server (RFC 8414).',
      data: OAuthServerMetadata,
    }),
    openid: op.get('/.well-known/openid-configuration', {
      ...raw,
      doc: 'Describe this authorization server, as OpenID Connect clients look for it.',
      data: OAuthServerMetadata,
    }),
    resource: op.get('/.well-known/oauth-protected-resource', {
      ...raw,
      doc: 'Describe the API as a protected resource (RFC 9728).',
      data: OAuthProtectedResource,
    }),
    mcpResource: op.get('/.well-known/oauth-protected-resource/mcp', {
      ...raw,
      doc: 'Describe the MCP endpoint as a protected resource (RFC 9728).',
      data: OAuthProtectedResource,
    }),
    register: op.post('/api/oauth2/register', {
      ...raw,
      doc: 'Register a client (RFC 7591): by itself where allowDynamicClients of the tenant policy lets it, or with a key of who answers for it. A client that nobody lets in within a day is forgotten.',
      knowsCaller: true,
      idempotent: false,
      body: lenient({
        redirect_uris: z.array(uri).max(20),
        client_name: name,
        client_uri: uri.nullish(),
        logo_uri: uri.nullish(),
        application_type: name,
        grant_types: z.array(string.max(100)).max(10).nullish(),
        response_types: z.array(string.max(100)).max(10).nullish(),
        scope: string.max(1000).nullish(),
        token_endpoint_auth_method: name,
        contacts: z.array(string.max(320)).max(10).nullish(),
        software_id: name,
        software_version: name,
      }),
      data: OAuthClientInformation,
      orFile: true,
      mediaType: 'application/json',
      succeedsBy: [201],
    }),
    authorize: op.get('/api/oauth2/authorize', {
      doc: 'Ask a person to let a client in: authorization code with PKCE (S256). Browsers are sent to the page that asks; that page reads the request here as who is signed in.',
      needs: 'public',
      knowsCaller: true,
      query: lenient({
        response_type: word.nullish(),
        client_id: uri,
        redirect_uri: uri.nullish(),
        code_challenge: word.nullish(),
        code_challenge_method: word.nullish(),
        scope: string.max(1000).nullish(),
        state: text.nullish(),
        resource: uri.nullish(),
        nonce: word.nullish(),
        prompt: word.nullish(),
      }),
      data: OAuthAuthorizationRequestDto,
      orFile: true,
      mediaType: 'text/html',
    }),
    token: op.post('/api/oauth2/token', {
      ...posted,
      doc: 'Give tokens for an authorization code, a refresh token, or the credentials of a client. Codes and refresh tokens work once: a second use ends the grant.',
      body: lenient({
        grant_type: text,
        code: text.nullish(),
        redirect_uri: uri.nullish(),
        code_verifier: text.nullish(),
        refresh_token: text.nullish(),
        ...credentials,
        scope: string.max(1000).nullish(),
        resource: uri.nullish(),
      }),
      data: OAuthTokenResponse,
    }),
    revoke: op.post('/api/oauth2/revoke', {
      ...posted,
      doc: 'End the grant that a token of this client is of (RFC 7009); the answer is the same for a token that nobody has.',
      body: lenient({ token: text, token_type_hint: text.nullish(), ...credentials }),
      data: nothing,
    }),
    introspect: op.post('/api/oauth2/introspect', {
      ...posted,
      doc: 'Say whether a token holds, and for what (RFC 7662): to a client with a secret, of its own tokens and of those of the tenant that registered it.',
      audit: false,
      body: lenient({ token: text, token_type_hint: text.nullish(), ...credentials }),
      data: OAuthIntrospectionResponse,
    }),
    jwks: op.get('/api/oauth2/jwks', {
      ...raw,
      doc: 'List the public keys that verify access tokens and ID tokens of clients.',
      data: JsonWebKeySet,
    }),
    userinfo: op.get('/api/oauth2/userinfo', {
      doc: 'Tell who the access token is of, as far as its scopes say (OpenID Connect).',
      needs: 'self',
      byAnyKey: true,
      reply: 'raw',
      failure: oauthFailure,
      data: OAuthUserInfo,
    }),
  },
);

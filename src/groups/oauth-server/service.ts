// The OAuth server: what it says of itself, clients, consent, tokens.
import { audienceOf, type Resource } from '../../auth/oauth/resources.ts';
import { scopeNames } from '../../auth/oauth/scopes.ts';
import { OAuthFault } from '../../contract/oauth-failure.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import type { FileReply } from '../../contract/replies.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import { reachedAt } from '../base-url.ts';
import { queryOf, redirectTo } from '../redirect.ts';
import type { Asked } from './authorize.ts';
import { emailClaims, profileClaims } from './claims.ts';
import { oauthServer } from './contract.ts';
import { createInspection } from './inspection.ts';
import { createIssuer } from './issue.ts';
import type { OAuthServer } from './server.ts';

/** Scopes that are of use at a resource. */
const scopesAt = (resource: Resource) =>
  scopeNames.filter((name) => (resource === 'mcp' ? !['openid', 'profile', 'email'].includes(name) : name !== 'mcp'));

/** Sends a browser to the page that asks; it is of this server, whatever the client wants. */
const toConsentPage = (asked: Asked): FileReply => redirectTo(`/#/consent?${queryOf(asked)}`);

export const oauthServerService = implement(oauthServer, (server: OAuthServer) => {
  const { collections, clients, consents, grants, oauthTokens } = server;
  const { lookUp, introspect } = createInspection(server);
  const issue = createIssuer(server);
  const issuerOf = (request: RequestInfo) => reachedAt(request, server);
  const metadata = (request: RequestInfo) => metadataOf(issuerOf(request));
  const resource = (request: RequestInfo, which: Resource) => {
    const issuer = issuerOf(request);
    return {
      resource: audienceOf(issuer, which),
      resource_name: which === 'mcp' ? 'Rivulet (MCP)' : 'Rivulet',
      authorization_servers: [issuer],
      jwks_uri: `${issuer}/api/oauth2/jwks`,
      scopes_supported: scopesAt(which),
      bearer_methods_supported: ['header'],
    };
  };

  return {
    metadata: ({ request }) => metadata(request),
    openid: ({ request }) => metadata(request),
    resource: ({ request }) => resource(request, 'api'),
    mcpResource: ({ request }) => resource(request, 'mcp'),
    jwks: () => ({ keys: oauthTokens.keys() }),
    register: async ({ body, caller, request }) => {
      const { client, information } = await clients.register(body, caller, issuerOf(request), request);
      if (caller) noteWrite(caller, { kind: 'OAuth client', how: 'created', doc: client, before: null });
      return { kind: 'file' as const, mediaType: 'application/json', status: 201, body: JSON.stringify(information) };
    },
    authorize: ({ query, caller, request }) =>
      !caller && request.header('accept')?.includes('text/html')
        ? toConsentPage(query)
        : consents.show(query, caller, issuerOf(request)),
    token: async ({ body, request }) => issue(await clients.authenticate(request, body), body, request),
    revoke: async ({ body, request }) => {
      const client = await clients.authenticate(request, body);
      const found = await lookUp(body.token);
      if (found?.session.client?.id !== client._id) return null;
      if (found.session.client.isLasting)
        throw new OAuthFault('unsupported_token_type', 'A token of client credentials ends by itself.', {
          hint: 'Who registered the client can end it with DELETE /api/auth/sessions/{id}.',
        });
      await grants.end(found.session._id);
      return null;
    },
    introspect: async ({ body, request }) => {
      const client = await clients.authenticate(request, body);
      if (client.secretHash === null)
        throw new OAuthFault('invalid_client', 'Only a client with a secret may ask what a token is.');
      const found = await lookUp(body.token);
      const mayKnow = found && (found.session.client?.id === client._id || found.session.tenantId === client.tenantId);
      return mayKnow ? introspect(found, body.token, request.ip) : { active: false };
    },
    userinfo: async ({ caller }) => {
      const sees = (scope: string) => !caller.client || caller.client.scopes.includes(scope);
      if (!sees('openid'))
        throw new Fault('FORBIDDEN', 'This token may not know who it is of.', { hint: 'Ask for the scope openid.' });
      const user = await collections.users.findOne({ _id: caller.userId ?? 0, tenantId: caller.tenantId });
      if (!user) throw new Fault('UNAUTHENTICATED', 'This account is gone.', { hint: 'Sign in again.' });
      return {
        sub: user.guid,
        ...(sees('profile') && profileClaims(user)),
        ...(sees('email') && emailClaims(user)),
        identity_id: caller.identityId,
        permissions: [...caller.permissions].sort(),
      };
    },
  };
});

const methods = ['none', 'client_secret_basic', 'client_secret_post'];

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/api/oauth2/authorize`,
  token_endpoint: `${issuer}/api/oauth2/token`,
  registration_endpoint: `${issuer}/api/oauth2/register`,
  revocation_endpoint: `${issuer}/api/oauth2/revoke`,
  introspection_endpoint: `${issuer}/api/oauth2/introspect`,
  userinfo_endpoint: `${issuer}/api/oauth2/userinfo`,
  jwks_uri: `${issuer}/api/oauth2/jwks`,
  scopes_supported: [...scopeNames],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: methods,
  revocation_endpoint_auth_methods_supported: methods,
  introspection_endpoint_auth_methods_supported: methods.slice(1),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  claims_supported: ['sub', 'name', 'preferred_username', 'locale', 'zoneinfo', 'email', 'email_verified'],
  client_id_metadata_document_supported: false,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${issuer}/docs`,
});

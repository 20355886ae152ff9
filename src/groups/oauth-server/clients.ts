// Clients of the OAuth server: how they are registered, and how they show that it is them.
import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { AuthCollections } from '../../auth/collections.ts';
import type { OAuthClientDoc } from '../../auth/documents.ts';
import { hashSecret, newToken } from '../../auth/keys.ts';
import type { Grants } from '../../auth/oauth/grants.ts';
import { findScope, scopeList } from '../../auth/oauth/scopes.ts';
import type { Caller } from '../../contract/caller.ts';
import { OAuthFault } from '../../contract/oauth-failure.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { OAuthClientInformation } from './dto.ts';
import { requireRedirectUri } from './redirects.ts';

/** A client that nobody has let in is forgotten after so long, in ms. */
const unusedMs = 24 * 3_600_000;
const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'];
const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export interface ClientsDeps {
  collections: AuthCollections;
  grants: Grants;
  policies: Policies;
  clock: Clock;
  /** The first tenant, whose policy says whether clients may register themselves. */
  tenantId: number;
}

export interface Registration {
  redirect_uris: string[];
  client_name?: string | null | undefined;
  client_uri?: string | null | undefined;
  logo_uri?: string | null | undefined;
  application_type?: string | null | undefined;
  grant_types?: string[] | null | undefined;
  response_types?: string[] | null | undefined;
  scope?: string | null | undefined;
  token_endpoint_auth_method?: string | null | undefined;
  contacts?: string[] | null | undefined;
  software_id?: string | null | undefined;
  software_version?: string | null | undefined;
}

const invalid = (message: string) => new OAuthFault('invalid_client_metadata', message);

/** @throws OAuthFault invalid_client_metadata for a link that is no web address */
function webAddress(url: string | null | undefined, field: string): string | null {
  if (!url) return null;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw invalid(`${field} is no web address.`);
}

/** @throws OAuthFault invalid_scope for one that there is not */
export function requireScopes(text: string): string[] {
  const names = scopeList(text);
  const unknown = names.find((name) => !findScope(name));
  if (unknown !== undefined)
    throw new OAuthFault('invalid_scope', `There is no scope ${unknown.slice(0, 60)}.`, {
      hint: 'GET /.well-known/oauth-authorization-server lists them.',
    });
  return names;
}

/** What a registration says, with its defaults. @throws OAuthFault */
function read(wanted: Registration, isOwned: boolean) {
  const method = wanted.token_endpoint_auth_method ?? 'client_secret_basic';
  const authMethod = authMethods.find((one) => one === method);
  if (!authMethod) throw invalid(`token_endpoint_auth_method is one of ${authMethods.join(', ')}.`);
  const grants = [...new Set(wanted.grant_types ?? ['authorization_code'])];
  if (grants.length === 0 || grants.some((one) => !grantTypes.includes(one)))
    throw invalid(`grant_types are of ${grantTypes.join(', ')}.`);
  if ((wanted.response_types ?? []).some((one) => one !== 'code')) throw invalid('response_types are of code.');
  const type = wanted.application_type ?? 'web';
  if (type !== 'web' && type !== 'native') throw invalid('application_type is web or native.');
  const byCode = grants.includes('authorization_code');
  if (byCode && wanted.redirect_uris.length === 0)
    throw new OAuthFault('invalid_redirect_uri', 'redirect_uris names none.', {
      hint: 'Name at least one address to which a person is sent back.',
    });
  if (grants.includes('client_credentials') && !isOwned)
    throw invalid('A client that acts by its own secret is registered with a key of who answers for it.');
  if (grants.includes('client_credentials') && authMethod === 'none')
    throw invalid('A client that acts by its own secret needs one: token_endpoint_auth_method is none.');
  return {
    authMethod,
    name: wanted.client_name?.trim() || 'An unnamed program',
    uri: webAddress(wanted.client_uri, 'client_uri'),
    logoUri: webAddress(wanted.logo_uri, 'logo_uri'),
    applicationType: type,
    redirectUris: [...new Set(wanted.redirect_uris.map(requireRedirectUri))],
    grantTypes: grants,
    responseTypes: byCode ? ['code'] : [],
    scopes: wanted.scope ? requireScopes(wanted.scope) : null,
    contacts: wanted.contacts ?? [],
    softwareId: wanted.software_id ?? null,
    softwareVersion: wanted.software_version ?? null,
  } as const;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same deps, which call each other.
export function createClients({ collections: { oauthClients }, grants, policies, clock, tenantId }: ClientsDeps) {
  /** @throws Fault POLICY_VIOLATION, FORBIDDEN */
  const requireMayRegister = async (caller: Caller | null) => {
    if (caller && (caller.client || !caller.managesAccount))
      throw new Fault('FORBIDDEN', 'This key may register no client.', {
        hint: 'Sign in, or use a key that names the scope UsersWrite; without any, a client registers itself.',
      });
    if (!caller && !(await policies.of(tenantId)).allowDynamicClients)
      throw new Fault('POLICY_VIOLATION', 'Clients may not register themselves on this server.', {
        hint: 'Ask its administrator to register the client with a key, or to set allowDynamicClients.',
      });
  };

  /** What a client with a secret may do by itself: what who registered it may, within its scopes. */
  const ownGrant = (caller: Caller, client: OAuthClientDoc, issuer: string, request: RequestInfo) =>
    grants.begin(
      {
        tenantId: caller.tenantId,
        userId: caller.userId ?? 0,
        identityId: caller.identityId,
        keyId: caller.originKeyId,
        provenAt: new Date(clock.now()),
        client: {
          id: client._id,
          name: client.name,
          scopes: client.scopes ?? [],
          resource: 'api',
          issuer,
          isLasting: true,
        },
      },
      request,
    );

  return {
    async register(wanted: Registration, caller: Caller | null, issuer: string, request: RequestInfo) {
      await requireMayRegister(caller);
      const said = read(wanted, caller !== null);
      const secret = said.authMethod === 'none' ? null : newToken('ocs_');
      const client: OAuthClientDoc = {
        ...said,
        redirectUris: [...said.redirectUris],
        grantTypes: [...said.grantTypes],
        responseTypes: [...said.responseTypes],
        _id: randomUUID(),
        secretHash: secret && hashSecret(secret),
        tenantId: caller?.tenantId ?? null,
        sessionId: null,
        createdAt: new Date(clock.now()),
        expiresAt: caller ? null : new Date(clock.now() + unusedMs),
      };
      if (caller && client.grantTypes.includes('client_credentials'))
        client.sessionId = (await ownGrant(caller, client, issuer, request))._id;
      await oauthClients.insertOne(client);
      return { client, information: informationOf(client, secret) };
    },

    /** @throws OAuthFault invalid_client */
    async find(clientId: string): Promise<OAuthClientDoc> {
      const client = await oauthClients.findOne({ _id: clientId });
      if (client && (client.expiresAt === null || client.expiresAt.getTime() > clock.now())) return client;
      throw new OAuthFault('invalid_client', 'This client is not known here.', {
        hint: 'Register it with POST /api/oauth2/register.',
      });
    },

    /** Somebody has let the client in: it is forgotten no more. */
    keep: ({ _id }: OAuthClientDoc) => oauthClients.updateOne({ _id }, { $set: { expiresAt: null } }),

    /** The client that makes a request, by the method that it registered. @throws OAuthFault invalid_client */
    async authenticate(
      request: RequestInfo,
      body: { client_id?: string | null | undefined; client_secret?: string | null | undefined },
    ): Promise<OAuthClientDoc> {
      const basic = basicOf(request.header('authorization'));
      const given = basic ?? { id: body.client_id ?? null, secret: body.client_secret ?? null };
      if (given.id === null || (basic && body.client_id != null && body.client_id !== basic.id)) throw unknownClient();
      const client = await this.find(given.id);
      const used = basic ? 'client_secret_basic' : given.secret === null ? 'none' : 'client_secret_post';
      // The two ways to send a secret are alike; to send none is not.
      if ((client.authMethod === 'none') !== (used === 'none')) throw unknownClient();
      if (client.secretHash !== null && !isSame(client.secretHash, hashSecret(given.secret ?? '')))
        throw unknownClient();
      return client;
    },
  };
}
export type Clients = ReturnType<typeof createClients>;

const unknownClient = () =>
  new OAuthFault('invalid_client', 'The client is not known, or did not show that it is it.', {
    hint: 'Send client_id and the secret in the way that was registered.',
  });

const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Credentials by HTTP Basic, form-encoded as RFC 6749 asks for; null without. */
function basicOf(authorization: string | undefined): { id: string; secret: string } | null {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 0) return null;
  try {
    const [id, secret] = [text.slice(0, at), text.slice(at + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    ) as [string, string];
    return { id, secret };
  } catch {
    return null;
  }
}

const informationOf = (client: OAuthClientDoc, secret: string | null): OAuthClientInformation => ({
  client_id: client._id,
  ...(secret !== null && { client_secret: secret }),
  client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
  client_secret_expires_at: 0,
  client_name: client.name,
  ...(client.uri !== null && { client_uri: client.uri }),
  ...(client.logoUri !== null && { logo_uri: client.logoUri }),
  application_type: client.applicationType,
  redirect_uris: client.redirectUris,
  grant_types: client.grantTypes,
  response_types: client.responseTypes,
  ...(client.scopes && { scope: client.scopes.join(' ') }),
  token_endpoint_auth_method: client.authMethod,
});

// What a client asks a person for: checked, shown on the page that asks, and answered by the person.
import type { AuthCollections } from '../../auth/collections.ts';
import type { IdentityDoc, OAuthClientDoc, OAuthRequestDoc } from '../../auth/documents.ts';
import { isLive } from '../../auth/live.ts';
import type { Grants } from '../../auth/oauth/grants.ts';
import { audienceOf, type Resource, resourceOf } from '../../auth/oauth/resources.ts';
import { findScope } from '../../auth/oauth/scopes.ts';
import type { Caller } from '../../contract/caller.ts';
import { OAuthFault } from '../../contract/oauth-failure.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import { toIdentityDto } from '../identities/to-dto.ts';
import { type Clients, requireScopes } from './clients.ts';
import type { OAuthAuthorizationRequestDto } from './dto.ts';
import { hostOf, matchesRedirect, withQuery } from './redirects.ts';
import type { Requests } from './requests.ts';

export interface Asked {
  response_type?: string | null | undefined;
  client_id: string;
  redirect_uri?: string | null | undefined;
  code_challenge?: string | null | undefined;
  code_challenge_method?: string | null | undefined;
  scope?: string | null | undefined;
  state?: string | null | undefined;
  resource?: string | null | undefined;
  nonce?: string | null | undefined;
  prompt?: string | null | undefined;
}

export interface ConsentDeps {
  collections: AuthCollections;
  clients: Clients;
  requests: Requests;
  grants: Grants;
  policies: Policies;
  clock: Clock;
}

/** Scopes of a client that names none. */
const usualScopes: Record<Resource, readonly string[]> = {
  api: ['openid', 'profile'],
  mcp: ['mcp', 'runs:read', 'memories:read'],
};

/** Answers are people's: neither a plain key nor another client consents. @throws Fault */
function requirePerson(caller: Caller | null): Caller {
  if (!caller)
    throw new Fault('UNAUTHENTICATED', 'Sign in to answer this request.', {
      hint: 'Open the address in a browser, or send "Authorization: Bearer <access token>".',
    });
  if (!caller.managesAccount || caller.userId === null || caller.client || caller.lacks)
    throw new Fault('FORBIDDEN', 'Only a person may let a program in.', {
      hint: 'Sign in with a password or a link, with all that your tenant asks of you.',
    });
  return caller;
}

/** @throws OAuthFault invalid_redirect_uri for one that the client did not register */
function redirectOf({ redirectUris }: OAuthClientDoc, given: string | null | undefined): string {
  const [only] = redirectUris;
  if (given == null && only !== undefined && redirectUris.length === 1) return only;
  if (given != null && redirectUris.some((one) => matchesRedirect(one, given))) return given;
  throw new OAuthFault('invalid_redirect_uri', 'redirect_uri is none that this client registered.', {
    hint: 'Whoever made the program has to register it.',
  });
}

/** What of a request concerns the client: its faults are told to it. @throws OAuthFault */
function read(asked: Asked, client: OAuthClientDoc, issuer: string) {
  if (asked.response_type !== 'code') throw new OAuthFault('unsupported_response_type', 'response_type is code here.');
  if (!client.grantTypes.includes('authorization_code'))
    throw new OAuthFault('unauthorized_client', 'This client did not register for authorization codes.');
  if (asked.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(asked.code_challenge ?? ''))
    throw new OAuthFault('invalid_request', 'PKCE is needed: a code_challenge with the method S256.');
  const resource = asked.resource == null ? null : resourceOf(issuer, asked.resource);
  const named = asked.scope ? requireScopes(asked.scope) : null;
  const aimed = resource ?? (named?.includes('mcp') ? 'mcp' : 'api');
  const scopes = named ?? client.scopes ?? [...usualScopes[aimed]];
  const beyond = scopes.find((scope) => client.scopes && !client.scopes.includes(scope));
  if (beyond) throw new OAuthFault('invalid_scope', `This client did not register for ${beyond}.`);
  if (asked.prompt?.split(' ').includes('none'))
    throw new OAuthFault('consent_required', 'A person is asked each time.');
  return { scopes, resource: aimed, codeChallenge: asked.code_challenge ?? '' };
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same deps, which call each other.
export function createConsents(deps: ConsentDeps) {
  const { collections, clients, requests, grants, policies, clock } = deps;

  const identitiesOf = async ({ tenantId, userId }: Caller): Promise<IdentityDoc[]> => {
    const own = { tenantId, userId: userId ?? 0, deletedAt: null };
    const found = await collections.identities.find(own, { sort: { _id: 1 }, limit: 100 }).toArray();
    return found.filter((one) => isLive(one, clock.now()));
  };

  /** @throws Fault POLICY_VIOLATION where the person's tenant lets no such clients in */
  const requireLetIn = async ({ tenantId }: Caller, client: OAuthClientDoc) => {
    if (client.tenantId === tenantId || (await policies.of(tenantId)).allowDynamicClients) return;
    throw new Fault('POLICY_VIOLATION', 'Your tenant does not let in programs that registered themselves.', {
      hint: 'Ask an administrator to register it, or to set allowDynamicClients.',
    });
  };

  const isGranted = async ({ tenantId, userId }: Caller, clientId: string, scopes: readonly string[]) => {
    const live = { tenantId, userId: userId ?? 0, revokedAt: null, expiresAt: { $gt: new Date(clock.now()) } };
    const sessions = await collections.sessions.find(live).toArray();
    return sessions.some(({ client }) => client?.id === clientId && scopes.every((one) => client.scopes.includes(one)));
  };

  return {
    async show(asked: Asked, person: Caller | null, issuer: string): Promise<OAuthAuthorizationRequestDto> {
      const caller = requirePerson(person);
      const client = await clients.find(asked.client_id);
      await requireLetIn(caller, client);
      const redirectUri = redirectOf(client, asked.redirect_uri);
      const state = asked.state ?? null;
      const about = {
        clientId: client._id,
        clientName: client.name,
        clientUri: client.uri,
        logoUri: client.logoUri,
        redirectHost: hostOf(redirectUri),
        isVerified: client.tenantId === caller.tenantId,
      };
      try {
        const wanted = read(asked, client, issuer);
        const opened = await requests.open(caller, {
          ...{ clientId: client._id, redirectUri, state, nonce: asked.nonce ?? null, issuer },
          ...wanted,
        });
        return {
          ...about,
          requestId: opened.id,
          scopes: wanted.scopes
            .flatMap((name) => findScope(name) ?? [])
            .map((one) => ({ ...one, permissions: [...one.permissions] })),
          resource: audienceOf(issuer, wanted.resource),
          identities: (await identitiesOf(caller)).map(toIdentityDto),
          alreadyGranted: await isGranted(caller, client._id, wanted.scopes),
          redirectUrl: null,
          expiresAtUtc: opened.expiresAt.toISOString(),
        };
      } catch (error) {
        if (!(error instanceof OAuthFault)) throw error;
        // The client hears of it when the person goes there; nobody is sent on unasked.
        const failed = { error: error.error, error_description: error.message, state, iss: issuer };
        return {
          ...about,
          ...{ requestId: '', scopes: [], resource: null, identities: [], alreadyGranted: false },
          redirectUrl: withQuery(redirectUri, failed),
          expiresAtUtc: new Date(clock.now()).toISOString(),
        };
      }
    },

    async answer(
      person: Caller,
      body: {
        requestId: string;
        approved: boolean;
        scopes?: string[] | null | undefined;
        identityId?: number | null | undefined;
      },
      from: RequestInfo,
    ) {
      const caller = requirePerson(person);
      const request = await requests.find(body.requestId, caller);
      const { redirectUri, state, issuer } = request;
      const back = (more: Record<string, string | null>) => withQuery(redirectUri, { ...more, state, iss: issuer });
      if (!body.approved) {
        await requests.decide(request);
        return { redirectUrl: back({ error: 'access_denied' }), approved: false, grantSessionId: null };
      }
      const client = await clients.find(request.clientId);
      await requireLetIn(caller, client);
      const scopes = scopesOf(request, body.scopes);
      const identityId = await identityOf(caller, body.identityId ?? null);
      await requests.decide(request);
      const session = await grants.begin(
        {
          tenantId: caller.tenantId,
          userId: caller.userId ?? 0,
          identityId,
          keyId: caller.originKeyId,
          provenAt: new Date(caller.provenAt ?? clock.now()),
          client: { id: client._id, name: client.name, scopes, resource: request.resource, issuer, isLasting: false },
        },
        from,
      );
      noteWrite(caller, { kind: 'session', how: 'created', doc: session, before: null });
      await clients.keep(client);
      const code = await requests.giveCode(request, session._id);
      return { redirectUrl: back({ code }), approved: true, grantSessionId: session._id };
    },
  };

  /** The identity that the client acts as: one of the person's. @throws Fault OWNERSHIP_REQUIRED */
  async function identityOf(caller: Caller, wanted: number | null): Promise<number | null> {
    const own = await identitiesOf(caller);
    if (wanted === null) return own.find(({ _id }) => _id === caller.identityId)?._id ?? own[0]?._id ?? null;
    if (own.some(({ _id }) => _id === wanted)) return wanted;
    throw new Fault('OWNERSHIP_REQUIRED', 'That is no identity of yours.', {
      hint: 'Choose one that the request names.',
    });
  }
}

/** @throws Fault VALIDATION_FAILED for scopes that were not asked for */
function scopesOf(request: OAuthRequestDoc, chosen: string[] | null | undefined): string[] {
  const beyond = chosen?.find((one) => !request.scopes.includes(one));
  if (beyond !== undefined)
    throw new Fault('VALIDATION_FAILED', `The body is not valid: scopes: ${beyond} was not asked for.`, {
      field: 'scopes',
      hint: 'Leave out what you do not want to allow; nothing can be added.',
    });
  return chosen ? request.scopes.filter((one) => chosen.includes(one)) : request.scopes;
}

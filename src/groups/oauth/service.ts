// Signs people in with providers, links their logins, and takes what they answer to programs that ask for access.
import type { AuthCollections } from '../../auth/collections.ts';
import { type ExternalSignIns, SignInFault } from '../../auth/external/sign-ins.ts';
import type { Proof } from '../../auth/proof.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import type { FileReply } from '../../contract/replies.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import { noteWrite } from '../../ports/audit.ts';
import { inCookie, requireOwnOrigin } from '../auth/cookie.ts';
import { toTokenDto } from '../auth/to-token-dto.ts';
import { reachedAt } from '../base-url.ts';
import type { OAuthServer } from '../oauth-server/server.ts';
import { createOwnCookie } from '../own-cookie.ts';
import { queryOf, redirectInConfidence } from '../redirect.ts';
import { oauth } from './contract.ts';
import { returnUrlOf, withAnswer } from './return-url.ts';
import { toLoginDto } from './to-dto.ts';

export interface OAuthDeps extends Pick<OAuthServer, 'consents' | 'publicUrl' | 'localUrl'> {
  collections: AuthCollections;
  external: ExternalSignIns;
  proof: Pick<Proof, 'person' | 'requireRecent'>;
  corsOrigins: readonly string[];
  log: Logger;
}

const prefix = '/api/oauth';
/** A browser that begins a sign-in is known by it when it comes back from another site. */
const browserCookie = createOwnCookie({ name: 'sign_in', path: prefix, sameSite: 'lax' });
const pathOf = (key: string, what: 'start' | 'callback') => `${prefix}/providers/${key}/${what}`;
/** Pages of the dashboard that go on after a sign-in, and after a login was linked. */
const usualPages = { SignIn: '/#/signin', Link: '/#/account?tab=security' };

export const oauthService = implement(oauth, (deps: OAuthDeps) => {
  const { collections, consents, external, proof, corsOrigins } = deps;

  return {
    consent: ({ caller, body, request }) => consents.answer(caller, body, request),

    providers: ({ request }) =>
      external.providers.map(({ settings: { key, name, kind, allowSignIn, allowLink } }) => ({
        ...{ key, name, kind, icon: kind.toLowerCase(), allowSignIn, allowLink },
        startUrl: reachedAt(request, deps) + pathOf(key, 'start'),
      })),

    start: async ({ params, query, caller, request }) => {
      const { intent = 'SignIn' } = query;
      const base = reachedAt(request, deps);
      const { url, state, browser, expiresAt } = await external.begin(params.provider, {
        intent,
        userId: intent === 'Link' ? await personWhoLinks(proof, caller) : null,
        browser: browserCookie.read(request),
        redirectUri: base + pathOf(params.provider, 'callback'),
        returnUrl: returnUrlOf(query.returnUrl ?? usualPages[intent], base, corsOrigins),
      });
      browserCookie.give(request, browser, expiresAt);
      if (query.redirect) return redirectInConfidence(url.href);
      const expiresAtUtc = expiresAt.toISOString();
      return { provider: params.provider, authorizationUrl: url.href, state, expiresAtUtc };
    },

    callback: async ({ params, query, request }) => {
      external.requireKnown(params.provider);
      return takeBack(deps, params.provider, query, request);
    },

    exchange: async ({ body, request }) => {
      if (body.useCookie) requireOwnOrigin(request);
      const { ip, userAgent } = request;
      const issued = await external.exchange(body.code, { ip, userAgent, deviceName: body.deviceName ?? null });
      return body.useCookie ? inCookie(issued, request) : toTokenDto(issued);
    },

    links: async ({ caller }) => {
      const { logins, canUnlink } = await external.loginsOf(await proof.person(caller));
      return logins.map((one) => toLoginDto(one, canUnlink));
    },

    unlink: async ({ caller, params }) => {
      const { logins, canUnlink } = await external.loginsOf(await proof.person(caller));
      const login = logins.find(({ _id }) => _id === params.id);
      if (!login)
        throw new Fault('NOT_FOUND', `You have no login ${params.id}.`, {
          hint: 'List them with GET /api/oauth/links.',
        });
      if (!canUnlink)
        throw new Fault('CONFLICT', 'This login is the last way into your account.', {
          hint: 'Set a password, or link another login first.',
        });
      await collections.externalLogins.deleteOne({ _id: login._id });
      noteWrite(caller, { kind: 'login', how: 'removed', doc: login, before: login });
      return null;
    },
  };
});

/** Takes a browser back from a provider, and sends it on with a code or with what went wrong. */
async function takeBack(deps: OAuthDeps, key: string, query: object, request: RequestInfo): Promise<FileReply> {
  const browser = browserCookie.read(request);
  try {
    const { returnUrl, code, login } = await deps.external.comeBack(key, browser, queryOf(query));
    const [name, value] = code === null ? ['linked', login.provider] : ['signInCode', code];
    return redirectInConfidence(withAnswer(returnUrl, name, value));
  } catch (error) {
    deps.log.warn({ err: error, provider: key, requestId: request.id }, 'a sign-in did not succeed');
    const page = error instanceof SignInFault ? error.returnUrl : reachedAt(request, deps) + usualPages.SignIn;
    // The page has words for each code: what an address says could be anybody's.
    const fault = toFault(error);
    return { ...redirectInConfidence(withAnswer(page, 'signInError', fault.code)), fault };
  }
}

/** Who links a login has signed in a short while ago: a login is a way in that stays. @throws Fault */
async function personWhoLinks(proof: OAuthDeps['proof'], caller: Caller | null): Promise<number> {
  if (!caller)
    throw new Fault('UNAUTHENTICATED', 'Sign in to link a login.', {
      hint: 'Send "Authorization: Bearer <access token>", without redirect, and open authorizationUrl.',
    });
  if (!caller.managesAccount || caller.client || caller.lacks)
    throw new Fault('FORBIDDEN', 'Only a person links logins.', { hint: 'Sign in with a password or a link.' });
  proof.requireRecent(caller);
  return (await proof.person(caller))._id;
}

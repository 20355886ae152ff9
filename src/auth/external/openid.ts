// Sign-in providers by OpenID Connect and OAuth 2, over openid-client; through the process's proxy where there is one.
import * as openid from 'openid-client';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { outboundFetch } from '../../kernel/outbound-fetch.ts';
import type { Asked, Profile, SignInProvider } from './provider.ts';
import type { ProviderSettings } from './settings.ts';

/** How long a provider may take to answer one request, s. */
const patienceSeconds = 10;
/** How long what a provider says of itself is kept, ms. */
const keptMs = 3_600_000;
/** Seconds by which its clock may differ from ours. */
const toleratedSeconds = 60;

const ask = outboundFetch as openid.CustomFetch;

type Reads = (
  config: openid.Configuration,
  tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
) => Promise<Profile>;

interface Way {
  scopes: readonly string[];
  configure(): Promise<openid.Configuration>;
  /** False for a provider that gives no ID token. */
  givesIdToken: boolean;
  read: Reads;
}

export function createSignInProvider(settings: ProviderSettings, clock: Clock): SignInProvider {
  const way = settings.kind === 'GitHub' ? gitHub(settings) : openIdConnect(settings);
  let known: { config: Promise<openid.Configuration>; until: number } | null = null;
  const configuration = (): Promise<openid.Configuration> => {
    if (!known || known.until <= clock.steady()) {
      const asked = { config: way.configure(), until: clock.steady() + keptMs };
      known = asked;
      // A provider that was away is asked again.
      asked.config.catch(() => {
        if (known === asked) known = null;
      });
    }
    return known.config;
  };
  const scope = (settings.scopes ?? way.scopes).join(' ');
  return {
    settings,
    authorizationUrl: ({ state, nonce, verifier, redirectUri }) =>
      told(settings, async () =>
        openid.buildAuthorizationUrl(await configuration(), {
          ...{ redirect_uri: redirectUri, scope, state },
          ...(way.givesIdToken && { nonce }),
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      ),
    profileOf: (asked, back) =>
      told(settings, async () => {
        const config = await configuration();
        return way.read(config, await redeem(config, asked, back, way.givesIdToken));
      }),
  };
}

const redeem = (config: openid.Configuration, asked: Asked, back: URLSearchParams, idTokenExpected: boolean) =>
  openid.authorizationCodeGrant(config, new URL(`${asked.redirectUri}?${back}`), {
    pkceCodeVerifier: asked.verifier,
    expectedState: asked.state,
    ...(idTokenExpected && { expectedNonce: asked.nonce }),
    idTokenExpected,
  });

/** Tells what went wrong with a provider, whose own words may be anything. */
async function told<T>({ name }: ProviderSettings, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Fault('CONNECTOR_ERROR', `The sign-in with ${name} did not succeed.`, {
      hint: 'Try again; if it stays so, an administrator finds the cause in the log.',
      cause,
    });
  }
}

/** What is the same for all providers: who we are there, and how they are asked. */
const client = ({ clientSecret, issuer }: ProviderSettings) => ({
  authentication: clientSecret === undefined ? openid.None() : undefined,
  metadata: {
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    [openid.clockTolerance]: toleratedSeconds,
  },
  // The operator named it so: a provider beside this server, in a network of its own.
  execute: issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
});

function openIdConnect(settings: ProviderSettings): Way {
  const { issuer, clientId, kind, trustsAddresses } = settings;
  const { authentication, metadata, execute } = client(settings);
  return {
    scopes: ['openid', 'profile', 'email'],
    givesIdToken: true,
    configure: () =>
      openid.discovery(new URL(issuer), clientId, metadata, authentication, {
        timeout: patienceSeconds,
        [openid.customFetch]: ask,
        // By default a token that came over TLS is believed without its signature.
        execute: [...execute, openid.enableNonRepudiationChecks],
      }),
    read: async (config, tokens) => {
      const claims = tokens.claims();
      if (!claims) throw new Error('there is no ID token');
      const asks = claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
      const said = asks
        ? { ...claims, ...(await openid.fetchUserInfo(config, tokens.access_token, claims.sub)) }
        : claims;
      const email = textOf(said.email)?.toLowerCase() ?? null;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email,
        // Entra lets administrators of any tenant write any address.
        isEmailProven: email !== null && (trustsAddresses || (kind !== 'Microsoft' && said.email_verified === true)),
        username: textOf(said.preferred_username),
        displayName: textOf(said.name),
      };
    },
  };
}

/** GitHub speaks OAuth 2 alone: who somebody is, its API tells. An Enterprise server has it below `/api/v3`. */
function gitHub(settings: ProviderSettings): Way {
  const { clientId, trustsAddresses } = settings;
  const issuer = settings.issuer.replace(/\/+$/, '');
  const { authentication, metadata, execute } = client(settings);
  const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
  const read = async (config: openid.Configuration, token: string, path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Rivulet' });
    const answer = await openid.fetchProtectedResource(config, token, new URL(api + path), 'GET', null, headers);
    return answer.json();
  };
  return {
    scopes: ['read:user', 'user:email'],
    givesIdToken: false,
    configure: async () => {
      const config = new openid.Configuration(server, clientId, metadata, authentication);
      config.timeout = patienceSeconds;
      config[openid.customFetch] = ask;
      for (const prepare of execute) prepare(config);
      return config;
    },
    read: async (config, { access_token }) => {
      const user = (await read(config, access_token, '/user')) as Record<string, unknown>;
      if (typeof user.id !== 'number') throw new Error('GitHub named no user');
      const addresses = (await read(config, access_token, '/user/emails')) as Record<string, unknown>[];
      const first = addresses.find((one) => one.primary === true);
      const email = textOf(first?.email)?.toLowerCase() ?? null;
      return {
        issuer,
        // Names can change and go to others; the number stays.
        subject: String(user.id),
        email,
        isEmailProven: email !== null && (trustsAddresses || first?.verified === true),
        username: textOf(user.login),
        displayName: textOf(user.name),
      };
    },
  };
}

const textOf = (value: unknown): string | null => {
  const text = typeof value === 'string' ? value.trim().slice(0, 200) : '';
  return text === '' ? null : text;
};

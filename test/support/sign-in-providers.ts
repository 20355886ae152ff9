// Providers that people of tests sign in with, an OpenID provider and one as GitHub is, and the browser that goes there.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';

/** Claims of whoever is at the provider now. */
export interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
}

export const clientSecret = 'planted-client-secret-0123456789';
export const publicUrl = 'http://rivulet.test';

/** Listens on a port of its own. */
async function listen(answer: (asked: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const answerJson = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** An OpenID provider that lets in `person`, at once; null refuses. It knows a server at `base` by the keys that it has there. */
export async function openIdProvider(keys: readonly string[], base = publicUrl) {
  // Reading it takes a second, which tests with the other provider need not pay.
  const { default: Provider } = await import('oidc-provider');
  const known = new Map<string, Claims>();
  const world = {
    person: { sub: 'ada' } as Claims | null,
    /** What it says its keys are, where that is not the truth. */
    keys: null as object | null,
  };
  const server = await listen((asked, response) => {
    if (asked.url?.startsWith('/interaction/')) return void answer(asked, response);
    if (asked.url === '/jwks' && world.keys) return answerJson(response, 200, world.keys);
    provider.callback()(asked, response);
  });
  const provider = new Provider(server.url, {
    clients: [
      {
        ...{ client_id: 'rivulet', client_secret: clientSecret, grant_types: ['authorization_code'] },
        redirect_uris: keys.map((key) => `${base}/api/oauth/providers/${key}/callback`),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    cookies: { keys: ['of a test'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...known.get(accountId), sub: accountId }) }),
  });
  async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(asked, response);
    if (!world.person)
      return provider.interactionFinished(asked, response, { error: 'access_denied', error_description: 'no' });
    known.set(world.person.sub, world.person);
    if (prompt.name === 'login')
      return provider.interactionFinished(asked, response, { login: { accountId: world.person.sub } });
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    return provider.interactionFinished(asked, response, { consent: { grantId: await grant.save() } });
  }
  return { ...server, world, provider };
}

/** An OAuth 2 server with GitHub's paths, as an Enterprise server has them, which checks PKCE; `user` null is somebody else each time. */
export async function gitHubProvider() {
  const world = {
    user: null as object | null,
    emails: [{ email: 'Octo@Example.com', primary: true, verified: true }] as object[],
  };
  const challenges = new Map<string, string>();
  const server = await listen(async (asked, response) => {
    const url = new URL(asked.url ?? '/', 'http://github.test');
    if (url.pathname === '/login/oauth/authorize') {
      const code = `code-${challenges.size}`;
      challenges.set(code, url.searchParams.get('code_challenge') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }));
      return response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(await text(asked));
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight = challenges.get(form.get('code') ?? '') === proof;
      return answerJson(
        response,
        isRight ? 200 : 400,
        isRight ? { access_token: 't', token_type: 'bearer' } : { error: 'bad_verification_code' },
      );
    }
    if (asked.headers.authorization?.toLowerCase() !== 'bearer t') return answerJson(response, 401, {});
    return answerJson(
      response,
      200,
      url.pathname === '/api/v3/user' ? (world.user ?? { id: challenges.size }) : world.emails,
    );
  });
  const settings = { kind: 'GitHub', issuer: server.url, clientId: 'rivulet', clientSecret };
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-github-'));
  const file = join(folder, 'providers.yaml');
  await writeFile(file, stringify({ providers: [settings] }));
  const close = async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
  /** Of a server that has it as its provider. */
  const environment = { RIVULET_SIGN_IN_PROVIDERS: file };
  return { ...server, close, world, settings, environment };
}

/** Follows redirects with its cookies, as a browser does, until it is sent to a page of the dashboard. */
export class Browser {
  readonly #ownUrl: string;
  readonly #jar = new Map<string, string>();

  constructor(ownUrl: string) {
    this.#ownUrl = ownUrl;
  }

  /** The query of the page that it ends at. */
  async go(from: string): Promise<URLSearchParams> {
    for (let url = from, left = 12; left > 0; left--) {
      const next = await this.step(url);
      if (next.hash) return new URLSearchParams(next.hash.split('?')[1]);
      url = next.href.replace(publicUrl, this.#ownUrl);
    }
    throw new Error('it never came back');
  }

  /** Keeps cookies that a host has set. */
  keep(host: string, cookies: readonly string[]): void {
    for (const set of cookies) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s);
      this.#jar.set(`${host} ${name}`, value);
    }
  }

  /** One request; where it is sent to. */
  async step(url: string): Promise<URL> {
    const host = new URL(url).host;
    const own = [...this.#jar].filter(([name]) => name.startsWith(host));
    const cookie = own.map(([name, value]) => `${name.split(' ')[1]}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });
    this.keep(host, answer.headers.getSetCookie());
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return new URL(location, url);
  }
}

// Providers that people of tests sign in with, an OpenID provider and one as GitHub is.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { agree } from './signing-in.ts';

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
    const { person } = world;
    if (!person)
      return provider.interactionFinished(asked, response, { error: 'access_denied', error_description: 'no' });
    known.set(person.sub, person);
    return agree(provider, asked, response, person.sub);
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

// A person with a session who answers what OAuth clients ask for.
import * as strict from 'oauth4webapi';
import { expect } from 'vitest';
import { request, type TestServer } from './test-server.ts';

/** Where the clients of tests are sent back to; nothing listens there. */
export const redirect = 'http://127.0.0.1:7/callback';
export const password = 'correct horse battery staple';
type Metadata = Record<string, unknown>;

export interface Person {
  token: string;
  /** What the consent page reads of an authorization URL. */
  read(authorizationUrl: URL): ReturnType<typeof request>;
  /** Lets the client in (or not), and says where the browser is sent then. */
  answer(authorizationUrl: URL, said?: object): Promise<URL>;
}

/** Whoever has a password. */
export async function personOf(server: TestServer, login: string, password: string): Promise<Person> {
  const signedIn = await request(server.url, 'POST', '/api/auth/login', { login, password });
  const token = signedIn.body.data.accessToken as string;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const read = (url: URL) => request(server.url, 'GET', url.pathname + url.search, undefined, headers);
  return {
    token,
    read,
    async answer(url, said = {}) {
      const { data } = (await read(url)).body;
      const body = { requestId: data.requestId, approved: true, ...said };
      const answer = await request(server.url, 'POST', '/api/oauth/consents', body, headers);
      if (answer.status !== 200) throw new Error(answer.body.error);
      return new URL(answer.body.data.redirectUrl);
    },
  };
}

/** What the clients of tests do, one step each; `state.person` answers their requests. */
export function oauthClients(state: { server: TestServer; person: Person }) {
  const register = async (more: Metadata = {}) => {
    const metadata = {
      client_name: 'A test',
      redirect_uris: [redirect],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...more,
    };
    const answer = await request(state.server.url, 'POST', '/api/oauth2/register', metadata);
    expect(answer.status).toBe(201);
    return answer.body as { client_id: string; client_secret?: string };
  };
  const authorizeUrl = (query: Record<string, string>) =>
    new URL(`${state.server.url}/api/oauth2/authorize?${new URLSearchParams({ response_type: 'code', ...query })}`);
  const form = (path: string, fields: Record<string, string>) =>
    request(state.server.url, 'POST', `/api/oauth2/${path}`, new URLSearchParams(fields).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  const as = (token: string, method: string, path: string, body?: unknown) =>
    request(state.server.url, method, path, body, { authorization: `Bearer ${token}` });

  /** All that a public client does up to its code. */
  async function codeFor(clientId: string, scope: string, more: Record<string, string> = {}, said: object = {}) {
    const verifier = strict.generateRandomCodeVerifier();
    const code_challenge = await strict.calculatePKCECodeChallenge(verifier);
    const asked = { client_id: clientId, redirect_uri: redirect, scope, code_challenge, code_challenge_method: 'S256' };
    const back = await state.person.answer(authorizeUrl({ ...asked, state: 'a state', ...more }), said);
    const fields = {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirect,
      code_verifier: verifier,
      code: back.searchParams.get('code') ?? '',
    };
    return { back, fields };
  }
  async function tokensFor(scope: string, more: Record<string, string> = {}, said: object = {}) {
    const { client_id } = await register();
    const { fields } = await codeFor(client_id, scope, more, said);
    const { status, body } = await form('token', fields);
    expect(status).toBe(200);
    return { client_id, ...body } as { client_id: string; access_token: string; refresh_token: string; scope: string };
  }
  return { register, authorizeUrl, form, as, codeFor, tokensFor };
}

/** A server whose administrator has a password and is signed in. */
export async function oauthState(server: TestServer) {
  await server.call('POST', '/api/users/me/password', { currentPassword: '', newPassword: password });
  return { server, person: await personOf(server, 'admin', password) };
}

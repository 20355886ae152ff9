// People sign in with an OpenID provider and with one as GitHub is: who gets in, as whom, and who does not.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { type Claims, clientSecret, gitHubProvider, openIdProvider, publicUrl } from '../support/sign-in-providers.ts';
import { Browser } from '../support/signing-in.ts';
import { type Answer, request, startTestServer, type TestServer } from '../support/test-server.ts';

const clock = createShiftedClock();
let world: TestServer;
let openId: Awaited<ReturnType<typeof openIdProvider>>;
let forger: Awaited<ReturnType<typeof openIdProvider>>;
let gitHub: Awaited<ReturnType<typeof gitHubProvider>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-providers-'));
  openId = await openIdProvider(['company', 'guests', 'gone']);
  forger = await openIdProvider(['forged']);
  gitHub = await gitHubProvider();
  const own = { issuer: openId.url, clientId: 'rivulet', clientSecret };
  const providers = [
    { ...own, key: 'company', name: 'Company', join: { role: 'Operator', domains: ['example.com'] } },
    { ...own, key: 'guests', allowLink: false },
    { ...own, key: 'forged', issuer: forger.url, join: {} },
    { ...own, key: 'gone', issuer: 'http://127.0.0.1:9', allowSignIn: false },
    { ...gitHub.settings, join: {} },
  ];
  await writeFile(join(folder, 'providers.yaml'), stringify({ providers }));
  const environment = {
    RIVULET_SIGN_IN_PROVIDERS: join(folder, 'providers.yaml'),
    RIVULET_PUBLIC_URL: publicUrl,
    RIVULET_CORS_ORIGINS: 'https://app.example',
  };
  world = await startTestServer(environment, null, clock);
});
afterAll(async () => {
  await world.close();
  openId.close();
  forger.close();
  await gitHub.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (key: string, more: Record<string, string> = {}) =>
  `${world.url}/api/oauth/providers/${key}/start?${new URLSearchParams({ redirect: 'true', ...more })}`;
const visit = (key: string, browser = new Browser({ publicUrl, url: world.url })) => browser.go(start(key));
const comeAs = (person: Claims | null, key = 'company') => {
  openId.world.person = person;
  return visit(key);
};
const exchange = (code: string | null, more: object = {}) =>
  request(world.url, 'POST', '/api/oauth/exchange', { code, ...more }, {});
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const signedIn = async (back: URLSearchParams) => data(exchange(back.get('signInCode')));
const as = (token: string) => (method: string, path: string, body?: object) =>
  request(world.url, method, `/api${path}`, body, { authorization: `Bearer ${token}` });
const admin = (method: string, path: string, body?: object) => data(world.call(method, `/api${path}`, body));
const password = 'a few words make one';

it('lists what is configured, without secrets', async () => {
  const listed = await data(request(world.url, 'GET', '/api/oauth/providers', undefined, {}));
  expect(listed.map((one: { key: string }) => one.key)).toEqual(['company', 'guests', 'forged', 'gone', 'github']);
  expect(listed[0]).toEqual({
    ...{ key: 'company', name: 'Company', kind: 'Oidc', icon: 'oidc', allowSignIn: true, allowLink: true },
    startUrl: `${publicUrl}/api/oauth/providers/company/start`,
  });
  expect(JSON.stringify(listed)).not.toContain(clientSecret);
});

it('makes an account at the first sign-in of who may join, and enters it at the next', async () => {
  const ada = {
    sub: 'ada',
    email: 'Ada@Example.com',
    email_verified: true,
    name: 'Ada L',
    preferred_username: 'ada l',
  };
  const tokens = await signedIn(await comeAs(ada));
  expect(tokens.user).toMatchObject({
    ...{ username: 'ada-l', displayName: 'Ada L', email: 'ada@example.com', role: 'Operator' },
    ...{ authProvider: 'Oidc', emailConfirmed: true },
  });
  const me = await data(as(tokens.accessToken)('GET', '/auth/me'));
  expect([me.hasPassword, me.identity.displayName]).toEqual([false, 'Ada L']);
  const again = await signedIn(await comeAs({ sub: 'ada', email: 'moved@elsewhere.example' }));
  expect(again.user.id).toBe(tokens.user.id);
  expect(again.sessionId).not.toBe(tokens.sessionId);
  const found = await admin('GET', '/users?authProvider=Oidc');
  expect(found.items.map(({ id }: { id: number }) => id)).toEqual([tokens.user.id]);
  const local = await admin('GET', '/users?authProvider=Local');
  expect(local.items.map(({ username }: { username: string }) => username)).toEqual(['admin']);
  const { items } = await admin('GET', '/audit-events?action=OAuth_exchange');
  expect(items[0]).toMatchObject({ outcome: 'Success' });
  const [link] = await data(as(tokens.accessToken)('GET', '/oauth/links'));
  expect(link).toMatchObject({
    provider: 'company',
    subject: 'ada',
    email: 'moved@elsewhere.example',
    canUnlink: false,
  });
  expect((await as(tokens.accessToken)('DELETE', `/oauth/links/${link.id}`)).body.errorCode).toBe('CONFLICT');
});

it('lets nobody in whom neither an account nor the operator knows', async () => {
  const refused = async (person: Claims, key?: string) => Object.fromEntries(await comeAs(person, key));
  const closed = { signInError: 'REGISTRATION_CLOSED' };
  expect(await refused({ sub: 'eve', email: 'eve@elsewhere.example', email_verified: true })).toEqual(closed);
  // An address that nobody has proven is of no domain.
  expect(await refused({ sub: 'eve', email: 'eve@example.com' })).toEqual(closed);
  expect(await refused({ sub: 'eve', email: 'eve@sub.example.com', email_verified: true })).toEqual(closed);
  expect(await refused({ sub: 'eve', email: 'eve@example.com', email_verified: true }, 'guests')).toEqual(closed);
  expect(Object.fromEntries(await comeAs(null))).toEqual({ signInError: 'FORBIDDEN' });
  expect((await admin('GET', '/users?q=eve')).items).toEqual([]);
});

it('enters the account of an invitation or a confirmed address, and none that only claims it', async () => {
  const invited = await admin('POST', '/users', { username: 'grace', email: 'grace@example.com', role: 'Viewer' });
  const grace = { sub: 'grace', email: 'grace@example.com', email_verified: true };
  const entered = await signedIn(await comeAs(grace, 'guests'));
  expect(entered.user).toMatchObject({ id: invited.id, role: 'Viewer', emailConfirmed: true, authProvider: 'Oidc' });

  // The confirmed address enters it again, but not for whom it is not proven.
  expect((await signedIn(await comeAs({ ...grace, sub: 'grace again' }, 'guests'))).user.id).toBe(invited.id);
  const claims = { sub: 'not grace', email: 'grace@example.com', email_verified: false };
  expect((await comeAs(claims, 'guests')).get('signInError')).toBe('REGISTRATION_CLOSED');

  await admin('POST', '/users', { username: 'mallory', email: 'victim@example.com', password, role: 'Member' });
  const victim = { sub: 'victim', email: 'victim@example.com', email_verified: true };
  expect((await comeAs(victim, 'guests')).get('signInError')).toBe('REGISTRATION_CLOSED');
  expect((await comeAs(victim)).get('signInError')).toBe('CONFLICT');

  for (const username of ['twin-1', 'twin-2'])
    await admin('POST', '/users', { username, email: 'twin@example.com', role: 'Member' });
  expect((await comeAs({ sub: 'twin', email: 'twin@example.com', email_verified: true })).get('signInError')).toBe(
    'CONFLICT',
  );
});

it('enters no account with a second factor by its address', async () => {
  const hedy = { sub: 'hedy', email: 'hedy@example.com', email_verified: true };
  const { accessToken, user } = await signedIn(await comeAs(hedy));
  const { secret } = await data(as(accessToken)('POST', '/auth/mfa/totp/enroll', { password: '' }));
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await data(as(accessToken)('POST', '/auth/mfa/totp/confirm', { code }));
  expect((await comeAs({ ...hedy, sub: 'other' }, 'guests')).get('signInError')).toBe('MFA_REQUIRED');
  expect((await signedIn(await comeAs(hedy))).user.id).toBe(user.id);
});

it('lets a disabled account in neither with a login nor with a code', async () => {
  const joan = { sub: 'joan', email: 'joan@example.com', email_verified: true };
  const { user } = await signedIn(await comeAs(joan));
  const code = (await comeAs(joan)).get('signInCode');
  await admin('PATCH', `/users/${user.id}`, { isActive: false });
  expect((await exchange(code)).body.errorCode).toBe('ACCOUNT_DISABLED');
  await admin('DELETE', `/users/${user.id}`);
  // The login went with the account: the person may join anew.
  expect((await signedIn(await comeAs(joan))).user.id).not.toBe(user.id);
});

it('takes a state once, from the browser that began, and a code once', async () => {
  openId.world.person = { sub: 'ada' };
  const browser = new Browser({ publicUrl, url: world.url });
  let back = await browser.step(start('company'));
  while (!back.href.startsWith(publicUrl)) back = await browser.step(back.href);
  const callback = back.href.replace(publicUrl, world.url);
  const gone = { signInError: 'GONE' };
  expect(Object.fromEntries(await new Browser({ publicUrl, url: world.url }).go(callback))).toEqual(gone);
  const foreign = callback.replace('/company/', '/guests/');
  expect(Object.fromEntries(await browser.go(foreign))).toEqual(gone);
  const code = (await browser.go(callback)).get('signInCode');
  expect(Object.fromEntries(await browser.go(callback))).toEqual(gone);
  const cookie = await exchange(code, { useCookie: true });
  expect(cookie.body.data.refreshToken).toBe(null);
  expect(cookie.headers.get('set-cookie')).toMatch(/^rivulet_refresh.*HttpOnly.*SameSite=Strict/);
  expect((await exchange(code)).body.errorCode).toBe('INVALID_TOKEN');
});

it('makes one account of sign-ins that come at once', async () => {
  openId.world.person = { sub: 'many', email: 'many@example.com', email_verified: true };
  const all = await Promise.all(Array.from({ length: 4 }, () => visit('company')));
  expect(all.filter((one) => one.has('signInCode')).length).toBeGreaterThan(0);
  expect(new Set(all.map((one) => one.get('signInError')))).toEqual(
    new Set([null, ...(all.some((one) => one.has('signInError')) ? ['CONFLICT'] : [])]),
  );
  expect((await admin('GET', '/users?q=many')).totalCount).toBe(1);
});

it('links a login to who is signed in, and unlinks it', async () => {
  await admin('POST', '/users', { username: 'linus', password, role: 'Member' });
  const { accessToken } = await data(request(world.url, 'POST', '/api/auth/login', { login: 'linus', password }, {}));
  const linus = as(accessToken);
  const path = '/api/oauth/providers/company/start?intent=Link';
  expect((await request(world.url, 'GET', path, undefined, {})).body.errorCode).toBe('UNAUTHENTICATED');
  const link = async (sub: string) => {
    openId.world.person = { sub };
    const begun = await fetch(world.url + path, { headers: { authorization: `Bearer ${accessToken}` } });
    const { authorizationUrl } = await data(begun.json().then((body) => ({ body }) as Answer));
    const browser = new Browser({ publicUrl, url: world.url });
    // The page's own request was given the cookie.
    browser.keep(new URL(world.url).host, begun.headers.getSetCookie());
    return Object.fromEntries(await browser.go(authorizationUrl));
  };
  expect(await link('ada')).toEqual({ tab: 'security', signInError: 'DUPLICATE' });
  expect(await link('linus')).toEqual({ tab: 'security', linked: 'company' });
  expect((await signedIn(await comeAs({ sub: 'linus' }))).user.username).toBe('linus');
  const [login] = await data(linus('GET', '/oauth/links'));
  expect(login).toMatchObject({ subject: 'linus', canUnlink: true });
  const { items } = await admin('GET', '/audit-events?action=OAuth_callback');
  expect(items[0]).toMatchObject({ outcome: 'Success' });
  expect((await data(linus('GET', '/users/me/export'))).externalLogins).toMatchObject([{ subject: 'linus' }]);
  await data(linus('DELETE', `/oauth/links/${login.id}`));
  expect((await comeAs({ sub: 'linus' })).get('signInError')).toBe('REGISTRATION_CLOSED');
});

it('asks GitHub’s API who somebody is', async () => {
  gitHub.world.user = { id: 583231, login: 'Octo-Cat', name: 'Octo Cat' };
  const { user } = await signedIn(await visit('github'));
  expect(user).toMatchObject({
    username: 'octo-cat',
    displayName: 'Octo Cat',
    email: 'octo@example.com',
    role: 'Member',
    authProvider: 'GitHub',
  });
  gitHub.world.user = { id: 583231, login: 'renamed' };
  gitHub.world.emails = [];
  expect((await signedIn(await visit('github'))).user.id).toBe(user.id);
  // Somebody else who takes the name is somebody else.
  gitHub.world.user = { id: 7, login: 'Octo-Cat' };
  expect((await signedIn(await visit('github'))).user.username).toBe('octo-cat-2');
});

it('says what is wrong with a request', async () => {
  const code = async (path: string) =>
    (await request(world.url, 'GET', `/api/oauth/providers/${path}`, undefined, {})).body.errorCode;
  expect(await code('nobody/start')).toBe('NOT_FOUND');
  expect(await code('gone/start')).toBe('FORBIDDEN');
  expect((await world.call('GET', '/api/oauth/providers/gone/start?intent=Link')).body.errorCode).toBe(
    'CONNECTOR_ERROR',
  );
  for (const returnUrl of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    `${publicUrl}.evil.example`,
  ])
    expect(await code(`company/start?returnUrl=${encodeURIComponent(returnUrl)}`)).toBe('VALIDATION_FAILED');
  openId.world.person = { sub: 'ada' };
  const app = new Browser({ publicUrl, url: world.url });
  const landed = await app.go(start('company', { returnUrl: 'https://app.example/in?x=1#/there?y=2' }));
  expect([...landed.keys()]).toEqual(['y', 'signInCode']);
});

it('believes no token that another one has signed', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { keys } = (await (await fetch(`${forger.url}/jwks`)).json()) as { keys: object[] };
  forger.world.keys = { keys: [{ ...keys[0], ...publicKey.export({ format: 'jwk' }) }] };
  expect(Object.fromEntries(await visit('forged'))).toEqual({ signInError: 'CONNECTOR_ERROR' });
  const { items } = await admin('GET', '/audit-events?action=OAuth_callback&outcome=Failed');
  expect(items[0]).toMatchObject({ category: 'Authentication', detail: expect.stringMatching(/^CONNECTOR_ERROR/) });
});

it('starts a tenant for a stranger where registration is open', async () => {
  const { version: _, ...policy } = await admin('GET', '/tenant-policy');
  await admin('PUT', '/tenant-policy', { ...policy, registrationMode: 'Open' });
  const eve = { sub: 'eve', email: 'eve@elsewhere.example', email_verified: true };
  const { user, accessToken } = await signedIn(await comeAs(eve));
  expect(user).toMatchObject({ username: 'eve', role: 'Owner', emailConfirmed: true, authProvider: 'Oidc' });
  expect((await data(as(accessToken)('GET', '/users'))).totalCount).toBe(1);
  expect((await signedIn(await comeAs(eve))).user.id).toBe(user.id);
});

it('makes sessions that do not end with the key that a password was set with', async () => {
  const { user } = await signedIn(await comeAs({ sub: 'keyed', email: 'keyed@example.com', email_verified: true }));
  const { identity, permissions } = await admin('GET', '/auth/me');
  const body = { name: 'sets a password', scopes: permissions };
  const { rawKey, key } = await admin('POST', `/identities/${identity.id}/api-keys`, body);
  await data(as(rawKey)('POST', `/users/${user.id}/reset-password`, { newPassword: password }));
  const { accessToken } = await signedIn(await comeAs({ sub: 'keyed' }));
  const byPassword = await data(request(world.url, 'POST', '/api/auth/login', { login: 'keyed', password }, {}));
  await admin('DELETE', `/identities/${identity.id}/api-keys/${key.id}`);
  expect((await as(byPassword.accessToken)('GET', '/auth/me')).status).toBe(401);
  expect((await as(accessToken)('GET', '/auth/me')).status).toBe(200);
});

it('links a login for who has signed in within the hour', async () => {
  const { refreshToken } = await signedIn(await comeAs({ sub: 'ada' }));
  clock.shift(2 * 3_600_000);
  const { accessToken } = await data(request(world.url, 'POST', '/api/auth/refresh', { refreshToken }, {}));
  const begin = await as(accessToken)('GET', '/oauth/providers/company/start?intent=Link');
  expect(begin.body).toMatchObject({ errorCode: 'FORBIDDEN', hint: expect.stringContaining('within an hour') });
});

// A program asks for access in the dashboard: what it wants is shown, narrowed and allowed, or refused.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';
import { request } from '../support/test-server.ts';

const password = 'a few words make a good one';
const redirect = 'http://127.0.0.1:9/callback';

describe.skipIf(chromiumPath === null)('consent', () => {
  const stage = useStage();
  const ask = async (scope: string) => {
    const { baseUrl } = stage.server;
    const metadata = { client_name: 'Tide tables', redirect_uris: [redirect], token_endpoint_auth_method: 'none' };
    const { client_id } = (await request(baseUrl, 'POST', '/api/oauth2/register', metadata)).body;
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
    const query = {
      response_type: 'code',
      client_id,
      redirect_uri: redirect,
      scope,
      state: 'of its own',
      ...challenge,
    };
    return `${baseUrl}/api/oauth2/authorize?${new URLSearchParams(query)}`;
  };

  it.each(screens)('is given after signing in, for fewer scopes, and ended, $colorScheme', async (screen) => {
    const username = `mia-${crypto.randomUUID().slice(0, 6)}`;
    await stage.api().users.create({ body: { username, password, role: 'Member' } });
    const { page, close } = await stage.open('/', { ...screen, key: '' });
    await page.goto(await ask('runs:read runs:write offline_access'));
    // Nobody is signed in: the request waits behind the sign-in page.
    await page.getByRole('tab', { name: 'Password' }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Let Tide tables in?' }).waitFor();
    await page.getByText('It registered itself under this name').waitFor();
    await expectWellMade(page);
    await page.getByLabel('Start, steer and stop runs').uncheck();
    const back = page.waitForRequest((one) => one.url().startsWith(redirect));
    await page.getByRole('button', { name: 'Allow, and go to 127.0.0.1:9' }).click();
    const url = new URL((await back).url());
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      code: expect.stringMatching(/^oac_/),
      state: 'of its own',
      iss: stage.server.baseUrl,
    });
    const { accessToken } = await createClient({ baseUrl: stage.server.baseUrl }).auth.login({
      body: { login: username, password },
    });
    const me = createClient({ baseUrl: stage.server.baseUrl, token: accessToken });
    const grant = (await me.auth.sessions()).find(({ clientName }) => clientName === 'Tide tables');
    expect(grant?.scopes).toEqual(['runs:read', 'offline_access']);
    await close();
    const account = await stage.open('/account?tab=sessions', { ...screen, token: accessToken });
    const row = account.page.getByRole('row').filter({ hasText: 'Tide tables' });
    await row.getByText('program').waitFor();
    await expectWellMade(account.page);
    await row.getByRole('button', { name: 'Disconnect' }).click();
    await row.waitFor({ state: 'detached' });
    expect(account.complaints).toEqual([]);
    await account.close();
  });

  it('is refused, and a wrong request says why before anybody goes back', async () => {
    const { page, close } = await stage.open('/');
    await page.route(`${redirect}**`, (route) => route.fulfill({ body: 'The program.' }));
    await page.goto(await ask('runs:read'));
    const back = page.waitForRequest((one) => one.url().startsWith(redirect));
    await page.getByRole('button', { name: 'Refuse' }).click();
    expect(new URL((await back).url()).searchParams.get('error')).toBe('access_denied');
    await page.waitForURL(`${redirect}**`);
    await page.goto(await ask('all of it'));
    await page.getByText('There is no scope all.').waitFor();
    await page.getByRole('button', { name: 'Go back to 127.0.0.1:9' }).waitFor();
    await expectWellMade(page);
    await page.goto((await ask('runs:read')).replace(encodeURIComponent(redirect), 'https%3A%2F%2Fevil.example'));
    await page.getByText('redirect_uri is none that this client registered.').waitFor();
    expect(await page.getByRole('button', { name: /Go back/ }).count()).toBe(0);
    await close();
  });
});

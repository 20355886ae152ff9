// The dashboard with a sign-in provider: who comes back is in, at the page that was asked for; a login is linked and unlinked.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createClient } from '../../src/client/index.ts';
import { buildDashboard, chromiumPath, expectAccessible, expectWellMade, launch, visit } from '../support/browser.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { clientSecret, openIdProvider } from '../support/sign-in-providers.ts';

const password = 'a few words make one';

describe.skipIf(chromiumPath === null)('a sign-in provider', () => {
  let folder: string;
  let server: ChildServer;
  let openId: Awaited<ReturnType<typeof openIdProvider>>;
  let browser: Browser;
  beforeAll(async () => {
    buildDashboard();
    folder = await mkdtemp(join(tmpdir(), 'rivulet-providers-'));
    const file = join(folder, 'providers.yaml');
    server = await createChildServer({ RIVULET_SIGN_IN_PROVIDERS: file });
    openId = await openIdProvider(['company'], server.baseUrl);
    const company = { issuer: openId.url, clientId: 'rivulet', clientSecret, key: 'company', name: 'Company' };
    await writeFile(file, stringify({ providers: [{ ...company, join: { domains: ['example.com'] } }] }));
    await server.start();
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    openId?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('signs in to the page that was asked for, or says why not', async () => {
    const { page, complaints, close } = await visit(browser, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    const button = page.getByRole('link', { name: 'Sign in with Company' });
    openId.world.person = { sub: 'eve', email: 'eve@elsewhere.example', email_verified: true };
    await page.goto(`${server.baseUrl}/#/memory?q=rivers`);
    await button.click();
    await page.getByRole('alert').getByText('You have no account here.').waitFor();
    expect(page.url()).toBe(`${server.baseUrl}/#/memory?q=rivers`);
    await expectAccessible(page);
    openId.world.person = { sub: 'mia', email: 'mia@example.com', email_verified: true, name: 'Mia' };
    // The provider remembers who was there.
    await page.context().clearCookies();
    await button.click();
    await page.locator('[data-testid=connection][data-phase=live]').waitFor({ state: 'attached' });
    await expect.poll(() => page.url()).toBe(`${server.baseUrl}/#/memory?q=rivers`);
    await page.reload();
    await page.goto(`${server.baseUrl}/#/account?tab=security`);
    const logins = page.getByTestId('logins');
    await logins.getByText('mia@example.com').waitFor();
    expect(await logins.getByRole('button', { name: 'Unlink' }).isDisabled()).toBe(true);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('links a login in the account, and unlinks it', async () => {
    const admin = createClient({ baseUrl: server.baseUrl, token: server.key });
    await admin.users.create({ body: { username: 'linus', password, role: 'Member' } });
    const { accessToken: token } = await admin.auth.login({ body: { login: 'linus', password } });
    const { page, complaints, close } = await visit(browser, { token });
    openId.world.person = { sub: 'linus', email: 'linus@elsewhere.example' };
    await page.goto(`${server.baseUrl}/#/account?tab=security`);
    await page.getByRole('button', { name: 'Link Company' }).click();
    await page.getByText('Linked', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'linus@elsewhere.example' }).waitFor();
    expect(page.url()).toBe(`${server.baseUrl}/#/account?tab=security`);
    await page.getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('No login is linked.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

// Accounts in the dashboard: an invitation is taken, a forgotten password is set anew, a second factor is asked for.
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, expectAccessible, useStage, visit } from '../support/browser.ts';
import { tokenTo } from '../support/mailbox.ts';

const password = 'a few words make a good one';
const next = 'other words make another one';

describe.skipIf(chromiumPath === null)('accounts', () => {
  const stage = useStage();
  const mailed = (address: string, kind: 'invite' | 'reset' | 'confirm') => tokenTo(stage.server.folder, address, kind);

  it('join by an invitation, set a new password by mail, and sign in with a code', async () => {
    const email = 'mia@example.com';
    const admin = createClient({ baseUrl: stage.server.baseUrl, token: stage.server.key });
    await admin.users.create({ body: { username: 'invited', email, role: 'Member', sendInvite: true } });
    const { page, complaints, close } = await visit(stage.browser, { viewport: { width: 390, height: 844 } });
    const live = page.locator('[data-testid=connection][data-phase=live]');

    await page.goto(`${stage.server.baseUrl}/#/signin?invite=${await mailed(email, 'invite')}`);
    await page.getByLabel('Username').fill('mia');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Join' }).click();
    await live.waitFor({ state: 'attached' });
    expect(page.url()).not.toContain('invite');
    const kept = await page.evaluate<string>(`localStorage['rivulet.session']`);
    expect(Object.keys(JSON.parse(kept)).sort()).toEqual(['accessToken', 'expiresAt', 'kind']);

    const mia = createClient({ baseUrl: stage.server.baseUrl, token: JSON.parse(kept).accessToken });
    const { secret } = await mia.auth.enrollTotp({ body: { password } });
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const { recoveryCodes } = await mia.auth.confirmTotp({ body: { code: totp.generate() } });

    await page.evaluate(`localStorage.clear()`);
    await page.goto(`${stage.server.baseUrl}/#/signin`);
    await page.reload();
    await page.getByRole('tab', { name: 'Password' }).click();
    await page.getByRole('button', { name: 'Forgot password' }).click();
    await page.getByLabel('Username or e-mail address').fill('mia');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByText('is on its way').waitFor();
    await page.goto(`${stage.server.baseUrl}/#/signin?reset=${await mailed(email, 'reset')}`);
    await page.getByLabel('New password').fill(next);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your new password is set.').waitFor();

    await page.goto(`${stage.server.baseUrl}/#/signin`);
    await page.reload();
    await page.getByRole('tab', { name: 'Password' }).click();
    await page.getByLabel('Username').fill('mia');
    await page.getByLabel('Password', { exact: true }).fill(next);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill(recoveryCodes[0] ?? '');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await live.waitFor({ state: 'attached' });
    // The first attempt without a code is answered 401, which the browser writes to its console.
    expect(complaints.filter((line) => !line.includes('401'))).toEqual([]);
    await close();
  });
});

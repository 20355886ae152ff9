// One's own account: profile, second factor, sessions, keys, export, closing; the audit log and the policy of the tenant.
import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

const password = 'a few words make a good one';

describe.skipIf(chromiumPath === null)('the account', () => {
  const stage = useStage();
  const unique = (word: string) => `${word}-${crypto.randomUUID().slice(0, 6)}`;
  const signIn = async (username: string, mfaCode?: string) => {
    const client = createClient({ baseUrl: stage.server.baseUrl });
    const body = { login: username, password, deviceName: 'Laptop', ...(mfaCode ? { mfaCode } : {}) };
    return (await client.auth.login({ body })).accessToken;
  };
  /** Somebody of their own, signed in twice. */
  const member = async (screen: (typeof screens)[number], path: string, role: 'Member' | 'Admin' = 'Member') => {
    const username = unique('mia');
    await stage.api().users.create({ body: { username, password, role } });
    await signIn(username);
    const token = await signIn(username);
    const visited = await stage.open(path, { token, ...screen });
    return { ...visited, username, me: createClient({ baseUrl: stage.server.baseUrl, token }) };
  };

  it.each(screens)('keeps a profile that was written through a reload, and saves it, $colorScheme', async (screen) => {
    const { page, me, complaints, close } = await member(screen, '/account');
    await page.getByLabel('Display name').fill('Mia of the mill');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByText('2 changes').waitFor();
    await page.reload();
    await page.getByText('2 changes').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 changes').waitFor({ state: 'detached' });
    expect((await me.auth.me()).user).toMatchObject({ displayName: 'Mia of the mill', timezone: 'Europe/Berlin' });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)(
    'turns MFA on by a QR code, shows recovery codes once, and turns it off, $colorScheme',
    async (screen) => {
      const { page, me, username, complaints, close } = await member(screen, '/account?tab=security');
      await page.getByRole('button', { name: 'Turn on' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Current password').fill(password);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
      await expect.poll(() => page.evaluate<number>(`document.querySelector('.qr').naturalWidth`)).toBeGreaterThan(0);
      const totp = new TOTP({ secret: Secret.fromBase32(await dialog.locator('.copyable').innerText()) });
      await expectWellMade(page);
      await dialog.getByLabel('Code').fill(totp.generate());
      await dialog.getByRole('button', { name: 'Turn on' }).click();
      const listed = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
      await listed.first().waitFor();
      const codes = await listed.allInnerTexts();
      expect(codes.length).toBeGreaterThan(5);
      await expectWellMade(page);
      const saving = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download' }).click();
      expect(await readFile((await (await saving).path()) ?? '', 'utf8')).toBe(`${codes.join('\n')}\n`);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText(`${codes.length} recovery codes left.`).waitFor();
      expect((await me.auth.me()).mfaEnabled).toBe(true);
      await signIn(username, codes[0]);

      await page.getByRole('button', { name: 'Turn off' }).click();
      await dialog.getByLabel('Current password').fill(password);
      await dialog.getByLabel('Code').fill(codes[1] ?? '');
      await dialog.getByRole('button', { name: 'Turn off' }).click();
      await page.getByRole('button', { name: 'Turn on' }).waitFor();
      expect((await me.auth.me()).mfaEnabled).toBe(false);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)('lists sessions and ends the others, $colorScheme', async (screen) => {
    const { page, me, complaints, close } = await member(screen, '/account?tab=sessions');
    await page.getByText('this session').waitFor();
    expect(await me.auth.sessions()).toHaveLength(2);
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Sign out all other sessions' }).click();
    await expect.poll(async () => (await me.auth.sessions()).length).toBe(1);
    await page.getByRole('button', { name: 'Sign out all other sessions' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('exports what is held, and closes, $colorScheme', async (screen) => {
    const { page, me, username, close } = await member(screen, '/account?tab=data');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download my data' }).click();
    const file = JSON.parse(await readFile((await (await saving).path()) ?? '', 'utf8'));
    expect(file).toMatchObject({ user: { username } });
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Close the account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(password);
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Close the account' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expect(me.auth.me()).rejects.toMatchObject({ status: 401 });
    await close();
  });

  it.each(screens)('has keys where the role allows them, $colorScheme', async (screen) => {
    const { page, complaints, close } = await member(screen, '/account?tab=keys', 'Admin');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Shown once. Copy it now.').waitFor();
    await page.getByRole('cell', { name: /laptop/ }).waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Create or replace' }).click();
    await expect.poll(() => page.getByText('Shown once. Copy it now.').count()).toBe(2);
    expect(complaints).toEqual([]);
    await close();
    const plain = await member(screen, '/account?tab=keys');
    await plain.page.getByText('Your role does not include API keys').waitFor();
    await expectWellMade(plain.page);
    await plain.close();
  });

  it.each(screens)('shows what to paste into an MCP client, $colorScheme', async (screen) => {
    const { page, complaints, close } = await member(screen, '/account?tab=mcp');
    const url = `${stage.server.baseUrl}/mcp`;
    const shown = page.locator('.code pre');
    await expect.poll(async () => (await shown.allInnerTexts()).filter((text) => text !== '').length).toBe(3);
    const [http, command] = await shown.allInnerTexts();
    const { rivulet } = JSON.parse(http ?? '').mcpServers;
    expect(rivulet).toEqual({ type: 'http', url, headers: { Authorization: 'Bearer rvt_YOUR_KEY' } });
    expect(JSON.parse(command ?? '').mcpServers.rivulet).toMatchObject({
      command: 'npx',
      args: expect.arrayContaining([url]),
    });
    await expectWellMade(page);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('Your role does not include API keys').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe.skipIf(chromiumPath === null)('what administrators look after', () => {
  const stage = useStage();

  it.each(screens)(
    'finds an entry of the audit log, opens it, and verifies the chain, $colorScheme',
    async (screen) => {
      const name = `Reporter ${crypto.randomUUID().slice(0, 6)}`;
      const role = await stage.api().roles.create({ body: { name, weight: 0 } });
      const { page, complaints, close } = await stage.open('/audit', screen);
      await page.getByLabel('Category').selectOption('Roles');
      await page.getByLabel('Search the audit log').fill(name);
      const found = page.getByRole('row').filter({ hasText: name }).getByRole('button').first();
      await found.waitFor();
      await expectWellMade(page);
      await found.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Chain intact').waitFor();
      await dialog.getByText('Previous hash').waitFor();
      await dialog.getByRole('heading', { name: 'Changes' }).waitFor();
      await expectWellMade(page);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Verify the chain' }).click();
      await dialog.getByText('Intact', { exact: true }).waitFor();
      await expectWellMade(page);
      await page.keyboard.press('Escape');
      await page.getByLabel('Outcome').selectOption('Denied');
      await page.getByText('No entry matches').waitFor();
      await expectWellMade(page);
      await stage.api().roles.remove({ params: { id: role.id } });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)('changes the policy of the tenant, and says why one is refused, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/policy', screen);
    const before = await stage.api().tenantPolicy.get();
    await page.getByLabel('Minimum password length').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.toast[data-tone=bad]').waitFor();
    await page.getByLabel('Minimum password length').fill(String(before.passwordMinLength + 1));
    await page.getByLabel('Blocked tools').fill('shell_exec\nweb_*');
    // Each field stands where what it limits does.
    await page.getByRole('group', { name: 'Network' }).getByLabel('Allow external channels').uncheck();
    await page.getByText('3 changes').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('3 changes').waitFor({ state: 'detached' });
    const after = await stage.api().tenantPolicy.get();
    expect(after).toMatchObject({
      passwordMinLength: before.passwordMinLength + 1,
      blockedTools: ['shell_exec', 'web_*'],
      allowExternalChannels: false,
      maxRunCostUsd: before.maxRunCostUsd,
    });
    const { version: _, updatedByName: __, updatedAtUtc: ___, ...body } = before;
    await stage.api().tenantPolicy.replace({ body });
    // The refused one is the only complaint.
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
    await close();
  });
});

// Who may do what, and what agents should find out: users, roles with their permissions, knowledge goals.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  chromiumPath,
  expectAccessible,
  expectNoSidewaysScroll,
  screens,
  useStage,
  visit,
} from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('people and goals', () => {
  const stage = useStage();
  const { api } = stage;
  const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 6)}`;
  const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const check = async (page: Page) => {
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  };

  it.each(screens)(
    'makes a role, gives it permissions, and gives it to a user and takes it away, $colorScheme',
    async (screen) => {
      const name = unique('Reporter');
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
      await page.goto(`${stage.server.baseUrl}/#/people?tab=roles`);
      await page.getByRole('button', { name: 'New role' }).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await check(page);
      await save(page);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.getByRole('checkbox', { name: /^Runs read/ }).check();
      await page.getByRole('checkbox', { name: /^Chat write/ }).check();
      await page.getByText('2 changes').waitFor();
      await check(page);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('2 changes').waitFor({ state: 'detached' });
      const role = (await api().roles.list({ query: { q: name } })).items[0];
      const id = role?.id ?? 0;
      const { permissions } = await api().roles.get({ params: { id } });
      expect(permissions).toEqual(expect.arrayContaining(['RunsRead', 'ChatWrite']));

      await page.getByRole('tab', { name: 'Users' }).click();
      const roleIds = async () => (await api().users.list({ query: { q: 'admin' } })).items[0]?.roleIds;
      const give = async () => {
        await page.getByRole('row', { name: /admin/ }).getByRole('button', { name: 'Change' }).click();
        await page.getByRole('checkbox', { name }).click();
        await save(page);
      };
      await give();
      await expect.poll(roleIds).toContain(id);
      await page.locator('.tag').getByText(name).waitFor();
      await check(page);
      await give();
      await expect.poll(roleIds).not.toContain(id);

      await page.getByRole('tab', { name: 'Roles and permissions' }).click();
      await page.getByRole('button', { name: new RegExp(name) }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: new RegExp(name) }).waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)('makes a user, and stops it from signing in, $colorScheme', async (screen) => {
    const username = unique('mira').replace(' ', '-');
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    await page.goto(`${stage.server.baseUrl}/#/people`);
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Username').fill(username);
    await page.getByRole('dialog').getByLabel('Role').selectOption('Viewer');
    await page.getByRole('checkbox', { name: /^Invite/ }).uncheck();
    await check(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const row = page.getByRole('row', { name: new RegExp(username) });
    await row.getByText('Viewer').waitFor();
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('checkbox', { name: 'May sign in' }).uncheck();
    await save(page);
    await row.getByText('Inactive').waitFor();
    expect((await api().users.list({ query: { q: username } })).items).toMatchObject([
      { role: 'Viewer', isActive: false },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('says nothing more of a form that was given up', async () => {
    const { page, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/people?tab=roles`);
    await page.getByRole('button', { name: 'New role' }).click();
    await page.getByLabel('Name').fill('Owner');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const said = page.getByText('There is already a role named "Owner".');
    await said.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'New role' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await said.count()).toBe(0);
    await close();
  });

  it('says of a page that somebody may not see which permission it takes', async () => {
    const [username, password] = [unique('noor').replace(' ', '-'), 'correct horse battery staple'];
    await api().users.create({ body: { username, password, role: 'Viewer' } });
    const { accessToken } = await api().auth.login({ body: { login: username, password } });
    const { page, complaints, close } = await visit(stage.browser, { token: accessToken ?? '' });
    await page.goto(`${stage.server.baseUrl}/#/people`);
    await page.getByRole('heading', { name: 'Permission denied' }).waitFor();
    await page.getByText('This page takes the permission UsersRead.').waitFor();
    await check(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('states a knowledge goal, pauses it, and deletes it, $colorScheme', async (screen) => {
    const topic = unique('Names of the rivers');
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    await page.goto(`${stage.server.baseUrl}/#/goals`);
    await page.getByRole('button', { name: 'New goal' }).click();
    await page.getByLabel('Topic').fill(topic);
    await page.getByLabel('Domain').selectOption('Science');
    await page.getByLabel('Priority, 0 to 100').fill('90');
    await page.getByLabel('Tags, one a line').fill('water\nmaps');
    await check(page);
    await save(page);
    const row = page.getByRole('row', { name: new RegExp(topic) });
    await row.getByText('next', { exact: true }).waitFor();
    await check(page);
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByLabel('Status').selectOption('Paused');
    await save(page);
    await row.getByText('Paused').waitFor();
    const { items } = await api().knowledgeGoals.list({ query: { q: topic } });
    expect(items).toMatchObject([
      { topic, domain: 'Science', priority: 90, status: 'Paused', tags: ['water', 'maps'] },
    ]);
    await page.getByLabel('Search goals').fill('nothing is called so');
    await page.getByText('No goal matches').waitFor();
    await page.getByLabel('Search goals').fill(topic);
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('says what is refused of a form by the labels that it has', async () => {
    const { page, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/goals`);
    await page.getByRole('button', { name: 'New goal' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('x'.repeat(1000));
    await dialog.getByLabel('Priority, 0 to 100').fill('101');
    await dialog.getByLabel('Tags, one a line').fill('y'.repeat(1000));
    await dialog.getByRole('button', { name: 'Save' }).click();
    const said = dialog.getByText(/^Topic: .*; Priority, 0 to 100: must be at most 100; Tags, one a line: must have/);
    await said.waitFor();
    await expectAccessible(page);
    await close();
  });
});

// The organisation in the dashboard: a tree of units, its members and guests, and what holds in it.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

const password = 'a few words make a good one';

describe.skipIf(chromiumPath === null)('the organisation', () => {
  const stage = useStage();
  const { api, open } = stage;
  const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 6)}`;
  const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  const unitOf = (page: Page) => Number(/organisation\/(\d+)/.exec(page.url())?.[1]);
  /** The token of the session that a page holds. */
  const tokenIn = async (page: Page) =>
    JSON.parse(await page.evaluate<string>(`localStorage['rivulet.session']`)).accessToken as string;
  const makeUser = async (word: string) => {
    const username = unique(word).replace(' ', '-');
    const { id } = await api().users.create({ body: { username, password, role: 'Member' } });
    return { id, username };
  };

  it('says what units are for, and makes the first', async () => {
    const { page, complaints, close } = await open('/organisation');
    await page.getByText('No unit yet').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'New unit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await page.getByLabel('Kind').selectOption('Company');
    await inDialog(page, 'Create').click();
    await page.getByRole('heading', { name: 'Harbour Company' }).waitFor();
    expect((await api().orgUnits.get({ params: { id: unitOf(page) } })).key).toBe('harbour');
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('makes a tree, moves a unit, switches it off and deletes it, $colorScheme', async (screen) => {
    const [top, below] = [unique('Acme'), unique('Research')];
    const root = await api().orgUnits.create({ body: { name: top, kind: 'Company' } });
    const other = await api().orgUnits.create({ body: { name: unique('Sales'), parentId: root.id } });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    await page.goto(`${stage.server.baseUrl}/#/organisation/${root.id}`);
    await page.getByRole('button', { name: 'New unit below' }).click();
    await page.getByLabel('Name', { exact: true }).fill(below);
    expect(await page.getByLabel('Belongs to').inputValue()).toBe(String(root.id));
    await expectWellMade(page);
    await inDialog(page, 'Create').click();
    await page.getByRole('heading', { name: `${below} Team` }).waitFor();
    const id = unitOf(page);
    const get = () => api().orgUnits.get({ params: { id } });
    expect((await get()).parentId).toBe(root.id);
    await expectWellMade(page);

    await page.goto(`${stage.server.baseUrl}/#/organisation?q=${encodeURIComponent(below)}`);
    await page.getByRole('row', { name: new RegExp(`Level 2: ${below}`) }).waitFor();
    await page.getByRole('row', { name: new RegExp(`Level 1: ${top}`) }).waitFor();
    await expectWellMade(page);
    await page.getByRole('link', { name: below }).click();

    await page.getByRole('button', { name: 'Move', exact: true }).click();
    const places = page.getByRole('dialog').getByLabel('Belongs to');
    await expect.poll(() => places.locator('option').allInnerTexts()).toContain(`${top} / ${other.name}`);
    expect(await places.locator(`option[value="${id}"]`).count()).toBe(0);
    await places.selectOption(String(other.id));
    await inDialog(page, 'Move').click();
    await page.getByRole('navigation', { name: 'Units above' }).getByText(other.name).waitFor();
    await expect.poll(async () => (await get()).parentId).toBe(other.id);

    await page.getByRole('button', { name: 'Switch off' }).click();
    await inDialog(page, 'Switch off').click();
    await page.getByText('Switched off', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();

    await api().projects.create({ body: { name: unique('Bridge'), orgUnitId: id } });
    await page.reload();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('1 project').waitFor();
    expect(await inDialog(page, 'Delete').isDisabled()).toBe(true);
    await page.getByLabel('Move what is in it to').selectOption(String(other.id));
    await expectWellMade(page);
    await inDialog(page, 'Delete').click();
    await page.getByRole('heading', { name: 'Organisation', exact: true }).waitFor();
    expect((await api().orgUnits.get({ params: { id: other.id } })).projectCount).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('adds a member, changes and removes it; one from above stays, $colorScheme', async (screen) => {
    const root = await api().orgUnits.create({ body: { name: unique('Mill') } });
    const unit = await api().orgUnits.create({ body: { name: unique('Wheel'), parentId: root.id } });
    const [mira, noor] = [await makeUser('mira'), await makeUser('noor')];
    await api().orgUnits.addMember({ params: { id: root.id }, body: { userId: noor.id } });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    await page.goto(`${stage.server.baseUrl}/#/organisation/${unit.id}?tab=members`);
    const inherited = page.getByRole('row', { name: new RegExp(noor.username) });
    await inherited.getByRole('link', { name: root.name }).waitFor();
    expect(await inherited.getByRole('button').count()).toBe(0);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel('Who', { exact: true }).selectOption({ label: mira.username });
    await page.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Viewer' });
    await page.getByLabel('Title').fill('miller');
    await expectWellMade(page);
    await inDialog(page, 'Add').click();
    const row = page.getByRole('row', { name: new RegExp(mira.username) });
    await row.getByText('Viewer').waitFor();
    await expectWellMade(page);
    await row.getByRole('button', { name: `Change ${mira.username}` }).click();
    await page.getByRole('checkbox', { name: /^Manages the unit/ }).check();
    await inDialog(page, 'Save').click();
    await row.getByText('manager').waitFor();
    const { items } = await api().orgUnits.members({ params: { id: unit.id }, query: {} });
    expect(items).toMatchObject([{ userId: mira.id, roleName: 'Viewer', title: 'miller', isManager: true }]);

    // Who manages the unit changes its members, and nothing else of it.
    const { accessToken } = await api().auth.login({ body: { login: mira.username, password } });
    const own = await visit(stage.browser, { token: accessToken, ...screen });
    await own.page.goto(`${stage.server.baseUrl}/#/organisation/${unit.id}?tab=members`);
    await own.page.getByRole('button', { name: 'Add a member' }).click();
    // A Member may not list users, and knows people by their identities.
    const who = own.page.getByLabel('Who', { exact: true });
    await who.selectOption({ label: noor.username });
    expect(await who.inputValue()).toBe(`user ${noor.id}`);
    await own.page.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Viewer' });
    await inDialog(own.page, 'Add').click();
    await own.page
      .getByRole('row', { name: new RegExp(noor.username) })
      .nth(1)
      .waitFor();
    await own.page.getByRole('tab', { name: 'Invitations' }).waitFor();
    expect(await own.page.getByRole('button', { name: 'Switch off' }).count()).toBe(0);
    await own.page.goto(`${stage.server.baseUrl}/#/organisation/${root.id}?tab=members`);
    await own.page.getByRole('heading', { name: new RegExp(root.name) }).waitFor();
    await expectWellMade(own.page);
    expect(await own.page.getByRole('button', { name: 'Add a member' }).count()).toBe(0);
    expect(own.complaints).toEqual([]);
    await own.close();

    await row.getByRole('button', { name: `Remove ${mira.username}` }).click();
    await inDialog(page, 'Remove').click();
    await row.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('invites somebody who makes an account by the link, and somebody who has one', async () => {
    const unit = await api().orgUnits.create({ body: { name: unique('Quay') } });
    const membersOf = async () =>
      (await api().orgUnits.members({ params: { id: unit.id }, query: {} })).items.map(({ name }) => name);
    const { page, complaints, close } = await open(`/organisation/${unit.id}?tab=invitations`);
    const invite = async (email: string) => {
      await page.getByRole('button', { name: 'Invite by e-mail' }).click();
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('checkbox', { name: 'Mail the link' }).uncheck();
      await inDialog(page, 'Invite').click();
      const link = page.getByRole('region', { name: 'Link of the invitation' });
      await link.getByText(`Send this link to ${email}.`, { exact: false }).waitFor();
      const url = await link.locator('.copyable').innerText();
      expect(url).toMatch(/#\/signin\?invite=oui_/);
      return `${stage.server.baseUrl}/${url.slice(url.indexOf('#'))}`;
    };
    const forNew = await invite('lin@example.com');
    await expectWellMade(page);

    const phone = { viewport: { width: 390, height: 844 } };
    const fresh = await visit(stage.browser, phone);
    await fresh.page.goto(forNew);
    await fresh.page.getByLabel('Username').fill('lin');
    await fresh.page.getByLabel('E-mail address').fill('lin@example.com');
    await fresh.page.getByLabel('Password').fill(password);
    await fresh.page.getByRole('button', { name: 'Join' }).click();
    await expect.poll(membersOf).toEqual(['lin']);
    await fresh.page.locator('[data-testid=connection][data-phase=live]').waitFor({ state: 'attached' });
    const lin = createClient({ baseUrl: stage.server.baseUrl, token: await tokenIn(fresh.page) });
    expect((await lin.auth.me()).user?.username).toBe('lin');
    await fresh.close();

    const kay = await makeUser('kay');
    const known = await visit(stage.browser, phone);
    const forKay = await invite('kay@example.com');
    await known.page.goto(forKay);
    await known.page.getByRole('tab', { name: 'I have an account' }).click();
    await known.page.getByLabel('Username').fill(kay.username);
    await known.page.getByLabel('Password').fill(password);
    await known.page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(membersOf).toContain(kay.username);
    await known.page.locator('[data-testid=connection][data-phase=live]').waitFor({ state: 'attached' });
    await known.page.goto(`${stage.server.baseUrl}/#/account`);
    await known.page.getByRole('region', { name: 'Your organisation units' }).getByText(unit.name).waitFor();
    await expectWellMade(known.page);

    const forNobody = await invite('nobody@example.com');
    const row = page.getByRole('row', { name: /nobody@example/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await inDialog(page, 'Revoke').click();
    await row.getByText('Revoked').waitFor();
    await known.page.goto(forNobody);
    await known.page.getByRole('button', { name: `Join as ${kay.username}` }).click();
    await known.page.getByRole('alert').waitFor();
    await known.close();
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('sets a budget, a policy that is refused, and the usual role, $colorScheme', async (screen) => {
    const root = await api().orgUnits.create({ body: { name: unique('Works') } });
    const unit = await api().orgUnits.create({ body: { name: unique('Lab'), parentId: root.id } });
    const params = { id: unit.id };
    const budget = { period: 'Month' as const, limitUsd: 5 };
    await api().orgUnits.setBudget({ params: { id: root.id }, body: budget });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    const at = (tab: string) => page.goto(`${stage.server.baseUrl}/#/organisation/${unit.id}?tab=${tab}`);
    await at('budget');
    await page.getByText(`the budget of ${root.name} above is the tightest`).waitFor();
    await page.getByRole('button', { name: 'Set a budget' }).click();
    await page.getByLabel('US dollars').fill('2');
    await page.getByLabel('When exhausted').selectOption('Block');
    await expectWellMade(page);
    await inDialog(page, 'Save').click();
    await page.getByText('$2.00 can still be spent: this budget is the tightest.').waitFor();
    await expectWellMade(page);
    expect(await api().orgUnits.budget({ params })).toMatchObject({ limitUsd: 2, action: 'Block', period: 'Month' });
    await page.getByRole('button', { name: 'Remove the budget' }).click();
    await inDialog(page, 'Remove').click();
    await page.getByText('No budget of its own').waitFor();

    await api().orgUnits.setPolicy({ params: { id: root.id }, body: { maxSpawnDepth: 2 } });
    await at('policy');
    const depth = page.getByLabel('Maximum spawn depth');
    await depth.fill('4');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/A unit only tightens what is above it: 2 is the most there/).waitFor();
    await depth.fill('1');
    await page.getByLabel('Blocked tools').fill('shell_*');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'What holds here' }).getByText('shell_*').waitFor();
    await expectWellMade(page);
    expect(await api().orgUnits.policy({ params })).toMatchObject({
      ...{ maxSpawnDepth: 1, blockedTools: ['shell_*'], allowedModelIds: null, allowExternalChannels: null },
      effective: { maxSpawnDepth: 1 },
    });

    await at('roles');
    await page.getByLabel('Usual role').selectOption({ label: 'Viewer' });
    await page.getByRole('checkbox', { name: 'Viewer' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /Viewer/ })
      .getByText('usual')
      .waitFor();
    await expectWellMade(page);
    for (const tab of ['usage', 'projects', 'identities']) {
      await at(tab);
      await expectWellMade(page);
    }
    expect(complaints.filter((one) => !one.includes('/policy'))).toEqual([]);
    await close();
  });

  it('shows what others change: units, members and invitations', async () => {
    const { id } = await api().orgUnits.create({ body: { name: unique('Canal') } });
    const params = { id };
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/organisation/${id}?tab=members`);
    await page.getByText('No member yet').waitFor();
    const sailor = await makeUser('sailor');
    await api().orgUnits.addMember({ params, body: { userId: sailor.id } });
    await page.getByRole('row', { name: new RegExp(sailor.username) }).waitFor();
    await page.getByRole('tab', { name: /Invitations/ }).click();
    await page.getByText('Nobody was invited yet').waitFor();
    await api().orgUnits.invite({ params, body: { email: 'mate@example.org' } });
    await page.getByRole('row', { name: /mate@example.org/ }).waitFor();
    await api().orgUnits.patch({ params, body: { name: 'Locks' } });
    await page.getByRole('heading', { name: /Locks/ }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('attaches an identity, and gives a project its unit', async () => {
    const unit = await api().orgUnits.create({ body: { name: unique('Dock') } });
    const { id: identityId } = await api().identities.create({ body: { name: unique('Crane'), type: 'AI' } });
    const project = await api().projects.create({ body: { name: unique('Lock') } });
    const { page, complaints, close } = await open(`/organisation/${unit.id}?tab=identities`);
    await page.getByRole('button', { name: 'Attach an identity' }).click();
    await page.getByRole('dialog').getByLabel('Identity').selectOption(`identity ${identityId}`);
    await inDialog(page, 'Attach').click();
    await page.getByRole('button', { name: 'Detach' }).click();
    await inDialog(page, 'Detach').click();
    await page.getByText('No identity here').waitFor();

    await page.goto(`${stage.server.baseUrl}/#/projects/${project.id}?tab=settings`);
    await page.getByLabel('Organisation unit').selectOption(String(unit.id));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: unit.name }).click();
    await page.getByRole('tab', { name: 'Projects' }).click();
    await page.getByRole('link', { name: project.name }).waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows what its work has used by project and by unit', async () => {
    const unit = await api().orgUnits.create({ body: { name: unique('Pump') } });
    const project = await api().projects.create({ body: { name: unique('Well'), orgUnitId: unit.id } });
    const body = { goal: 'Say something', modelId: 'scripted:echo', autoStart: true, projectId: project.id };
    const { id } = await api().agentRuns.create({ body });
    await api().agentRuns.wait({ params: { id }, query: { timeoutMs: 30_000 } });
    const { page, complaints, close } = await open(`/organisation/${unit.id}?tab=usage`);
    await page.getByRole('cell', { name: unit.name }).waitFor();
    await page.getByRole('button', { name: 'By project' }).click();
    await page.getByRole('cell', { name: project.name }).waitFor();
    await page.getByRole('img', { name: 'Tokens over time' }).waitFor();
    await expectWellMade(page);
    await page.goto(`${stage.server.baseUrl}/#/models?tab=usage`);
    await page.getByLabel('Organisation unit').selectOption({ label: unit.name });
    await page.getByRole('cell', { name: 'scripted:echo' }).waitFor();
    await page.getByRole('button', { name: 'By unit' }).click();
    await page.getByRole('cell', { name: unit.name }).waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

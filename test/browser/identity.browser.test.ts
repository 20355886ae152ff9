// The page of an identity: its profiles, keys, hints, relationships, tools and children, each read and changed.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('an identity', () => {
  const stage = useStage();
  const make = (word: string) =>
    stage.api().identities.create({ body: { name: `${word}-${crypto.randomUUID().slice(0, 6)}`, type: 'AI' } });
  const save = async (page: Page, title: string) => {
    const form = page.locator('form').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    await form.getByText(/^\d+ changes?$/).waitFor();
    await expectWellMade(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^\d+ changes?$/).waitFor({ state: 'detached' });
  };

  it.each(screens)('has profiles that are changed, and kept while they are written, $colorScheme', async (screen) => {
    const { id } = await make('mira');
    const params = { identityId: id };
    const { identityProfiles, hydrationConfig, identities } = stage.api();
    const { page, complaints, close } = await stage.open(`/identities/${id}`, screen);
    const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
    await page.getByLabel('About', { exact: true }).last().fill('Watches the river.');
    await save(page, 'About');
    expect((await identities.get({ params: { id } })).bio).toBe('Watches the river.');

    await tab('Personality');
    await page.getByLabel('Tone').fill('calm');
    await page.getByLabel('Traits').fill('exact\npatient');
    await page.reload();
    await expect.poll(() => page.getByLabel('Tone').inputValue()).toBe('calm');
    await save(page, 'Personality');
    expect(await identityProfiles.personality({ params })).toMatchObject({
      tone: 'calm',
      traits: ['exact', 'patient'],
    });

    await tab('Tools and work');
    await page.getByLabel('Blocked tools').fill('shell_*');
    await save(page, 'Tool profile');
    expect((await identityProfiles.toolProfile({ params })).blockedTools).toEqual(['shell_*']);
    await page.getByLabel('Tags').fill('river');
    await save(page, 'Work profile');
    expect((await identityProfiles.workProfile({ params })).tags).toEqual(['river']);
    await page
      .getByRole('region', { name: 'Effective tool policy' })
      .getByText(/tools? blocked$/)
      .waitFor();

    await tab('Memory');
    await page.getByLabel('Decay after, days').fill('12');
    await page.getByLabel('Own search settings').check();
    await save(page, 'Memory');
    const memory = await identityProfiles.memoryConfig({ params });
    expect(memory).toMatchObject({ decayAfterDays: 12, defaultSearchConfig: { limit: 20 } });
    await page.getByLabel('Preset').selectOption('lean');
    await page.getByLabel('Recent memories', { exact: true }).last().fill('4');
    await save(page, 'Hydration');
    expect(await hydrationConfig.get({ params })).toMatchObject({ preset: 'lean', recentMemoryLimit: 4 });

    await tab('Messaging');
    await page.getByLabel('Minimum priority').selectOption('High');
    await save(page, 'Messaging policy');
    expect(await identityProfiles.messagingPolicy({ params })).toMatchObject({ minPriority: 2 });
    expect(complaints).toEqual([]);
    await close();
    await identities.remove({ params: { id } });
  });

  it.each(screens)('has hints, relationships with a history, and children, $colorScheme', async (screen) => {
    const [one, other] = [await make('mira'), await make('noor')];
    const api = stage.api();
    const { page, complaints, close } = await stage.open(`/identities/${one.id}?tab=hints`, screen);
    const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await page.getByText('No open hints').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'New hint' }).click();
    await dialog.getByLabel('Hint').fill('Look at the weir');
    await dialog.getByLabel('Due').fill('2031-05-05T08:00');
    await dialog.getByLabel('Recurrence').fill('FREQ=WEEKLY;BYDAY=MO');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Look at the weir' }).waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('No open hints').waitFor();

    await tab('Relationships');
    await page.getByText('No relationships').waitFor();
    await page.getByRole('button', { name: 'New relationship' }).click();
    await dialog.getByLabel('Identity').selectOption(String(other.id));
    await dialog.getByLabel('Type').selectOption('Mentor');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Mentor' }).waitFor();
    const [kept] = (await api.relationships.list({ params: { identityId: one.id }, query: {} })).items;
    const params = { id: kept?.id ?? 0 };
    await api.relationships.interact({
      params,
      body: { kind: 'Review', summary: 'Read the map well', sentiment: 0.5 },
    });
    await page.getByRole('button', { name: 'History' }).click();
    await dialog.getByText('Read the map well').waitFor();
    await expectWellMade(page);
    await page.keyboard.press('Escape');

    await tab('Children');
    await page.getByText('No children').waitFor();
    const body = { name: `child-${one.id}`, provisionedByIdentityId: one.id, tags: ['scout'] };
    const { identity } = await api.swarm.provision({ body });
    await page.reload();
    await page
      .getByRole('link', { name: identity.displayName || identity.name })
      .last()
      .waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
    for (const { id } of [identity, other, one]) await api.identities.remove({ params: { id } });
  });

  it.each(screens)(
    'is cloned, given children and a key of some scopes; a child is adopted, $colorScheme',
    async (screen) => {
      const { id } = await make('iris');
      const api = stage.api();
      const { page, complaints, close } = await stage.open(`/identities/${id}?tab=children`, screen);
      const dialog = page.getByRole('dialog');
      const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
      await page.getByRole('button', { name: 'New child' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill(`scout-${id}`);
      await dialog.getByLabel('Lives for, minutes').fill('90');
      await dialog.getByLabel('Tags').fill('river, weir');
      await dialog.getByLabel('Make a key for it').check();
      await expectWellMade(page);
      await press('Provision');
      const secret = await page.locator('.secret .copyable').innerText();
      const keyOf = (token: string) => createClient({ baseUrl: stage.server.baseUrl, token }).auth.me();
      expect((await keyOf(secret)).identity).toMatchObject({ name: `scout-${id}`, provisionedByIdentityId: id });
      await page
        .getByRole('link', { name: `scout-${id}` })
        .last()
        .click();

      const child = Number(/identities\/(\d+)/.exec(page.url())?.[1] ?? (await keyOf(secret)).identity?.id);
      await page.getByRole('button', { name: 'Adopt' }).click();
      await dialog.getByLabel('Display name').fill('Scout of the weir');
      await expectWellMade(page);
      await press('Adopt');
      await dialog.waitFor({ state: 'detached' });
      expect(await api.identities.get({ params: { id: child } })).toMatchObject({
        displayName: 'Scout of the weir',
        adoptedAtUtc: expect.any(String),
        expiresAtUtc: null,
      });
      await page.getByRole('button', { name: 'Adopt' }).waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Clone' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill(`copy-${id}`);
      await dialog.getByLabel('Tools and work').uncheck();
      await expectWellMade(page);
      await press('Clone');
      await page.getByRole('heading', { name: `copy-${id}` }).waitFor();
      const copy = Number(/identities\/(\d+)/.exec(page.url())?.[1]);
      expect((await api.identities.get({ params: { id: copy } })).name).toBe(`copy-${id}`);

      await page.getByRole('tab', { name: 'Keys', exact: true }).click();
      await page.getByRole('button', { name: 'New key' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill('reader');
      await dialog.getByLabel('Expires').fill('2031-05-05T08:00');
      await dialog.getByLabel('Only some of what the identity may do').check();
      expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
      await dialog.getByRole('checkbox', { name: /^Runs write/i }).check();
      await expectWellMade(page);
      await press('Create');
      const narrow = await keyOf(await page.locator('.secret .copyable').innerText());
      expect([...narrow.permissions].sort()).toEqual(['RunsRead', 'RunsWrite']);
      expect(complaints).toEqual([]);
      await close();
      for (const one of [copy, child, id]) await api.identities.remove({ params: { id: one } });
    },
  );

  it.each(screens)(
    'has a soul: imported with a preview, compared by versions, restored, $colorScheme',
    async (screen) => {
      const { id } = await make('sol');
      const api = stage.api();
      const { page, complaints, close } = await stage.open(`/identities/${id}?tab=soul`, screen);
      const dialog = page.getByRole('dialog');
      const load = async (tone: string) => {
        await api.identityProfiles.setPersonality({
          params: { identityId: id },
          body: { ...(await api.identityProfiles.personality({ params: { identityId: id } })), tone },
        });
        return (await (await api.souls.get({ params: { id }, query: {} })).text()).replaceAll(tone, 'stern');
      };
      const soul = await load('gentle as a brook');
      await page.getByRole('button', { name: 'Import a soul' }).click();
      await dialog.getByLabel('Markdown').fill(soul);
      await dialog.getByRole('button', { name: 'Preview' }).click();
      await dialog.getByRole('region', { name: 'Preview' }).getByText('stern').waitFor();
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Replace the soul' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.locator('.diff-line[data-kind=added]').getByText('stern').waitFor();
      await page.locator('.diff-line[data-kind=removed]').getByText('gentle as a brook').waitFor();
      await expectWellMade(page);
      await page.getByRole('navigation', { name: 'Versions' }).getByRole('button').nth(1).click();
      await page.getByRole('button', { name: 'Restore' }).click();
      await dialog.getByRole('button', { name: 'Restore' }).click();
      const tone = async () => (await api.identityProfiles.personality({ params: { identityId: id } })).tone;
      await expect.poll(tone).toBe('gentle as a brook');
      await page.getByText(/^Version \d+ restored$/).waitFor();
      expect(complaints).toEqual([]);
      // The page is still loading the new version: it must not look for somebody who is gone.
      await close();
      await api.identities.remove({ params: { id } });
    },
  );
});

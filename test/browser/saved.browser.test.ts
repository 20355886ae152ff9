// What was saved is shown at once, and is what is changed next, however slow the line is.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('what was saved', () => {
  const stage = useStage();
  const { api } = stage;
  /** Nothing that the page has shown is loaded again. */
  const loadNoMore = (page: Page) =>
    page.route('**/api/**', (route) => (route.request().method() === 'GET' ? undefined : route.continue()));

  it('stands in a dialog that is opened again before its list was loaded again', async () => {
    const { id } = await api().knowledgeGoals.create({ body: { topic: 'Tides', priority: 10 } });
    const { page, complaints, close } = await stage.open('/goals');
    const open = () =>
      page
        .getByRole('button', { name: /^Change|^Edit/ })
        .first()
        .click();
    await page.getByText('Tides').first().waitFor();
    await loadNoMore(page);
    await open();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('Tides of June');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Tides of June').first().waitFor();
    await open();
    expect(await dialog.getByLabel('Topic').inputValue()).toBe('Tides of June');
    await dialog.getByLabel('Priority').fill('20');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await api().knowledgeGoals.get({ params: { id } })).toMatchObject({ topic: 'Tides of June', priority: 20 });
    expect(complaints).toEqual([]);
    await close();
  });

  it('is not taken back by the next save of the same form', async () => {
    const { id } = await api().identities.create({ body: { name: 'harbour', bio: 'None yet.' } });
    const { page, complaints, close } = await stage.open(`/identities/${id}`);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await page.getByRole('textbox', { name: 'About' }).fill('Of boats.');
    await loadNoMore(page);
    await save.click();
    await page.getByText('Saved').first().waitFor();
    expect(await page.getByRole('textbox', { name: 'About' }).inputValue()).toBe('Of boats.');
    await page.getByLabel('Origin').fill('The sea');
    await save.click();
    await expect.poll(async () => (await api().identities.get({ params: { id } })).origin).toBe('The sea');
    expect(await api().identities.get({ params: { id } })).toMatchObject({ bio: 'Of boats.' });
    expect(complaints).toEqual([]);
    await close();
  });
});

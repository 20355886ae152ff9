// The help in the dashboard: the topics of the page one comes from, search, a topic, a vote, a question.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('the help', () => {
  const stage = useStage();

  it.each(screens)('is found, read, judged and asked, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/escalations', screen);
    await page.getByRole('button', { name: /, menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Help' }).click();
    await page.getByRole('link', { name: 'Open as a page' }).click();
    const here = page.getByRole('region', { name: 'About the page you came from' });
    await here.getByRole('link', { name: 'Escalations and approvals' }).waitFor();
    await page.getByRole('region', { name: 'Error codes' }).getByRole('link', { name: 'POOL_EXHAUSTED' }).waitFor();
    await expectWellMade(page);
    await page.getByLabel('Search the help').fill('restore backup');
    const found = page.getByRole('region', { name: 'Topics found' });
    await found.getByRole('link', { name: 'Operations' }).waitFor();
    await page.getByLabel('Search the help').fill('qqzzqq');
    await page.getByText('No topic matches').waitFor();
    await page.getByRole('textbox', { name: 'Question' }).fill('How do I restore a backup?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('From the topics, without a model:').waitFor();
    await expectWellMade(page);
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('heading', { name: 'Restore', exact: true }).waitFor();
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await page.getByLabel('What is missing?').fill('A picture');
    await page.getByRole('button', { name: 'Send' }).click();
    // Its colours are half-way while it comes in.
    await page.getByText('Thank you').last().waitFor();
    await expect
      .poll(async () => (await stage.api().help.votes({ query: { slug: 'operations' } })).items)
      .toMatchObject([{ helpful: false, comment: 'A picture' }]);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('opens beside the page that it is about, and leaves it there, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/escalations', screen);
    await page.getByRole('heading', { name: 'Escalations' }).waitFor();
    await page.keyboard.press('h');
    const drawer = page.getByRole('dialog', { name: 'Help' });
    await drawer
      .getByRole('region', { name: 'About this page' })
      .getByRole('link', { name: 'Escalations and approvals' })
      .click();
    await drawer.getByRole('heading', { name: 'Escalations and approvals' }).waitFor();
    await expectWellMade(page);
    await drawer.getByRole('link', { name: 'All topics' }).click();
    await drawer.getByLabel('Search the help').fill('restore backup');
    await drawer.getByRole('region', { name: 'Topics found' }).getByRole('link', { name: 'Operations' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe('#/escalations');
    expect(complaints).toEqual([]);
    await close();
  });

  it('says cause and cure where something failed', async () => {
    const { page, close } = await stage.open('/audit');
    await page.route('**/api/audit-events?**', (route) =>
      route.fulfill({
        status: 503,
        json: { ok: false, error: 'No store', errorCode: 'STORE_UNAVAILABLE', data: null },
      }),
    );
    await page.reload();
    await page.getByRole('link', { name: 'Cause and cure' }).click();
    await page.getByRole('heading', { name: 'STORE_UNAVAILABLE' }).waitFor();
    await close();
  });
});

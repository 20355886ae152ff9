// The log in the dashboard: followed live, narrowed by the URL, paused, sent to an inbox, and given to those who help.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('the log', () => {
  const stage = useStage(() => ({ RIVULET_LOG: 'info' }));
  const lines = (page: Page) => page.getByRole('region', { name: 'Log lines' });
  const unique = (word: string) => `${word}-${crypto.randomUUID().slice(0, 8)}`;
  /** Has a line written that holds a word of its own. */
  const write = (word: string) => fetch(`${stage.server.baseUrl}/api/nowhere/${word}`);

  it.each(screens)('shows lines as they are written, narrowed and paused by the URL, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/logs', screen);
    await page.getByText(/^Live/).waitFor();
    await expectWellMade(page);
    const [first, second] = [unique('brook'), unique('creek')];
    await write(first);
    await lines(page).getByText(first).waitFor();
    await lines(page).getByText(first).click();
    await lines(page).getByRole('button', { name: 'All of this request' }).waitFor();
    await expectWellMade(page);

    await page.getByLabel('Domain').selectOption('Http');
    await page.getByLabel('From level').selectOption('Information');
    await expect.poll(() => page.url()).toMatch(/domain=Http.*level=Information/);
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('creek');
    await expect.poll(() => page.url()).toContain('q=creek');
    await lines(page).getByText(first).waitFor({ state: 'detached' });
    await write(second);
    await lines(page).getByText(second).waitFor();
    // The address says it all: it can be reloaded, and given to others.
    await page.reload();
    await lines(page).getByText(second).waitFor();
    expect(await page.getByLabel('Domain').inputValue()).toBe('Http');
    expect(await lines(page).getByText(first).count()).toBe(0);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: nothing is missed').waitFor();
    const third = unique('creek');
    await write(third);
    const stored = async () => (await stage.api().systemLogs.list({ query: { q: third } })).items.length;
    await expect.poll(stored).toBe(1);
    expect(await lines(page).getByText(third).count()).toBe(0);
    await page.getByRole('button', { name: 'Go on' }).click();
    await lines(page).getByText(third).waitFor();
    expect(await lines(page).getByText(second).count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('is sent to an inbox by subscriptions, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/logs?tab=subscriptions', screen);
    const dialog = page.getByRole('dialog');
    await page.getByText('No log subscriptions yet').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'New log subscription' }).click();
    await dialog.getByLabel('Lines of').selectOption('Webhook');
    await dialog.getByLabel('From level').selectOption('Warning');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Webhook' });
    await row.getByText('Warning').waitFor();
    await row.getByText('Administrator').waitFor();
    await expectWellMade(page);
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('On', { exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Off', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No log subscriptions yet').waitFor();
    expect((await stage.api().logSubscriptions.list()).totalCount).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('is given to those who help as a bundle, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/logs', screen);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Report a problem' }).click();
    await dialog.getByLabel('Subject').fill('The weir is shut');
    await dialog.getByLabel('What happened').fill('No water comes through since noon.');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Send with diagnostics' }).click();
    await page.getByRole('heading', { name: /^SR-\d+ is filed$/ }).waitFor();
    await expectWellMade(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download the diagnostics' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^SR-\d+-diagnostics\.zip$/);
    const bytes = await readFile(await download.path());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect(bytes.includes('log.ndjson')).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });
});

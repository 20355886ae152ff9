// Billing in the dashboard: a plan is made and chosen, an invoice is built, finalized, saved and paid, live and on a phone.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('billing', () => {
  const stage = useStage();
  const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 6)}`;
  let month = 0;
  const phone = { width: 390, height: 844 };

  it.each(screens)('makes plans, chooses them, and bills, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/billing', screen);
    const dialog = page.getByRole('dialog');
    const name = unique('Tides');
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New plan' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Key').fill(name.toLowerCase().replace(' ', '-'));
    await dialog.getByLabel('Price a month, US dollars').fill('31');
    await dialog.getByRole('button', { name: 'Add a quota' }).click();
    await dialog.getByLabel('Meter').selectOption('Memories');
    await dialog.getByLabel('Included').fill('10');
    await dialog.getByLabel('Limit', { exact: true }).fill('20');
    await dialog.getByLabel('Refuse what goes past the limit').check();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('no more than 20').waitFor();
    await row.getByRole('button', { name: 'Choose' }).click();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Choose' }).click();
    await row.getByText('yours').waitFor();
    await page.getByRole('heading', { name, level: 2 }).waitFor();
    await page.getByRole('meter', { name: 'Memories' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the subscription' }).click();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Cancel the subscription' }).click();
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByText('It is renewed when its period ends.').waitFor();

    // Somebody else builds an invoice; the page hears of it.
    const periodStartUtc = new Date(Date.UTC(2020, month++)).toISOString();
    const { id } = await stage.api().billing.createInvoice({ body: { periodStartUtc, notes: name } });
    const invoices = page.getByRole('region', { name: 'Invoices' });
    const draft = invoices.getByRole('row').filter({ hasText: 'Draft' });
    await draft.getByRole('button', { name: 'Finalize' }).click();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Finalize' }).click();
    await draft.waitFor({ state: 'detached' });
    const { number } = await stage.api().billing.invoice({ params: { id } });
    const issued = invoices.getByRole('row').filter({ hasText: number });
    await issued.getByText('Open', { exact: true }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      issued.getByRole('button', { name: 'HTML' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`invoice-${number}.html`);
    expect(readFileSync(await saved.path(), 'utf8')).toContain(name);
    await issued.getByRole('button', { name: 'Mark as paid' }).click();
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await issued.getByText('Paid', { exact: true }).waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('fits a phone', async () => {
    const { page, complaints, close } = await stage.open('/billing', { viewport: phone, hasTouch: true });
    await page.getByRole('heading', { name: 'Invoices', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Plans', exact: true }).waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

// The demo in the dashboard: filled, played and removed.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('the demo', () => {
  const stage = useStage();
  const { api } = stage;

  it('is filled, played and removed', async () => {
    const { page, complaints, close } = await stage.open('/system?tab=demo');
    await page.getByRole('button', { name: 'Fill with a demo' }).click();
    await page.getByText('It is not shown again.').waitFor();
    expect((await api().demo.status()).seeded).toBe(true);
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Remove the demo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    // The demo is there until all of it is removed, whatever the page polls meanwhile.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Fill with a demo' }).waitFor();
    expect((await api().demo.status()).createdCounts).toEqual({});
    await page.getByRole('combobox', { name: 'Scene' }).selectOption('Council');
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('50');
    await page.getByRole('button', { name: 'Play it' }).click();
    await page.getByRole('heading', { name: 'Demo: let a council decide on the day of the release' }).waitFor();
    expect(complaints).toEqual([]);
    await api().demo.reset({ body: { confirm: true } });
    await close();
  });
});

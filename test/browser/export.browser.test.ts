// The page of exports: what is inside, counted, and the download.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('exports', () => {
  const stage = useStage();

  it.each(screens)('count what is inside, and come as a file, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/export', screen);
    await page.getByText('Memories', { exact: true }).waitFor();
    await expectWellMade(page);
    const arrived = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await arrived).suggestedFilename()).toBe('tenant.zip');
    await page.getByRole('status').filter({ hasText: /\d/ }).waitFor();
    await page.getByLabel('Of').selectOption({ index: 1 });
    await page.getByLabel('Format').selectOption('Portable');
    const portable = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await portable).suggestedFilename()).toMatch(/\.portable\.json$/);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

// A run is shared from its page; whoever has the link reads it without signing in, until it is revoked.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('a shared run', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));

  it.each(screens)('is read by anybody until its link is revoked, $colorScheme', async (screen) => {
    const body = { goal: 'Watch the river', modelId: 'scripted:long', maxIterations: 200, autoStart: true };
    const run = await stage.api().agentRuns.create({ body });
    const { page, close } = await stage.open(`/runs/${run.id}`, screen);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByText('Shown once. Copy it now.').waitFor();
    await expectWellMade(page);
    const url = await page.getByText(/#\/shared\/shr_/).textContent();
    const reader = await stage.open('/', { ...screen, key: '' });
    await reader.page.goto(String(url));
    await reader.page.getByRole('heading', { name: 'Watch the river' }).waitFor();
    await reader.page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
    // The page hears of it by itself.
    await stage.api().agentRuns.cancel({ params: { id: run.id } });
    await reader.page.locator('.shared .chip').getByText('Cancelled').waitFor();
    await expectWellMade(reader.page);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It shows nothing any more.').waitFor();
    await reader.page.reload();
    await reader.page.getByText('This link shows nothing any more').waitFor();
    expect(await reader.page.getByText('Watch the river').count()).toBe(0);
    await reader.close();
    await close();
  });
});

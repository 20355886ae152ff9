// What operators do in the dashboard: queues, maintenance, settings.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('operation', () => {
  const stage = useStage();
  const { api } = stage;

  it('pauses a queue and lets it go on', async () => {
    const { page, complaints, close } = await stage.open('/system?tab=queues');
    const row = page.getByRole('row', { name: /site-builds/ });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByRole('button', { name: 'Resume' }).waitFor();
    const paused = async () => (await api().infrastructure.queues()).find(({ name }) => name === 'site-builds')?.paused;
    expect(await paused()).toBe(true);
    await expectWellMade(page);
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await paused()).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  });

  it('runs a task and shows its result', async () => {
    const { page, complaints, close } = await stage.open('/system?tab=maintenance');
    await page.getByRole('combobox', { name: 'Task' }).selectOption('RecountTotals');
    await page.getByRole('button', { name: 'Run it' }).click();
    const row = page.getByRole('row', { name: /Recount/ }).first();
    await row.getByRole('button', { name: 'Show' }).click();
    await page
      .getByRole('dialog')
      .getByText(/corrected/i)
      .waitFor();
    await page.keyboard.press('Escape');
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('overrides a setting and takes it back', async () => {
    const { page, complaints, close } = await stage.open('/system?tab=settings');
    const row = page.getByRole('row', { name: /RIVULET_CALLS_KEPT_DAYS/ });
    await row.getByRole('button', { name: 'Override' }).click();
    await page.getByRole('dialog').getByLabel('Value').fill('200');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await row.getByRole('button', { name: 'Reset' }).waitFor();
    const kept = async () =>
      (await api().system.config({ query: { prefix: 'RIVULET_CALLS' } })).entries.map(({ value }) => value);
    expect(await kept()).toEqual(['200']);
    await expectWellMade(page);
    await row.getByRole('button', { name: 'Reset' }).click();
    await row.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
    expect(await kept()).toEqual(['400']);
    expect(complaints).toEqual([]);
    await close();
  });
});

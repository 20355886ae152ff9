// Routines in the dashboard: stated with a live preview, run, stopped, woken by events, looked at by week and by year, found.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('routines', () => {
  const stage = useStage();
  const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 6)}`;

  it.each(screens)(
    'are stated with a preview, kept while written, changed and deleted, $colorScheme',
    async (screen) => {
      const { page, complaints, close } = await stage.open('/routines', screen);
      const dialog = page.getByRole('dialog');
      const name = unique('Weather');
      await page.getByRole('button', { name: 'New routine' }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('textbox', { name: 'Brief' }).fill('Look at the **weather**.');
      await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
      await dialog.getByLabel('Cron expression').fill('99 * * * *');
      const preview = dialog.getByRole('status', { name: 'Next moments' });
      await preview.getByText(/minute/).waitFor();
      await expectWellMade(page);
      await dialog.getByLabel('Cron expression').fill('30 2 * * *');
      await preview.getByText('Next:').waitFor();
      await preview.getByText(/Europe\/Berlin/).waitFor();
      // What was written outlives a reload.
      await page.reload();
      await page.getByRole('button', { name: 'New routine' }).click();
      expect(await dialog.getByLabel('Cron expression').inputValue()).toBe('30 2 * * *');
      await dialog.getByLabel('Quiet from').fill('22:00');
      await dialog.getByLabel('Quiet to').fill('07:00');
      await dialog.getByLabel('Sat').check();
      await dialog.getByLabel('Runs a day at most').fill('3');
      await dialog.getByLabel('What was missed').selectOption('Skip');
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Keep writing' }).click();
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByRole('region', { name: 'The coming week' }).getByText('02:30').first().waitFor();
      await page.getByText('quiet', { exact: true }).first().waitFor();
      await expectWellMade(page);

      await page.getByRole('button', { name: 'Change' }).click();
      expect(await dialog.getByLabel('Quiet from').inputValue()).toBe('22:00');
      await dialog.getByRole('textbox', { name: 'Brief' }).fill('Look at the sea.');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('tab', { name: 'Brief' }).click();
      const versions = page.getByRole('list', { name: 'Versions of the brief' });
      await versions.getByText('Look at the sea.').waitFor();
      await versions.getByText('Version 1').waitFor();
      await expectWellMade(page);

      await page.getByRole('tab', { name: 'A year ahead' }).click();
      await page.getByRole('img', { name: /365 moments/ }).waitFor();
      await page
        .getByRole('list', { name: 'Changes of the clocks' })
        .getByText(/by 60 minutes/)
        .waitFor();
      await expectWellMade(page);

      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(name);
      await page
        .getByRole('dialog')
        .getByRole('option', { name: new RegExp(name) })
        .waitFor();
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Routines', level: 1 }).waitFor();
      await page.getByRole('link', { name }).waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)('that are due every minute have all days of the week filled, $colorScheme', async (screen) => {
    const { id } = await stage.api().agentRoutines.create({
      body: { name: unique('Pulse'), briefMarkdown: 'Look.', cronExpression: '* * * * *', isEnabled: false },
    });
    const { page, complaints, close } = await stage.open(`/routines/${id}`, screen);
    const week = page.getByRole('region', { name: 'The coming week' });
    // The list of moments ends on the second day.
    await week.getByText('due 1,440 times, 288 runs').first().waitFor();
    expect(await week.getByText('due 1,440 times').count()).toBeGreaterThan(3);
    expect(await week.getByText('nothing', { exact: true }).count()).toBe(0);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('that are due every two seconds say how far the week was counted', async () => {
    const { id } = await stage.api().agentRoutines.create({
      body: { name: unique('Flutter'), briefMarkdown: 'Look.', cronExpression: '*/2 * * * * *', isEnabled: false },
    });
    const { page, complaints, close } = await stage.open(`/routines/${id}`, screens[0]);
    const week = page.getByRole('region', { name: 'The coming week' });
    await week.getByText('It is due too often to count the whole week: counted until').waitFor();
    expect(await week.getByText('not counted').count()).toBeGreaterThan(5);
    expect(await week.getByText('nothing', { exact: true }).count()).toBe(0);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)(
    'are run, stopped with their runs, and let go on, with a ledger of it, $colorScheme',
    async (screen) => {
      const api = stage.api();
      const { id, name } = await api.agentRoutines.create({
        body: { name: unique('Tides'), briefMarkdown: 'Say the tides.', intervalMinutes: 90 },
      });
      const { page, complaints, close } = await stage.open('/routines', screen);
      const dialog = page.getByRole('dialog');
      await page.getByLabel('Search routines').fill(name);
      const row = page.getByRole('row').filter({ hasText: name });
      await row.getByText('every 90 minutes').waitFor();
      await row.getByText('Enabled').waitFor();
      await expectWellMade(page);
      await row.getByRole('link', { name }).click();
      await page.getByRole('button', { name: 'Run now' }).click();
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Run', exact: true }).click();
      const ledger = page.getByRole('region', { name: 'The past week' });
      await ledger
        .getByRole('row')
        .filter({ hasText: 'Manual' })
        .getByText(/Succeeded|No change/)
        .waitFor();
      await ledger.getByRole('link', { name: /^Run \d+/ }).waitFor();
      await expectWellMade(page);
      await ledger.getByLabel('Outcome').selectOption('Missed');
      await ledger.getByText('Nothing came to that.').waitFor();
      await ledger.getByLabel('Outcome').selectOption('');

      await page.getByRole('button', { name: 'Disable' }).click();
      await dialog.getByLabel('Why').fill('The sea is calm.');
      await dialog.getByLabel('Cancel its runs that are under way').check();
      await dialog.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('The sea is calm.').waitFor();
      expect(await api.agentRoutines.get({ params: { id } })).toMatchObject({ isEnabled: false });
      await expectWellMade(page);
      await page.getByRole('button', { name: 'Enable' }).click();
      await dialog.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Disable' }).waitFor();

      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByText('No event wakes it').waitFor();
      await page.getByRole('button', { name: 'Wake it on an event' }).click();
      await dialog.getByLabel('Pattern of events').fill('task.*');
      await dialog.getByLabel('Filter, as JSON').fill('{"title":{"contains":"tide"}}');
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('row').filter({ hasText: 'task.*' }).getByText('60 seconds').waitFor();
      await expectWellMade(page);
      await page.getByRole('button', { name: 'Take “task.*” away' }).click();
      await page.getByText('No event wakes it').waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );
});

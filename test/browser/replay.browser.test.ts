// A run's life, replayed: the whole page shows a moment, and a link leads to it.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('the replay of a run', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));

  for (const screen of screens)
    it(`shows each moment, ${screen.colorScheme} at ${screen.viewport.width}`, async () => {
      const body = { goal: 'Write it down', modelId: 'scripted:replayed', autoStart: true };
      const run = await stage.api().agentRuns.create({ body });
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
      await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
      const status = (name: string) => page.locator('.run-head .chip').getByText(name, { exact: true }).waitFor();
      const figures = () => page.locator('.run-figures').innerText();
      await status('Completed');
      const present = await figures();

      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      const bar = page.getByTestId('replay');
      await bar.waitFor();
      // The playhead of a finished replay rests at the end, where all is as in the present.
      await page.getByRole('slider', { name: 'Moment of the run' }).press('End');
      await status('Completed');
      // Event times are whole milliseconds of the wall clock: the time at work may differ by a few.
      const [shown, meant] = [await figures(), present].map((text) => text.replace(/Time\n.*/, ''));
      expect(shown).toBe(meant);
      await page.getByRole('slider', { name: 'Moment of the run' }).press('Home');
      await status('Queued');
      expect(await figures()).not.toBe(present);
      await page.getByText(/event [1-4] of \d+/).waitFor();
      // Step by step, until the first words have been said.
      const timeline = page.getByTestId('timeline');
      await expect
        .poll(async () => {
          await bar.getByRole('button', { name: 'On to the next event' }).click();
          return timeline.getByText('A first line.').count();
        })
        .toBeGreaterThan(0);
      expect(await timeline.getByText('A second line.').count()).toBe(0);
      await status('Running');
      await expectWellMade(page);
      await expect.poll(() => page.url()).toMatch(/moment=\d+/);
      const place = await bar.getByText(/event \d+ of \d+/).innerText();

      // The address is a link to the moment.
      await expect.poll(async () => new URL(page.url()).hash).toContain('moment=');
      await page.reload();
      await page.getByText(place).waitFor();
      await status('Running');
      await page.getByRole('button', { name: 'Leave replay' }).click();
      await status('Completed');
      await timeline.getByText('A second line.').first().waitFor();
      expect(complaints).toEqual([]);
      await close();
    });
});

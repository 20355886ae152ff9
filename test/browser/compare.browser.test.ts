// Two runs beside each other: where they part, how they came out, how their files differ; from the list and from a fork.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('comparing runs', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));

  const ended = async (scenario: string) => {
    const body = { goal: `Greet by ${scenario}`, modelId: `scripted:${scenario}`, autoStart: true };
    const { id } = await stage.api().agentRuns.create({ body });
    const run = await stage.api().agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } });
    expect(run.status).toBe('Completed');
    return id;
  };

  for (const screen of screens)
    it(`shows where two runs part, ${screen.colorScheme} at ${screen.viewport.width}`, async () => {
      const [left, right] = [await ended('change'), await ended('changed-otherwise')];
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
      await page.goto(`${stage.server.baseUrl}/#/runs`);
      await page.getByRole('checkbox', { name: `Select run #${left}` }).check();
      const compare = page.getByRole('button', { name: 'Compare' });
      expect(await compare.isDisabled()).toBe(true);
      await page.getByRole('checkbox', { name: `Select run #${right}` }).check();
      await compare.click();

      // The list is newest first, so the later run stands left.
      await page.getByTestId('parting').waitFor();
      expect(page.url()).toContain(`/runs/compare?a=${right}&b=${left}`);
      expect(await page.getByTestId('parting').innerText()).toBe('At step 3: the same tool is called otherwise.');
      await page.getByRole('button', { name: '2 steps are the same' }).first().click();
      await page.getByText('I write the greeting.').waitFor();
      const [first] = await page.getByTestId('compare-pair').all();
      expect(await first?.innerText()).toMatch(/is warm[\s\S]*is written/);
      const figures = page.locator('.compare-figures');
      await figures.getByText('A warm greeting.').waitFor();
      await figures.getByText('A greeting and a report.').waitFor();

      const files = page.getByTestId('compare-files');
      await files.getByText('Both runs have it with the same text.').waitFor();
      await files.getByText(`Run #${left} does not have it.`).waitFor();
      const report = files.getByLabel('report.md');
      expect(await report.locator('[data-kind=removed]').innerText()).toContain('The greeting is warm.');
      expect(await report.locator('[data-kind=added]').innerText()).toContain('The greeting is written.');
      await expectWellMade(page);
      if (process.env.RIVULET_PICTURES)
        await page.screenshot({ path: `${process.env.RIVULET_PICTURES}/compare-${screen.colorScheme}.png` });
      // One run does not have the file, which the browser notes.
      expect(complaints.filter((text) => !text.includes('path=extra.md'))).toEqual([]);
      await close();
    });

  it('counts what a fork has taken over as its own, and asks for a second run where none is named', async () => {
    const source = await ended('change');
    const fork = await stage.api().agentRuns.fork({ params: { id: source }, body: {} });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/runs/${fork.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Compare' }).click();
    await page.getByText(`Run #${fork.id} was forked from run #${source}`).waitFor();
    expect(await page.getByTestId('parting').innerText()).toBe('They do not: all 5 steps are the same.');

    await page.goto(`${stage.server.baseUrl}/#/runs/compare?a=${source}&b=x`);
    await page.getByText('Two runs are needed').waitFor();
    await expectWellMade(page);
    await page.getByLabel('Second run').fill(String(fork.id + 1000));
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await close();
  });
});

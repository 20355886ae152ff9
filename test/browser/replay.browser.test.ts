// A run's life, replayed: the whole page shows a moment, and a link leads to it.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, drawn, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

const picture = async (page: Page, name: string) => {
  const folder = process.env.RIVULET_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};

/** Goes on to the next event, or back to the one before; answers at which it is, once the page has drawn that moment. */
async function step(page: Page, button: 'On to the next event' | 'Back to the event before'): Promise<number> {
  const place = async () => Number(/event (\d+) of/.exec(await page.locator('.replay-place').innerText())?.[1]);
  const before = await place();
  await page.getByRole('button', { name: button }).click();
  // The bar says so at once; what happened is drawn in the frames that follow.
  await expect.poll(async () => Math.sign((await place()) - before)).toBe(button === 'On to the next event' ? 1 : -1);
  await drawn(page);
  return place();
}

describe.skipIf(chromiumPath === null)('the replay of a run', () => {
  const stage = useStage(() => ({
    RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios'),
    RIVULET_SANDBOX: 'auto',
  }));

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
      // Step by step, until the first words have been said: they are there from their event on, and no others.
      const timeline = page.getByTestId('timeline');
      const said = () =>
        Promise.all(['A first line.', 'A second line.'].map((line) => timeline.getByText(line).count()));
      const events = await stage.api().agentRuns.events({ params: { runId: run.id }, query: { limit: 1000 } });
      const first = events.find(({ message }) => message === 'A first line.')?.seq ?? 0;
      expect(await said()).toEqual([0, 0]);
      for (let isSaid = false; !isSaid; ) {
        isSaid = (await step(page, 'On to the next event')) >= first;
        await expect.poll(said).toEqual([isSaid ? 1 : 0, 0]);
      }
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

  it('shows the files that commands changed, and which command it was; so does the comparison', async ({ skip }) => {
    const { checks } = await stage.api().system.ready();
    skip(checks.find(({ name }) => name === 'sandbox')?.state !== 'Healthy', 'no sandbox driver works on this machine');
    const made = async (modelId: string) => {
      const { id } = await stage.api().agentRuns.create({ body: { goal: 'Change files', modelId, autoStart: true } });
      const { status } = await stage.api().agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } });
      expect(status).toBe('Completed');
      return id;
    };
    const id = await made('scripted:commanded');
    const [other, parent] = [await made('scripted:replayed'), await made('scripted:merging')];
    // What the pages below show is in the events: the child's command has made the file, and the parent has it by a merge.
    const [child] = (await stage.api().agentRuns.children({ params: { id: parent }, query: {} })).items;
    const changes = async (runId = 0) => {
      const query = { types: ['FileChanged' as const], limit: 1000 };
      return (await stage.api().agentRuns.events({ params: { runId }, query })).map(({ payloadJson }) => payloadJson);
    };
    expect(await changes(child?.id)).toContainEqual(expect.stringContaining('dist/built.ts'));
    expect(await changes(parent)).toContainEqual(expect.stringContaining(`"fromRunId":${child?.id}`));
    for (const { viewport, colorScheme } of screens) {
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, viewport, colorScheme });
      await page.goto(`${stage.server.baseUrl}/#/runs/${id}`);
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('tab', { name: 'Files' }).click();
      const files = page.locator('.files');
      const names = files.locator('.file-item');
      const built = files.getByRole('button', { name: 'dist/built.ts', exact: true });
      /** The end of what has been read, and the files there: events may still come. */
      const atTheEnd = async () => {
        await page.getByRole('slider', { name: 'Moment of the run' }).press('End');
        return [await page.locator('.replay-place').innerText(), ...(await names.allInnerTexts())];
      };
      await expect.poll(atTheEnd).toContain('dist/built.ts');
      await built.click();
      await files.locator('pre').getByText('export const built').waitFor();
      await files.getByText('Changed by').waitFor();
      await files.getByRole('button', { name: /^sed -i/ }).waitFor();
      await expectWellMade(page);
      await picture(page, `replayed-file-${colorScheme}`);
      await files.getByRole('button', { name: 'dist/blob', exact: true }).click();
      await files.getByText('SHA-256').waitFor();
      await picture(page, `replayed-blob-${colorScheme}`);
      // Before the command only the note was there, as file_write wrote it.
      await files.getByRole('button', { name: 'note.md', exact: true }).click();
      await files.locator('pre').getByText('Changed.').waitFor();
      while ((await names.count()) > 1) await step(page, 'Back to the event before');
      expect(await names.allInnerTexts()).toEqual(['note.md']);
      await files.locator('pre').getByText('Written.').waitFor();
      // What a child has made is its parent's once it is merged, and leads to the child.
      await page.goto(`${stage.server.baseUrl}/#/runs/${parent}`);
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('tab', { name: 'Files' }).click();
      await expect.poll(atTheEnd).toContain('dist/built.ts');
      await built.click();
      await files.getByText(/^sed -i/).waitFor();
      await picture(page, `replayed-merge-${colorScheme}`);
      await expectWellMade(page);
      await files.getByRole('link', { name: /^Run #/ }).click();
      await page.waitForURL(/\/runs\/(?!compare)\d+\?at=\d+$/);
      await page.goto(`${stage.server.baseUrl}/#/runs/compare?a=${id}&b=${other}`);
      const compared = page.getByTestId('compare-files');
      await compared.getByLabel('note.md').locator('[data-kind=removed]').getByText('Changed.').waitFor();
      await compared.getByLabel('dist/built.ts').getByText('export const built').waitFor();
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
      await close();
    }
  });
});

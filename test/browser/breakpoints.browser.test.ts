// Breakpoints on the page of a run: set, waited at, decided with edited arguments, removed.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('breakpoints', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));

  for (const screen of screens)
    it(`are set on a run and decided where it waits, ${screen.colorScheme} at ${screen.viewport.width}`, async () => {
      const { agentRuns } = stage.api();
      const { id } = await agentRuns.create({ body: { goal: 'Greet the river', modelId: 'scripted:change' } });
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
      await page.goto(`${stage.server.baseUrl}/#/runs/${id}`);
      const overview = async () => {
        if (screen.viewport.width < 1000) await page.getByRole('tab', { name: 'Overview' }).click();
      };
      await page.getByRole('button', { name: 'Start' }).first().waitFor();
      await overview();
      const section = page.getByRole('region', { name: 'Breakpoints' });
      await section.getByRole('button', { name: 'Add a breakpoint' }).click();
      await section.getByLabel('Name').fill('file_*');
      await section.getByLabel('In every run of the tree').check();
      await expectWellMade(page);
      const picture = (name: string) => ({ path: `${process.env.RIVULET_PICTURES}/${name}-${screen.colorScheme}.png` });
      if (process.env.RIVULET_PICTURES) await page.screenshot(picture('break-form'));
      await section.getByRole('button', { name: 'Set the breakpoint' }).click();
      await section.getByText('whole tree').waitFor();

      await page.getByRole('button', { name: 'Start' }).first().click();
      const gates = page.locator('.gate-bar');
      await gates
        .getByText(/Breakpoint before tool file_\*, set by/)
        .nth(1)
        .waitFor();
      const first = gates.filter({ hasText: 'greeting.ts' });
      await first.getByRole('button', { name: 'Details' }).click();
      await first.getByLabel('Arguments (editable)').fill('{"path":"edited.md","content":"By hand."}');
      await expectWellMade(page);
      if (process.env.RIVULET_PICTURES) await page.screenshot(picture('break-wait'));
      await page.getByRole('button', { name: 'Continue with the edit' }).click();
      await page.getByRole('button', { name: 'Send now' }).click();
      await gates.nth(1).waitFor({ state: 'detached' });
      await gates.getByRole('button', { name: 'Skip the call' }).click();
      await page.getByRole('button', { name: 'Send now' }).click();
      await page.locator('.run-head .chip').getByText('Completed').waitFor();
      const written = await agentRuns.events({ params: { runId: id }, query: { types: ['ToolCallCompleted'] } });
      expect(written.map(({ message }) => message).join()).toMatch(
        /A person skipped this call.*edited\.md|edited\.md.*A person skipped this call/,
      );

      await overview();
      // It has ended: what is set can go, and nothing more is set.
      expect(await section.getByRole('button', { name: 'Add a breakpoint' }).count()).toBe(0);
      await section.getByRole('button', { name: 'Remove the breakpoint file_*' }).click();
      await section.waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await close();
    });

  it.each(screens)('are set for a new run, which waits there, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/runs', screen);
    await page.getByRole('button', { name: 'New run' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Goal', { exact: true }).fill('Greet the river');
    await dialog.getByLabel('Model', { exact: true }).fill('scripted:change');
    await dialog.getByText('Breakpoints', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add a breakpoint' }).click();
    const start = dialog.getByRole('button', { name: 'Start', exact: true });
    expect(await start.isDisabled()).toBe(true);
    await dialog.getByLabel('Name', { exact: true }).fill('file_*');
    await dialog.getByRole('button', { name: 'Add a breakpoint' }).click();
    const second = dialog.getByRole('group', { name: 'Breakpoint 2' });
    await second.getByLabel('Stop before').selectOption('Role');
    await second.getByLabel('Name', { exact: true }).fill('tester');
    await second.getByLabel('In every run of the tree').check();
    await expectWellMade(page);
    if (process.env.RIVULET_PICTURES)
      await page.screenshot({ path: `${process.env.RIVULET_PICTURES}/break-new-${screen.colorScheme}.png` });
    await start.click();
    await page.waitForURL(/#\/runs\/\d+/);
    const gate = page.locator('.gate-bar').getByText(/Breakpoint before tool file_\*, set by/);
    await gate.first().waitFor();
    const id = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
    expect((await stage.api().agentRuns.get({ params: { id } })).status).toBe('WaitingForDecision');
    const set = await stage.api().agentBreakpoints.list({ params: { runId: id } });
    expect(set.map(({ before, name, forTree }) => [before, name, forTree])).toEqual([
      ['Tool', 'file_*', false],
      ['Role', 'tester', true],
    ]);
    expect(complaints).toEqual([]);
    await close();
  });
});

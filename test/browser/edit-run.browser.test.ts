// A step of a run is edited and run again: the editor, the new run, and the comparison say what was changed.
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectUncovered, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('edit and run again', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));

  for (const screen of screens)
    it(`goes on from a step with an edited state, ${screen.colorScheme} at ${screen.viewport.width}`, async () => {
      const { agentRuns } = stage.api();
      const body = { goal: 'Greet the river', modelId: 'scripted:change', autoStart: true };
      const { id } = await agentRuns.create({ body });
      await agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } });
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
      await page.goto(`${stage.server.baseUrl}/#/runs/${id}`);
      await page.getByTestId('timeline').getByRole('button', { name: 'Turn 1' }).click();
      await page.getByLabel('Selected step').getByRole('button', { name: 'Edit and run again' }).click();

      const dialog = page.getByRole('dialog', { name: /after turn 1/ });
      await dialog.getByLabel('Turn 1: answer').fill('I wrote to the sea.');
      await dialog.getByLabel('Turn 1: result of file_write').last().fill('The disk is full.');
      const asked = dialog.getByLabel('Arguments of file_write').first();
      expect(await asked.inputValue()).toContain('Hello, river');
      await asked.fill('{"path":"src/greeting.ts","content":"Hello, sea"}');
      await dialog.getByLabel('Instruction before the next step').fill('Mind the disk.');
      await expectWellMade(page);
      const picture = (name: string) => ({ path: `${process.env.RIVULET_PICTURES}/${name}-${screen.colorScheme}.png` });
      if (process.env.RIVULET_PICTURES) await page.screenshot(picture('edit-run'));
      await dialog.getByRole('button', { name: 'Leave out from here on' }).click();
      await dialog.getByText('Left out: 3 messages').waitFor();
      await dialog.getByRole('button', { name: 'Keep them' }).click();
      await dialog.getByLabel('Goal').fill('Greet the sea');
      // A refusal takes the place of the one before, and lies over nothing that can be pressed.
      const refusals = page.locator('.toast[data-tone]');
      const body409 = { ok: false, data: null, errorCode: 'CONFLICT', count: null, unreadMessages: null };
      const hint = 'The run was changed meanwhile by somebody else; look at it again, and then decide what to do.';
      for (const n of [1, 2]) {
        const refusal = { ...body409, requestId: `r${n}`, error: `Refused ${n}`, hint };
        const answer = { status: 409, contentType: 'application/json', body: JSON.stringify(refusal) };
        await page.route('**/fork', (route) => route.fulfill(answer), { times: 1 });
        await dialog.getByRole('button', { name: 'Run again from here' }).press('Enter');
        await refusals.getByText(`Refused ${n}`).waitFor();
        await expectUncovered(dialog.locator('.dialog-foot button'));
        expect(await refusals.count()).toBe(1);
      }
      await expectWellMade(page);
      if (process.env.RIVULET_PICTURES) await page.screenshot(picture('edit-refused'));
      await dialog.getByRole('button', { name: 'Run again from here' }).click();

      await page.getByRole('heading', { name: 'Greet the sea' }).first().waitFor();
      const fork = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
      const state = await agentRuns.state({ params: { id: fork }, query: { turn: 0 } });
      expect(state.goal).toBe('Greet the sea');
      expect(state.messages.map(({ text }) => text)).toEqual([
        'I wrote to the sea.',
        expect.stringContaining('src/greeting.ts'),
        'The disk is full.',
      ]);
      expect(state.messages[0]?.toolCalls[0]?.argumentsJson).toContain('Hello, sea');
      await page.goto(`${stage.server.baseUrl}/#/runs/compare?a=${id}&b=${fork}`);
      await page.getByText(/State edited by .+: 4 changes/).click();
      await page.getByText('The disk is full.').first().waitFor();
      await expectWellMade(page);
      if (process.env.RIVULET_PICTURES) await page.screenshot(picture('edit-compare'));
      await page.goto(`${stage.server.baseUrl}/#/runs/${fork}`);
      if (screen.viewport.width < 1000) await page.getByRole('tab', { name: 'Overview' }).click();
      await page.getByText(/State edited by .+: 4 changes/).click();
      if (process.env.RIVULET_PICTURES) await page.screenshot(picture('edit-origin'));
      expect(complaints.filter((text) => !text.includes('404') && !text.includes('409'))).toEqual([]);
      await close();
    });
});

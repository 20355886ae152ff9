// Evaluation in the dashboard: a dataset is written and collected, an experiment planned, run, scored and put to use.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('evaluation', () => {
  const stage = useStage();

  it.each(screens)('goes from inputs to a comparison, $colorScheme', async (screen) => {
    const api = stage.api();
    const run = await api.agentRuns.create({
      body: { goal: 'Say old words', modelId: 'scripted:echo', autoStart: true },
    });
    await api.agentRuns.wait({ params: { id: run.id } });
    const name = `Greetings ${crypto.randomUUID().slice(0, 6)}`;
    const { page, complaints, close } = await stage.open('/evaluation?tab=datasets', screen);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New dataset' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Input 1', { exact: true }).fill('Say hello');
    await dialog.getByLabel('Expected answer 1', { exact: true }).fill('hello');
    await dialog.getByRole('button', { name: 'Add an input' }).click();
    await dialog.getByLabel('Input 2', { exact: true }).fill('Say what nobody says');
    await dialog.getByLabel('Expected answer 2', { exact: true }).fill('zxqj');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByRole('button', { name: 'Collect' }).click();
    await dialog.getByRole('checkbox', { name: 'Say old words' }).first().check();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByText('The dataset has 3 inputs now').waitFor();

    await page.getByRole('tab', { name: 'Experiments' }).click();
    await page.getByRole('button', { name: 'New experiment' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(`Trial of ${name}`);
    await dialog.getByLabel('Dataset', { exact: true }).selectOption({ label: `${name} (3)` });
    await dialog.getByLabel('Model of candidate 1', { exact: true }).fill('scripted:echo');
    await dialog.getByRole('button', { name: 'Add a candidate' }).click();
    await dialog.getByLabel('Model of candidate 2', { exact: true }).fill('scripted:hello');
    await dialog.getByLabel('A person scores').check();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Plan' }).click();
    await page.getByRole('heading', { name: `Trial of ${name}` }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText('3 / 3').first().waitFor();
    await expectWellMade(page);
    const scored = page.getByRole('listitem').filter({ hasText: 'Say hello' }).first();
    await scored.getByRole('button', { name: 'Right' }).click();
    await scored.getByText('person 100%').waitFor();
    await results.getByText('100%').first().waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Evaluation' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

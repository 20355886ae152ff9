// The pages of the mirror: reflections, pairs judged by keys, datasets, training runs, the lineage of checkpoints, drift.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';
import { trainable } from '../support/mirror-samples.ts';

describe.skipIf(chromiumPath === null)('the mirror', () => {
  const stage = useStage();

  it.each(screens)('leads from a reflection to a model in use, $colorScheme', async (screen) => {
    const api = stage.api();
    const { identityId } = await trainable({ client: api }, crypto.randomUUID().slice(0, 8));
    const params = { identityId };
    const { page, complaints, close } = await stage.open(`/mirror?identity=${identityId}`, screen);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New reflection' }).click();
    await dialog.getByLabel('What pulled').fill('The visitor wants to hear that the tower leans.');
    await dialog.getByLabel('What is honest').fill('It stands straight.');
    await dialog.getByLabel('What would have pleased').fill('It leans a lot.');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /the tower leans/ }).click();
    await dialog.getByText('It leans a lot.').waitFor();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Learn from it' }).click();

    const pair = page.getByRole('article');
    await pair.getByText('It stands straight.').waitFor();
    await expectWellMade(page);
    await page.keyboard.press('a');
    await page.getByText('No such training pairs').waitFor();
    await page.getByRole('button', { name: 'Approved' }).click();
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('j');
    await page.getByText('2 of 3').waitFor();
    await page.keyboard.press('j');
    await page.getByText('3 of 3').waitFor();
    await pair.getByText('It stands straight.').waitFor();

    await page.getByRole('tab', { name: 'Datasets' }).click();
    await page.getByRole('button', { name: 'Fill' }).click();
    await page.getByRole('row').filter({ hasText: 'Candour' }).getByText('3', { exact: true }).waitFor();
    await expectWellMade(page);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'DPO' }).click();
    expect((await downloading).suggestedFilename()).toBe('Candour-1.0.1-dpo.jsonl');
    await page.getByRole('button', { name: 'Train' }).click();
    await dialog.getByLabel('Base model').fill('small-one');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Start' }).click();

    const run = page.getByRole('row').filter({ hasText: 'small-one' });
    await run.getByText('Queued').waitFor();
    const [{ id = 0 } = {}] = (await api.trainingRuns.list({ params })).items;
    const move = (status: 'Running' | 'Evaluating' | 'AwaitingApproval', more: object = {}) =>
      api.trainingRuns.setStatus({ params: { id }, body: { status, ...more } });
    await move('Running');
    await run.getByText('Running').waitFor();
    await move('Evaluating');
    await move('AwaitingApproval', { adapterOutputPath: '/weights/one', evaluationMetricsJson: '{"loss": 0.25}' });
    await run.getByText('loss 0.25').waitFor();
    await expectWellMade(page);
    await run.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await run.getByText('Approved').waitFor();

    const [first] = (await api.checkpoints.list({ params })).items;
    const next = {
      modelName: 'small-two',
      version: '2',
      parentCheckpointId: first?.id ?? 0,
      status: 'Active' as const,
    };
    await api.checkpoints.create({ params, body: next });
    await page.getByRole('tab', { name: 'Checkpoints' }).click();
    const lineage = page.getByRole('list', { name: 'Lineage' });
    await lineage.getByText('small-two').waitFor();
    await expectWellMade(page);

    await page.getByRole('tab', { name: 'Drift' }).click();
    await page.getByRole('img', { name: 'Share of pulls that were resisted, by soul' }).waitFor();
    await page.getByText('Resisted 100').waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

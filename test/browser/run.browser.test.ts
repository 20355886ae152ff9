// What people do with a run at work: steer it, pause and resume its tree, note, fork, rate, cancel.
import { resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  chromiumPath,
  expectAccessible,
  expectUncovered,
  expectWellMade,
  screens,
  useStage,
  visit,
} from '../support/browser.ts';
import { startFakeServer } from '../support/openai-server.ts';

describe.skipIf(chromiumPath === null)('a run at work', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const { api } = stage;
  /** A run with a child, both at work until somebody ends them. */
  const watch = async () => {
    const body = { goal: 'Watch the river', modelId: 'scripted:long', maxIterations: 200, autoStart: true };
    const run = await api().agentRuns.create({ body });
    const visited = await visit(stage.browser, { key: stage.server.key });
    await visited.page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
    await visited.page.getByLabel('Tree of runs').getByText('2 runs').waitFor();
    return { ...visited, run };
  };
  const status = (page: Page, name: string | RegExp) => page.locator('.run-head .chip').getByText(name).waitFor();
  const more = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };

  it('is steered, paused with its tree, resumed with guidance, and cancelled with its tree', async () => {
    const { page, complaints, close } = await watch();
    const timeline = page.getByTestId('timeline');
    await page.getByLabel('Message to the run').fill('Look at the bridge');
    await page.keyboard.press('Enter');
    await timeline
      .getByText(/I was told: .*Look at the bridge/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^It reached 2 runs/).waitFor();
    await status(page, 'Paused');
    await expectAccessible(page);
    await page.getByLabel('Message to the run').fill('Now at the mill');
    await page.getByRole('button', { name: 'Resume' }).last().click();
    await timeline
      .getByText(/I was told: .*Now at the mill/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText(/This reaches 2 runs/).waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await status(page, 'Cancelled');
    await page.getByLabel('Tree of runs').getByText('Cancelled').nth(1).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('takes notes, tasks and checkpoints, is rated, and is forked', async () => {
    const { page, run, complaints, close } = await watch();
    await page.getByRole('tab', { name: 'Notes and tasks' }).click();
    await page.getByLabel('New note').fill('The water is high');
    await page.keyboard.press('Enter');
    await page.getByText('The water is high').waitFor();
    await page.getByLabel('New task').fill('Measure the water');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Measure the water' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Measure the water' }).getByText('Done').waitFor();
    await expectAccessible(page);

    await more(page, 'Give feedback');
    await page.getByRole('button', { name: 'Good', exact: true }).click();
    await page.getByLabel('Notes', { exact: true }).fill('Patient.');
    await page.getByRole('button', { name: 'Send' }).last().click();
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('Patient.').waitFor();

    await more(page, 'Export');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Markdown' }).click();
    expect((await download).suggestedFilename()).toBe(`run-${run.id}.md`);
    await page.getByRole('button', { name: 'Copy as Python' }).click();
    await page.getByRole('dialog').getByText('"goal": "Watch the river"').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    await more(page, 'Take a checkpoint');
    await page.getByText('Checkpoint taken').waitFor();
    await page.getByRole('tab', { name: /^Checkpoints/ }).click();
    await page.getByRole('button', { name: 'Fork', exact: true }).first().click();
    await page.getByLabel('Goal', { exact: true }).fill('Watch the sea');
    await page.getByRole('button', { name: 'Fork and start' }).click();
    await page.getByRole('heading', { name: 'Watch the sea' }).waitFor();
    const forked = Number(new URL(page.url()).hash.split('/').at(-1)?.split('?')[0]);
    expect(forked).toBeGreaterThan(run.id);
    for (const id of [run.id, forked]) await api().agentRuns.cancel({ params: { id }, body: { cascade: true } });
    await status(page, 'Cancelled');
    expect(complaints).toEqual([]);
    await close();
  });

  it('is drawn as a river that the keys can move, with a table of the same', async () => {
    const { page, run, complaints, close } = await watch();
    await page.getByRole('button', { name: 'Follow now' }).click();
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('cell', { name: /Watch the other bank/ }).waitFor();
    await page
      .getByLabel('Tree of runs')
      .getByRole('link', { name: /Watch the other bank/ })
      .click();
    await page.getByRole('heading', { name: 'Watch the other bank' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await api().agentRuns.cancel({ params: { id: run.id }, body: { cascade: true } });
    expect(complaints).toEqual([]);
    await close();
  });

  it('is one workspace: with a decision open all of it is in sight, and a step is read beside the others', async () => {
    const run = await api().agentRuns.create({
      body: { goal: 'Find the way', modelId: 'scripted:ask', autoStart: true },
    });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
    await page.locator('.gate-bar').getByRole('button', { name: 'Left' }).waitFor();
    const timeline = page.getByTestId('timeline');
    await timeline.getByText('I stand at a fork.').waitFor();
    const box = await timeline.boundingBox();
    expect(box?.y).toBeLessThan(560);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    expect(box?.height).toBeGreaterThan(240);
    expect(await page.title()).toMatch(/Find the way · #\d+ · Rivulet$/);

    await timeline.getByRole('button', { name: 'Turn 1' }).click();
    const step = page.getByLabel('Selected step');
    await step.getByText('Prompt: new since the last turn').waitFor();
    await step.getByText('I stand at a fork.').waitFor();
    await step.getByText('Latency').waitFor();
    await expectAccessible(page);
    await step.getByRole('button', { name: 'run_escalate' }).click();
    await step.getByText('Which way?').first().waitFor();
    await step.getByRole('button', { name: 'Raw JSON' }).click();
    await step.getByText('"toolCallId"').waitFor();
    await page.keyboard.press('Escape');
    await step.waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe(`#/runs/${run.id}`);

    // A plan is a list to read, as a call and among the details.
    const line = (place: Page | Locator) =>
      place.getByRole('listitem').filter({ hasText: 'Look around · Status: Doing' });
    await timeline.getByRole('button', { name: 'run_plan' }).click();
    await line(step).waitFor();
    expect(await step.getByText('"title"').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Details' }).click();
    await line(page).waitFor();
    expect(await page.getByText('"title"').count()).toBe(0);
    await api().agentRuns.cancel({ params: { id: run.id } });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('has its events searched, with hits that keys and links lead to: $colorScheme', async (screen) => {
    const body = { goal: 'Watch and be searched', modelId: 'scripted:long', maxIterations: 3, autoStart: true };
    const run = await api().agentRuns.create({ body });
    const opened = await stage.open(`/runs/${run.id}`, screen);
    const { page, complaints, close } = opened;
    await page.getByRole('region', { name: 'Budget exhausted' }).waitFor();
    const timeline = page.getByTestId('timeline');
    await timeline.getByText('Turn 3', { exact: true }).waitFor();
    await page.keyboard.press('f');
    const words = page.getByRole('searchbox', { name: 'Search in events' });
    await words.fill('turn progress');
    const bar = page.getByRole('region', { name: 'Search in events' });
    await bar.locator('mark').getByText('turn').first().waitFor();
    await page.getByLabel('Type of event').selectOption('ToolCallStarted');
    await page.getByLabel('Runs to search in').selectOption(String(run.id));
    await bar.getByText(/^2 hits/).waitFor();
    expect(await bar.locator('.event-hit').first().innerText()).toContain('summary: Watching, turn 1');
    await words.press('Enter');
    await words.press('Escape');
    await bar.getByText('Hit 1 of 2', { exact: false }).waitFor();
    for (const [key, hit, turn] of [
      ['n', 2, 2],
      ['p', 1, 1],
    ] as const) {
      await page.keyboard.press(key);
      await bar.getByText(`Hit ${hit} of 2`, { exact: false }).waitFor();
      await page.getByLabel('Selected step').getByText(`Watching, turn ${turn}`).waitFor();
      await expectUncovered(bar.locator('input, select, button:not(:disabled)'));
      await expectUncovered(page.getByLabel('Selected step').locator('.step-head button:not(:disabled)'));
    }
    if (process.env.RIVULET_PICTURES)
      await page.screenshot({ path: `${process.env.RIVULET_PICTURES}/find-step-${screen.colorScheme}.png` });
    await expectWellMade(page);
    const link = page.url();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });

    // The link of a hit: its step is open, and its words are marked there.
    await page.goto(link);
    await page.reload();
    await page.getByLabel('Selected step').getByText('Watching, turn 1').waitFor();
    const marked = () => page.evaluate<number>(`CSS.highlights.get('found')?.size ?? 0`);
    await expect.poll(marked).toBeGreaterThan(1);
    await words.fill('"half');
    await bar.getByRole('alert').getByText('a quotation mark without a second one').waitFor();
    await api().agentRuns.cancel({ params: { id: run.id }, body: { cascade: true } });
    // What is refused is the one complaint.
    expect(complaints.filter((one) => !one.includes('400 (Bad Request)'))).toEqual([]);
    await close();
  });

  it('says which budget is spent, takes a top-up, and goes on', async () => {
    const body = { goal: 'Watch for long', modelId: 'scripted:long', maxIterations: 2, autoStart: true };
    const run = await api().agentRuns.create({ body });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
    const bar = page.getByRole('region', { name: 'Budget exhausted' });
    await bar.getByText('This run has used its turns').waitFor();
    await bar.getByText(/^2 of 2 used/).waitFor();
    expect(await page.locator('.run-actions').getByRole('button', { name: 'Resume' }).count()).toBe(0);
    await expectAccessible(page);
    await bar.getByLabel('Turns to add').fill('3');
    await bar.getByRole('button', { name: 'Add and resume' }).click();
    await page.getByTestId('timeline').getByText('Turn 3', { exact: true }).waitFor();
    expect((await api().agentRuns.get({ params: { id: run.id } })).maxIterations).toBe(5);
    await api().agentRuns.cancel({ params: { id: run.id }, body: { cascade: true } });
    expect(complaints).toEqual([]);
    await close();
  });

  it('takes a top-up in dollars where its tree has cost what it may', async () => {
    const provider = await startFakeServer();
    provider.otherwise = () => ({ text: ['It is done.'] });
    const { id: providerId } = await api().aiProviders.create({
      body: { name: 'dear', kind: 'OpenAiCompatible', baseUrl: provider.baseUrl, apiKey: 'sk-test' },
    });
    const prices = { inputPricePerMTok: 100, outputPricePerMTok: 500 };
    const model = { providerId, modelId: 'dear:large', providerModelName: 'large', kind: 'Chat', ...prices } as const;
    await api().aiModels.create({ body: model });
    const body = { goal: 'Cost something', modelId: 'dear:large', poolCostBudgetUsd: 0.001, autoStart: true };
    const run = await api().agentRuns.create({ body });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
    const bar = page.getByRole('region', { name: 'Budget exhausted' });
    await bar.getByText('The tree has used its cost budget').waitFor();
    await expectAccessible(page);
    await bar.getByLabel('US dollars to add').fill('20');
    await bar.getByRole('button', { name: 'Add and resume' }).click();
    await status(page, 'Completed');
    expect((await api().agentRuns.get({ params: { id: run.id } })).poolCostBudgetUsd).toBe(20.001);
    expect(complaints).toEqual([]);
    await close();
    await provider.close();
  });

  it('has a council argue and vote, for who watches and who comes later', async () => {
    const body = { goal: 'Which way over the river', modelId: 'scripted:chair', autoStart: true };
    const run = await api().agentRuns.create({ body });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
    await page.getByRole('tab', { name: /^Councils/ }).click();
    const council = page.getByRole('region', { name: 'Bridge or ferry?' });
    const all = async () => {
      await council.getByText('A bridge is there at night.').first().waitFor();
      await council.getByText('A ferry needs no pillars.').first().waitFor();
      await council.getByText('Consensus', { exact: true }).waitFor();
      const votes = council.getByRole('list', { name: 'Votes' });
      await votes.getByRole('listitem').filter({ hasText: 'Bridge' }).getByText('2 · Ada, Bo').waitFor();
      await votes.getByRole('listitem').filter({ hasText: 'Ferry' }).getByText('1 · Cy').waitFor();
    };
    await all();
    await page.reload();
    await all();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

// What people decide: questions of runs, tool calls that need an approval, and changes that need a look.
import { resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentEscalationDto } from '../../src/client/index.ts';
import { chromiumPath, expectAccessible, expectNoSidewaysScroll, useStage } from '../support/browser.ts';

const patience = { timeout: 45_000, interval: 100 };

describe.skipIf(chromiumPath === null)('decisions', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const { api, open } = stage;
  beforeAll(async () => {
    const lists = { safeTools: [], blockedTools: [], sandboxedTools: [], discoveryEnabled: true };
    const body = { name: 'guarded', role: 'guarded', optInTools: ['task_create'], ...lists };
    await api().agentToolProfiles.create({ body });
  });
  const start = (goal: string, scenario: string, more = {}) =>
    api().agentRuns.create({ body: { goal, modelId: `scripted:${scenario}`, autoStart: true, ...more } });
  /** The question of a run that waits for an answer. */
  const question = (runId: number): Promise<AgentEscalationDto> =>
    vi.waitFor(async () => {
      const { items } = await api().agentEscalations.list({ query: { runId, openOnly: true } });
      const open = items.find((one) => one.status === 'AwaitingHuman');
      if (!open) throw new Error(`run ${runId} asks nothing yet`);
      return open;
    }, patience);
  const cardOf = (page: Page, escalation: AgentEscalationDto) => page.locator(`[data-escalation="${escalation.id}"]`);

  const sendNow = (card: Locator) => card.getByRole('button', { name: 'Send now' }).click();

  it('marks what is recommended, asks once more where it is critical, and takes a decision back', async () => {
    const run = await start('Watch the river', 'long', { maxIterations: 200 });
    const asked = await api().agentEscalations.create({
      params: { runId: run.id },
      body: {
        situation: 'The migration drops a column. When shall it run?',
        optionsJson: JSON.stringify(['Run it now', 'Back up first']),
        supervisorRecommendation: 'Back up first, the table is large.',
        urgencyId: 'Critical',
      },
    });
    const { page, complaints, close } = await open('/escalations');
    const card = cardOf(page, asked);
    await card.locator('.option[data-recommended=true]').getByText('Back up first', { exact: true }).waitFor();
    expect(await card.locator('.option[data-recommended=true]').count()).toBe(1);
    await card.getByRole('button', { name: 'Run it now' }).click();
    await card.getByText('This is critical. Decide “Run it now”?').waitFor();
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Back' }).click();
    await card.getByRole('button', { name: 'Back up first' }).click();
    await card.getByRole('button', { name: 'Confirm the decision' }).click();
    await card.getByText('Decided: Back up first').waitFor();
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Undo' }).click();
    await card.getByRole('button', { name: 'Run it now' }).waitFor();
    const { items } = await api().agentEscalations.list({ query: { runId: run.id, openOnly: true } });
    expect(items.map(({ id }) => id)).toEqual([asked.id]);
    await card.getByRole('button', { name: 'Back up first' }).click();
    await card.getByRole('button', { name: 'Confirm the decision' }).click();
    await sendNow(card);
    await card.waitFor({ state: 'detached' });
    await api().agentRuns.cancel({ params: { id: run.id }, body: { cascade: true } });
    expect(complaints).toEqual([]);
    await close();
  });

  it('answers a question: sends it back with notes, then chooses', async () => {
    const { page, complaints, close } = await open('/escalations');
    await page.getByRole('heading', { name: 'Escalations' }).waitFor();
    const run = await start('Find the way', 'ask');
    const asked = await question(run.id);
    const card = cardOf(page, asked);
    await card.getByText('Which way?').waitFor();
    await vi.waitFor(async () => expect(await page.title()).toMatch(/^\(\d+\) /), patience);
    await expectAccessible(page);

    await card.getByText('Add a comment, or answer differently').click();
    await card.getByLabel('Comment').fill('What speaks for each?');
    await card.getByRole('button', { name: /Request a revision/ }).click();
    await sendNow(card);
    await card.getByText('North is shorter, south is warmer.').waitFor();
    await card.getByRole('button', { name: 'North Recommended' }).waitFor();
    await card.getByText('Add a comment, or answer differently').click();
    await card.getByLabel('Comment').fill('It is cold.');
    await card.getByRole('button', { name: 'South' }).click();
    await sendNow(card);
    await card.waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Decided' }).click();
    await card.getByText('It is cold.').waitFor();
    await card.getByRole('link', { name: `Open run #${run.id}` }).click();
    await page.locator('.run-head .chip').getByText('Completed').waitFor();
    await page
      .getByTestId('timeline')
      .getByText(/It is cold\./)
      .first()
      .waitFor();
    expect((await api().agentRuns.get({ params: { id: run.id } })).progressSummary).toBe('Decided: South');
    expect(complaints).toEqual([]);
    await close();
  });

  it('approves a tool call with other arguments, on the page of the run', async () => {
    const run = await start('Build a wall', 'build', { toolProfileName: 'guarded' });
    const { page, complaints, close } = await open(`/runs/${run.id}`);
    const asked = await question(run.id);
    const card = cardOf(page, asked);
    await card.getByText('task_create').first().waitFor();
    const bar = page.locator(`[data-gate="${asked.id}"]`);
    await bar.getByRole('button', { name: 'Details' }).click();
    const args = card.getByLabel('Arguments (editable)');
    expect(JSON.parse(await args.inputValue())).toEqual({ title: 'Demolish the wall' });
    await expectAccessible(page);
    await args.fill('{ "title": "Mend the wall" }');
    await card.getByRole('button', { name: 'Approve with the edit' }).click();
    await sendNow(bar);
    await page.locator('.run-head .chip').getByText('Completed').waitFor();
    await page.getByRole('tab', { name: 'Notes and tasks' }).click();
    await page.getByText('Mend the wall').first().waitFor();
    const tasks = await api().agentTasks.list({ params: { runId: run.id } });
    expect(tasks.items.map((task) => task.title)).toEqual(['Mend the wall']);
    expect(complaints).toEqual([]);
    await close();
  });

  it('rejects a tool call by keys alone', async () => {
    const run = await start('Build another wall', 'build', { toolProfileName: 'guarded' });
    const asked = await question(run.id);
    const { page, complaints, close } = await open('/escalations');
    const reject = cardOf(page, asked).getByRole('button', { name: 'Reject' });
    await reject.waitFor();
    await tabTo(page, `[data-escalation="${asked.id}"] .option:nth-of-type(2)`);
    await page.keyboard.press('Enter');
    // It is sent by itself when nobody takes it back.
    await cardOf(page, asked).getByRole('button', { name: 'Undo' }).waitFor();
    await cardOf(page, asked).waitFor({ state: 'detached' });
    const ended = await api().agentRuns.wait({ params: { id: run.id }, query: { timeoutMs: 30_000 } });
    expect(ended.status).toBe('Completed');
    expect((await api().agentTasks.list({ params: { runId: run.id } })).items).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('decides on a phone', async () => {
    const run = await start('Find the way on foot', 'ask');
    const asked = await question(run.id);
    const { page, complaints, close } = await open('/escalations', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await cardOf(page, asked).getByRole('button', { name: 'Left' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await cardOf(page, asked).getByRole('button', { name: 'Left' }).tap();
    await sendNow(cardOf(page, asked));
    await cardOf(page, asked).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('reviews what a run has changed, and reads its files', async () => {
    const run = await start('Write a greeting', 'change', {
      contractDeliverable: 'a report',
      contractDestination: 'file:report.md',
    });
    const { page, complaints, close } = await open(`/runs/${run.id}?tab=diff`);
    await page.locator('.run-head .chip').getByText('Completed').waitFor();
    const diff = page.getByTestId('diff');
    await diff.getByText('2 files changed').waitFor();
    await diff.getByText("export const greeting = 'Hello, river';").waitFor();
    await expectAccessible(page);

    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('button', { name: /^src/ }).click();
    await page.getByRole('button', { name: /^greeting\.ts/ }).click();
    await page.locator('.files-view pre .hljs-string').getByText('Hello, river').waitFor();
    await expectAccessible(page);

    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('Met', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('keeps what the model thought for who comes later', async () => {
    const run = await start('Write a greeting again', 'change');
    await api().agentRuns.wait({ params: { id: run.id }, query: { timeoutMs: 30_000 } });
    const { page, close } = await open(`/runs/${run.id}`);
    await page
      .getByRole('button', { name: /^Reasoning, / })
      .first()
      .click();
    await page.getByText('A note first, so that the change can be read.').waitFor();
    await close();
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press('Tab');
    const there = await page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`);
    if (there) return;
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

// The list of runs found by its filters and acted on, a model connected, and answers set as they were meant.
import { resolve } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, expectWellMade, useStage, visit } from '../support/browser.ts';
import { startFakeServer } from '../support/openai-server.ts';

/** Elements whose content is wider than they are. */
const cut = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      (all as { scrollWidth: number; clientWidth: number; className: string }[])
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className, scrollWidth }) => [className, scrollWidth]),
    );

describe.skipIf(chromiumPath === null)('lists, models and answers', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const { api, open } = stage;

  it('finds runs by role and day, and cancels several at once, saying what that reaches', async () => {
    for (const name of ['counter', 'weigher'])
      await api().agentRoles.create({
        body: { name, displayName: name, description: '', systemPromptTemplate: 'You do {{goal}}.' },
      });
    for (const [goal, role] of [
      ['Count the eels', 'counter'],
      ['Count the pikes', 'counter'],
      ['Weigh the eels', 'weigher'],
    ] as const)
      await api().agentRuns.create({ body: { goal, role } });
    const { page, complaints, close } = await open('/runs?role=counter&from=2020-01-01');
    await page.getByText('2 runs', { exact: true }).waitFor();
    await page.getByRole('button', { name: '2 filters' }).waitFor();
    expect(await page.getByRole('link', { name: 'Weigh the eels' }).count()).toBe(0);
    await expectAccessible(page);
    // The year that is typed ends with its fourth digit.
    expect(await page.getByLabel('From', { exact: true }).getAttribute('max')).toBe('9999-12-31');
    await page.getByLabel('Cost from, USD').fill('0.5');
    await page.getByText('0 runs', { exact: true }).waitFor();
    await page.getByLabel('Cost from, USD').fill('');
    await page.getByText('2 runs', { exact: true }).waitFor();
    await page.getByLabel('Select all runs of this page').check();
    const bar = page.getByRole('region', { name: 'Selected runs' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel 2 runs?' });
    await question.getByText('Count the pikes').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByText('2 runs cancelled').waitFor();
    const { items } = await api().agentRuns.list({ query: { status: ['Cancelled'] } });
    expect(items.map(({ goal }) => goal).sort()).toEqual(['Count the eels', 'Count the pikes']);
    // A page beyond the end, as when what stood there has gone, is the last one.
    const name = `Of${'e'.repeat(150)}ls`;
    const { id } = await api().projects.create({ body: { name } });
    for (const [list, there] of [
      ['runs', 'Weigh the eels'],
      ['projects', name],
    ] as const) {
      await page.goto(`${stage.server.baseUrl}/#/${list}?page=9`);
      await page.getByRole('link', { name: there }).first().waitFor();
      expect(page.url()).toMatch(new RegExp(`/${list}$`));
    }
    // A name without a space is broken: what stands beside and below it is in its place.
    expect(await cut(page, '.table-scroll')).toEqual([]);
    await page.goto(`${stage.server.baseUrl}/#/projects/${id}`);
    await page.locator('.activity-item').first().waitFor();
    expect(await cut(page, 'h1, .card-body')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('searches for what the address says, and for nothing once that is left', async () => {
    const { page, complaints, close } = await open('/runs?q=no-run-is-called-so');
    const goals = page.getByLabel('Search goals');
    const chats = page.getByLabel('Search chats');
    await expect.poll(() => goals.inputValue()).toBe('no-run-is-called-so');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => goals.inputValue()).toBe('');
    await page.goto(`${stage.server.baseUrl}/#/chat?q=no-chat-is-called-so`);
    await expect.poll(() => chats.inputValue()).toBe('no-chat-is-called-so');
    await page.goto(`${stage.server.baseUrl}/#/chat`);
    await expect.poll(() => chats.inputValue()).toBe('');
    expect(page.url()).toMatch(/#\/chat$/);
    expect(complaints).toEqual([]);
    await close();
  });

  it('connects a model: tests it, lists what it found, and makes one the default', async () => {
    const provider = await startFakeServer();
    provider.models = ['small', 'large'];
    provider.otherwise = () => ({ text: ['pong'] });
    const { page, complaints, close } = await open('/models');
    await page.getByRole('button', { name: 'Connect a model' }).click();
    await page.getByLabel('Provider', { exact: true }).selectOption('OpenAiCompatible');
    await page.getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
    await page.getByLabel('API key').fill('sk-wrong');
    await page.getByRole('button', { name: 'Test and connect' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect((await api().aiProviders.list({ query: { kind: 'OpenAiCompatible' } })).items).toEqual([]);
    await page.getByLabel('Base URL').fill(provider.baseUrl);
    await page.getByRole('button', { name: 'Test and connect' }).click();
    const found = page.getByRole('dialog', { name: 'Connected' });
    await found.getByText(/\d+ models? found\./).waitFor();
    await expectAccessible(page);
    await found.getByRole('button', { name: 'Use as the default' }).click();
    await found.waitFor({ state: 'detached' });
    const { items } = await api().aiRoutes.list();
    expect(items.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
    await provider.close();
  });

  it('sets checklists, formulas, aligned tables and titles as they were meant', async () => {
    const chat = await api().chat.create({ body: { modelId: 'scripted:typeset', title: '**Fish** of the river' } });
    const { page, complaints, close } = await open(`/chat/${chat.id}`);
    await page.getByRole('heading', { name: 'Fish of the river', exact: true }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('What of the fish?');
    await page.keyboard.press('Enter');
    const answer = page.locator('.message[data-role=assistant][data-message]');
    await answer.getByRole('img', { name: 'Done', exact: true }).waitFor();
    await answer.getByRole('img', { name: 'Not done' }).waitFor();
    // The box stands where the bullet would.
    const bullet = "getComputedStyle(document.querySelector('.message li:has([aria-label=Done])')).listStyleType";
    expect(await page.evaluate<string>(bullet)).toBe('none');
    await answer.locator('math').waitFor();
    await answer.getByText('it costs $5 or $10.').waitFor();
    const diagrams = answer.getByRole('img', { name: 'Diagram' });
    await diagrams.nth(1).waitFor();
    // Pictures: nothing of a diagram is part of the page, whatever it asks for.
    expect(await answer.locator('svg foreignObject, img[src^="/nowhere"], a[href^=javascript]').count()).toBe(0);
    for (const picture of await diagrams.all())
      expect(
        await picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth),
      ).toBeGreaterThan(40);
    await answer.getByText('As text').first().click();
    await answer.getByText('graph TD; A-->B').waitFor();
    // What cannot be drawn stays as it was written.
    await answer.getByText('graph TD; this is no diagram -->').waitFor();
    expect(await answer.getByRole('columnheader', { name: 'Count' }).getAttribute('style')).toContain('right');
    expect(await answer.innerText()).not.toContain('[x]');
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('has a reference that is grouped by task, searched, and led into by links', async () => {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: { width: 390, height: 844 } }]) {
      const { page, complaints, close } = await visit(stage.browser, options as BrowserContextOptions);
      await page.goto(`${stage.server.baseUrl}/docs`);
      for (const name of ['Start a run', 'Follow it', 'Decide']) await page.getByRole('heading', { name }).waitFor();
      // A line or two for each operation until it is opened.
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(height).toBeLessThan(110 * (await page.locator('details.entry').count()));
      await page.getByLabel('Search').fill('raise budget pool');
      await page
        .getByRole('status')
        .getByText(/^\d of \d+$/)
        .waitFor();
      await page.locator('#AgentRuns_pool').waitFor();
      expect(await page.locator('#AgentRuns_create').isVisible()).toBe(false);
      await page.locator('#AgentRuns_pool summary').click();
      await page.getByText('addCostUsd', { exact: true }).waitFor();
      await expectAccessible(page);
      await page.getByLabel('Search').fill('zeppelin');
      await page.getByText('Nothing is found.').waitFor();
      await page.keyboard.press('Escape');
      await page.goto(`${stage.server.baseUrl}/docs#schema-AgentRunDto`);
      await page.locator('#schema-AgentRunDto').getByText('exhaustedBy').waitFor();
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it.each([
    ['/help/nope', 'All topics', '#/help'],
    ['/identities/987654', 'All identities', '#/identities'],
  ])('are led back to from %s, which is not there', async (path, name, hash) => {
    const { page, close } = await stage.open(path);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    // The hint of the server names the page that one is on.
    expect(await page.getByText('List them').count()).toBe(0);
    await expectWellMade(page);
    await page.getByRole('link', { name }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe(hash);
    await page.getByRole('heading', { name: 'Not found' }).waitFor({ state: 'detached' });
    await close();
  });
});

// Every key that the list of shortcuts names does something on its page: a listed key that does nothing fails here.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, useStage } from '../support/browser.ts';

/** What a key may change: where the page is, what has the focus, what is written, open or shown. */
const state = (page: Page) =>
  page.evaluate<string>(`JSON.stringify([location.hash, document.querySelectorAll('[role=dialog], dialog[open]').length,
    document.activeElement?.outerHTML.slice(0, 200), document.querySelector('#content')?.innerHTML,
    [...document.querySelectorAll('.timeline, .main')].map((one) => Math.round(one.scrollTop))])`);

describe.skipIf(chromiumPath === null)('the shortcuts of the list', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));

  /** Presses each key of the list on a fresh view of the page, and names those that change nothing. */
  async function walk(path: string, ready: (page: Page) => Promise<unknown>, least: number): Promise<void> {
    const { page, close } = await stage.open(path);
    await ready(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page);
    const all = await page
      .locator('[data-keys]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-keys') ?? ''));
    // Where a `g` leads is tried once for all pages.
    const keys = all.filter((one) => !one.startsWith('g ') || one === 'g r' || one === 'g e');
    expect(keys.length).toBeGreaterThanOrEqual(least);
    const idle: string[] = [];
    for (const one of keys) {
      await page.goto(`${stage.server.baseUrl}/#${path}`);
      await page.reload();
      await ready(page);
      const before = await state(page);
      for (const key of one.split(' ')) await page.keyboard.press(key.replace('mod+', 'Control+'));
      await expect
        .poll(() => state(page), { timeout: 5000 })
        .not.toBe(before)
        .catch(() => idle.push(one));
    }
    expect(idle).toEqual([]);
    await close();
  }

  it('work on the page of a chat', async () => {
    const chats = [];
    for (const title of ['One', 'Two', 'Three']) chats.push(await stage.api().chat.create({ body: { title } }));
    const settled = (page: Page) =>
      page
        .locator('.chat-list li a[aria-current=page]')
        .waitFor()
        .then(() => page.getByLabel('Message', { exact: true }).waitFor());
    await walk(`/chat/${chats[1]?.id}`, settled, 8);
  });

  it('work on the page of a council', async () => {
    const run = await stage
      .api()
      .agentRuns.create({ body: { goal: 'Over', modelId: 'scripted:chair', autoStart: true } });
    await stage.api().agentRuns.wait({ params: { id: run.id }, query: { timeoutMs: 60_000 } });
    const [council] = (await stage.api().agentCouncils.list({ params: { runId: run.id } })).items;
    await walk(`/councils/${council?.id}`, (page) => page.getByRole('region', { name: 'Dissent' }).waitFor(), 8);
  });
});

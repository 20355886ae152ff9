// The dashboard as readers' systems ask for it: contrast themes, larger text, the narrowest window, paper, and by ear.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, expectNoSidewaysScroll, useStage } from '../support/browser.ts';

/** A word of 200 characters without a place to break. */
const long = 'Unbroken_Name_Of_Someone.'.repeat(8);

/** Computed values of a property, of the first element of each selector. */
const valuesOf = (page: Page, property: string, ...selectors: string[]) =>
  page.evaluate<string[]>(
    `${JSON.stringify(selectors)}.map((one) => getComputedStyle(document.querySelector(one)).getPropertyValue('${property}'))`,
  );

/** What the live regions of the page are given from now on, as a list of texts; it stays in the page. */
const listen = (page: Page) =>
  page.evaluate(`{
    globalThis.heard = [];
    const isLive = (node) => {
      const region = (node.nodeType === 1 ? node : node.parentElement).closest('[aria-live], [role=status]');
      return region && region.getAttribute('aria-live') !== 'off';
    };
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes)
        for (const node of type === 'childList' ? addedNodes : [target])
          if (node.isConnected && isLive(node)) heard.push(node.textContent);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  }`);
const heard = (page: Page) => page.evaluate<string[]>('heard');

describe.skipIf(chromiumPath === null)('the dashboard for readers of all kinds', () => {
  const stage = useStage(() => ({ RIVULET_MODEL: 'scripted:echo' }));
  const { api, open } = stage;
  let runId = 0;
  let projectId = 0;
  let docId = 0;
  beforeAll(async () => {
    const body = { goal: `Say something of ${long}`, modelId: 'scripted:echo', autoStart: true };
    runId = (await api().agentRuns.create({ body })).id;
    projectId = (await api().projects.create({ body: { name: long.slice(0, 100) } })).id;
    docId = (await api().docs.create({ params: { projectId }, body: { title: long, content: long } })).id;
    const names = { name: 'long', displayName: long.slice(0, 100), description: '' };
    await api().agentRoles.create({ body: { ...names, systemPromptTemplate: 'Go.' } });
    await api().agentRuns.wait({ params: { id: runId }, query: { timeoutMs: 30_000 } });
  });

  it.each(['light', 'dark'] as const)(
    'shows what is chosen, and how full a meter is, in a contrast theme that is %s',
    async (colorScheme) => {
      const { page, complaints, close } = await open('/runs', { forcedColors: 'active', colorScheme });
      await page.locator('.run-list .meter-fill').first().waitFor({ state: 'attached' });
      const grounds = (...of: string[]) => valuesOf(page, 'background-color', ...of);
      const differ = async (...of: string[]) =>
        expect(new Set(await grounds(...of)).size, of.join(' and ')).toBe(of.length);
      await differ('.rail [aria-current=page]', '.rail .item:not([aria-current])');
      await differ('.segments [aria-pressed=true]', '.segments [aria-pressed=false]');
      await differ('.run-list .meter-fill', '.run-list .meter-bar');
      await page.locator('[data-testid=connection][data-phase=live]').waitFor();
      await differ('[data-testid=connection][data-phase=live] .dot', 'body');
      await page.goto(`${stage.server.baseUrl}/#/runs/${runId}`);
      await page.locator('.run-body').waitFor();
      await differ('.tab[aria-selected=true]', '.tab[aria-selected=false]');
      // The drawing of a run is told by Highlight and by what is between text and ground.
      const [drawn, highlight] = await page.evaluate<[string, string]>(`(() => {
        const canvas = document.querySelector('.river canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const count = new Map();
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] < 255) continue;
          const color = data.slice(i, i + 3).join();
          count.set(color, (count.get(color) ?? 0) + 1);
        }
        const most = [...count].sort(([, a], [, b]) => b - a)[0][0];
        return [most, getComputedStyle(document.querySelector('.tab[aria-selected=true]')).backgroundColor];
      })()`);
      const channels = drawn.split(',');
      const isGrey = new Set(channels).size === 1;
      expect(isGrey || highlight.includes(channels.join(', ')), `${drawn} is neither grey nor ${highlight}`).toBe(true);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('has no faint text for who asks for more contrast', async () => {
    const { page, close } = await open('/runs', { contrast: 'more', colorScheme: 'dark' });
    await page.locator('.run-list .faint').first().waitFor();
    const [text, faint] = await valuesOf(page, 'color', 'body', '.run-list .faint');
    expect(faint).toBe(text);
    await close();
  });

  it('grows with the text that the browser is set to', async () => {
    const { page, close } = await open('/runs');
    await page.locator('.run-list .chip').first().waitFor();
    const sizes = () => valuesOf(page, 'font-size', 'body', 'h1', '.run-list .chip');
    const before = await sizes();
    await page.evaluate(`document.documentElement.style.fontSize = '32px'`);
    expect(await sizes()).toEqual(before.map((size) => `${Number.parseFloat(size) * 2}px`));
    const cut = await page.evaluate(`[...document.querySelectorAll('.btn, .chip, .tab, .badge')]
      .filter((one) => one.clientHeight > 0 && one.scrollHeight > one.clientHeight).map((one) => one.outerHTML)`);
    expect(cut).toEqual([]);
    await close();
  });

  it('fits the narrowest window on every page, whatever names are in it', async () => {
    const { page, complaints, close } = await open('/runs', { viewport: { width: 320, height: 640 }, hasTouch: true });
    const listed = JSON.parse(readFileSync(resolve('dist/web/pages.json'), 'utf8')) as string[];
    const named = [
      `/runs/${runId}`,
      `/projects/${projectId}`,
      `/documents?doc=${docId}`,
      '/account?tab=keys',
      '/system?tab=queues',
    ];
    for (const path of [...listed.filter((one) => !/:|consent|sign-in/.test(one)), ...named]) {
      await page.evaluate(`void (location.hash = '${path}')`);
      await page.locator('.main h1').first().waitFor();
      await expect.poll(() => page.locator('[role=status][aria-busy=true]').count(), { message: path }).toBe(0);
      expect(`${path} ${await page.evaluate(`document.querySelector('.main').scrollWidth`)}`).toBe(`${path} 320`);
      // What hides what sticks out of it would hide buttons.
      const hidden = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('.main :is(button, a.btn, input, select)')]
        .filter((one) => one.offsetWidth > 0 && !one.closest('.tabs, .table-scroll:not(.in-cards), .board, .river-scroll'))
        .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 160))`);
      expect(hidden, path).toEqual([]);
      // Other walks look at pages with nothing in them.
      if (named.includes(path)) await expectAccessible(page);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('lets a low window scroll between its columns and cards', async () => {
    const { page, close } = await open('/runs', { viewport: { width: 740, height: 340 } });
    await page.locator('[data-run]').first().waitFor();
    await expectNoSidewaysScroll(page);
    await close();
  });

  it('prints all of a run and of a chat, dark on white, without what there is to press', async () => {
    const { id: noted } = await api().agentRuns.create({ body: { goal: 'Be printed', modelId: 'scripted:echo' } });
    for (let note = 0; note < 40; note++)
      await api().agentNotes.create({ params: { runId: noted }, body: { content: `Note ${note}` } });
    const { page, close } = await open(`/runs/${noted}`, {
      colorScheme: 'dark',
      viewport: { width: 1280, height: 500 },
    });
    const pressAll = page.getByRole('button', { name: 'All events' });
    await pressAll.click();
    const events = Number.parseInt(await page.locator('.timeline-tools .num').innerText(), 10);
    await expect.poll(() => page.locator('.entry').count()).toBeLessThan(events);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(`void dispatchEvent(new Event('beforeprint'))`);
    expect(await page.locator('.entry').count()).toBe(events);
    const last = (await page.locator('.entry').last().boundingBox())!;
    expect(last.y + last.height).toBeGreaterThan(500);
    expect(await valuesOf(page, 'overflow-y', '.main', '.timeline')).toEqual(['visible', 'visible']);
    expect(await valuesOf(page, 'display', '.rail', '.top', '.timeline-tools')).toEqual(['none', 'none', 'none']);
    expect(await valuesOf(page, 'color-scheme', 'html')).toEqual(['light']);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(`void dispatchEvent(new Event('afterprint'))`);
    await expect.poll(() => page.locator('.entry').count()).toBeLessThan(events);
    const { id } = await api().chat.create({ body: { modelId: 'scripted:echo', title: 'To be printed' } });
    for (let turn = 0; turn < 6; turn++)
      await api().chat.addMessage({
        params: { sessionId: id },
        body: { role: 'user', content: `${turn}\n\n\n\nwords` },
      });
    await page.emulateMedia({ media: 'print' });
    await page.goto(`${stage.server.baseUrl}/#/chat/${id}`);
    await page.locator('[data-message]').nth(5).waitFor();
    expect(await valuesOf(page, 'overflow-y', '.chat-log', '.main')).toEqual(['visible', 'visible']);
    expect(await valuesOf(page, 'display', '.chat-list', '.composer')).toEqual(['none', 'none']);
    await close();
  });

  it('reads an answer of a chat out once, when it is whole', async () => {
    const { id } = await api().chat.create({ body: { modelId: 'scripted:echo', title: 'Heard' } });
    const { page, close } = await open(`/chat/${id}`);
    const box = page.getByLabel('Message', { exact: true });
    await box.waitFor();
    await listen(page);
    await box.fill('Nightingales sing');
    await box.press('Enter');
    await page.locator('.message[data-role=assistant][data-message]').waitFor();
    const answer = (await page.locator('.message[data-role=assistant][data-message] .markdown').textContent()) ?? '';
    await expect.poll(async () => (await heard(page)).filter((one) => one.includes(answer)).length).toBe(1);
    // Neither its parts, nor what was asked.
    expect((await heard(page)).filter((one) => one.includes('Nightingales')).length).toBe(1);
    await close();
  });

  it('takes the focus to each page that is gone to, under its name', async () => {
    const { page, close } = await open('/runs');
    await page.locator('[data-run]').first().waitFor();
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Models' });
    await link.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    await page.getByRole('main', { name: 'Models' }).waitFor();
    // A page with a place to write keeps it.
    await page.evaluate(`void (location.hash = '/chat/new')`);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await close();
  });
});

import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drawnAFrame } from '../../src/web/pages/run/rows.ts';
import { buildDashboard, chromiumPath, launch, visit } from '../support/browser.ts';
import { startLongRunServer } from '../support/long-run-server.ts';
import { tasksDuring } from '../support/page-tasks.ts';

const stored = 50_000;
const perSecond = 200;
/** Events that stream in while the page is watched, in each of the stretches. */
const watched = 800;
/** What holds the page is said by the middle one of so many stretches: one may meet a collection of garbage. */
const stretches = 3;
/** Tasks that are longer are felt, ms. */
const longTask = 50;
/** Elements of the page, whatever the length of its run. */
const mostElements = 3000;
const patience = { timeout: 60_000 };

const root = resolve(import.meta.dirname, '../..');

const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const said = (values: number[]) => values.map((value) => value.toFixed(0)).join(', ');

/** The longest task in each of the stretches, ms of the processor. */
async function longestTasks(page: Page, work: () => Promise<void>): Promise<number[]> {
  const longest: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const tasks = await tasksDuring(page, work);
    expect(tasks.length).toBeGreaterThan(50);
    longest.push(Math.max(...tasks));
  }
  return longest;
}

/** Notes how many rows of the timeline each task draws. */
const countRows = `globalThis.rowsATask = [];
  addEventListener('DOMContentLoaded', () => new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    const rows = added.flatMap((node) => node.matches?.('.timeline-item') ? [node] : [...node.querySelectorAll?.('.timeline-item') ?? []]);
    rowsATask.push(new Set(rows).size);
  }).observe(document, { childList: true, subtree: true }));`;

describe.skipIf(chromiumPath === null)('a run of 50,000 events', () => {
  it('stays responsive while it loads and while 200 more a second stream in', async () => {
    buildDashboard();
    const server = await startLongRunServer(resolve(root, 'dist/web'), stored, perSecond);
    onTestFinished(() => server.close());
    const browser = await launch();
    onTestFinished(() => browser.close());
    const { page } = await visit(browser, { key: 'rvt_any' });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    /** The time that the page's thread was at work, ms of the processor. */
    const worked = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
    };
    await page.addInitScript({ content: countRows });
    // Two of five events are entries of the story: a turn and its tool call.
    const count = page.locator('.timeline-tools .num');
    const loading = await longestTasks(page, async () => {
      await page.goto('about:blank');
      await page.goto(`${server.url}/#/runs/1`);
      await count.filter({ hasText: /^2\d,\d{3} entries/ }).waitFor(patience);
    });

    const [busy, before] = [await worked(), server.sent];
    const live = await longestTasks(page, async () => {
      const from = server.sent;
      await expect.poll(() => server.sent - from, patience).toBeGreaterThanOrEqual(watched);
    });
    // Meanwhile the page does what its user asks for.
    for (const [name, entries] of [
      ['Problems', /^0 entries/],
      ['Tool calls', /^1\d,\d{3} entries/],
      ['Story', /^2\d,\d{3} entries/],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click(patience);
      await count.filter({ hasText: entries }).waitFor(patience);
    }
    const { sent } = server;
    const shown = async () => Number((await count.innerText()).replace(/\D/g, ''));
    await expect.poll(shown, patience).toBeGreaterThanOrEqual(Math.floor(((stored + sent) * 2) / 5));
    const perEvent = ((await worked()) - busy) / (server.sent - before);
    const elements = await page.locator('*').count();
    console.log(
      `longest tasks while ${stored} events load: ${said(loading)} ms of the processor; while ${perSecond} a second come: ${said(live)} ms, ${perEvent.toFixed(2)} ms an event; ${elements} elements`,
    );
    expect(middle(loading)).toBeLessThanOrEqual(longTask);
    expect(middle(live)).toBeLessThanOrEqual(longTask);
    expect(elements).toBeLessThan(mostElements);
    const rows = await page.evaluate<number[]>('rowsATask');
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10);
    expect(Math.max(...rows)).toBeLessThanOrEqual(drawnAFrame);
  }, 300_000);
});

import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawnAFrame } from '../../src/web/pages/run/rows.ts';
import { buildDashboard, chromiumPath, launch, visit } from '../support/browser.ts';
import { startLongRunServer } from '../support/long-run-server.ts';

const stored = 50_000;
const perSecond = 200;
/** Events that stream in while the page is watched. */
const watched = 2000;
/** Elements of the page, whatever the length of its run. */
const mostElements = 3000;
const patience = { timeout: 60_000 };

const root = resolve(import.meta.dirname, '../..');

describe.skipIf(chromiumPath === null)('a run of 50,000 events', () => {
  it('stays responsive while 200 more a second stream in', async () => {
    buildDashboard();
    const server = await startLongRunServer(resolve(root, 'dist/web'), stored, perSecond);
    const browser = await launch();
    const { page } = await visit(browser, { key: 'rvt_any' });
    const devtools = await page.context().newCDPSession(page);
    // The time that the page's thread was at work: other programs on the machine do not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const worked = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
    };
    await page.addInitScript({
      content: `globalThis.longTasks = [];
        globalThis.rowsATask = [];
        addEventListener('DOMContentLoaded', () => new MutationObserver((changes) => {
          const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
          const rows = added.flatMap((node) => node.matches?.('.timeline-item') ? [node] : [...node.querySelectorAll?.('.timeline-item') ?? []]);
          rowsATask.push(new Set(rows).size);
        }).observe(document, { childList: true, subtree: true }));
        new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
          .observe({ type: 'longtask', buffered: true });`,
    });
    await page.goto(`${server.url}/#/runs/1`);
    // Two of five events are entries of the story: a turn and its tool call.
    const count = page.locator('.timeline-tools .num');
    await count.filter({ hasText: /^2\d,\d{3} entries/ }).waitFor(patience);
    const longestLoading = Math.max(0, ...(await page.evaluate<number[]>('longTasks')));
    await page.evaluate('longTasks.length = 0');
    const [loading, before] = [await worked(), server.sent];
    await expect.poll(() => server.sent - before, patience).toBeGreaterThanOrEqual(watched);
    const longest = Math.max(0, ...(await page.evaluate<number[]>('longTasks')));
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
    const perEvent = ((await worked()) - loading) / (server.sent - before);
    const elements = await page.locator('*').count();
    console.log(
      `${stored} events loaded in ${loading.toFixed(0)} ms of the page's time, the longest task ${longestLoading.toFixed(0)} ms; then ${perEvent.toFixed(2)} ms each, the longest task ${longest.toFixed(0)} ms; ${elements} elements`,
    );
    expect(elements).toBeLessThan(mostElements);
    // Counted, since the time of a task depends on the machine.
    const rows = await page.evaluate<number[]>('rowsATask');
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10);
    expect(Math.max(...rows)).toBeLessThanOrEqual(drawnAFrame);
    await browser.close();
    await server.close();
  });
});

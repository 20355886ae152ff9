import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildDashboard, chromiumPath, launch, visit } from '../support/browser.ts';
import { startLongRunServer } from '../support/long-run-server.ts';

const stored = 50_000;
const perSecond = 200;
/** How long the page is watched while events stream in, ms. */
const watchMs = 10_000;

const root = resolve(import.meta.dirname, '../..');

describe.skipIf(chromiumPath === null)('a run of 50,000 events', () => {
  it('stays responsive while 200 more a second stream in', async () => {
    buildDashboard();
    const server = await startLongRunServer(resolve(root, 'dist/web'), stored, perSecond);
    const browser = await launch();
    const { page } = await visit(browser, { key: 'rvt_any' });
    await page.addInitScript({
      content: `globalThis.longTasks = [];
        new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
          .observe({ type: 'longtask', buffered: true });`,
    });
    const begun = performance.now();
    await page.goto(`${server.url}/#/runs/1`);
    // Two of five events are entries of the story: a turn and its tool call.
    const count = page.locator('.timeline-tools .num');
    await count.filter({ hasText: /^2\d,\d{3} entries/ }).waitFor({ timeout: 60_000 });
    const loaded = performance.now() - begun;
    await page.evaluate('longTasks.length = 0');
    const before = server.sent;
    const frames = await page.evaluate<number>(`new Promise((done) => {
      let frames = 0;
      const until = performance.now() + ${watchMs};
      const count = (now) => { frames += 1; now < until ? requestAnimationFrame(count) : done(frames); };
      requestAnimationFrame(count);
    })`);
    const streamed = server.sent - before;
    const tasks = await page.evaluate<number[]>('longTasks');
    const longest = Math.max(0, ...tasks);
    console.log(
      `${stored} events loaded in ${(loaded / 1000).toFixed(1)} s; ${streamed} streamed in ${watchMs / 1000} s at ${(frames / (watchMs / 1000)).toFixed(0)} frames a second; longest task ${longest.toFixed(0)} ms, ${tasks.length} over 50 ms`,
    );
    expect(streamed).toBeGreaterThan((perSecond * watchMs) / 1000 / 2);
    expect(longest).toBeLessThan(200);
    await browser.close();
    await server.close();
  });
});

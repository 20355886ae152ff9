// A tab that is left open while the server gets a new build: what it needs next is no longer there.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { buildDashboard, chromiumPath, launch, visit } from '../support/browser.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

describe.skipIf(chromiumPath === null)('a tab that is older than the build', () => {
  let server: ChildServer;
  let browser: Browser;
  beforeAll(async () => {
    buildDashboard();
    server = await createChildServer();
    [browser] = await Promise.all([launch(), server.start()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('reloads once when a part is gone, and keeps what was being written', async () => {
    const api = createClient({ baseUrl: server.baseUrl, token: server.key });
    const run = await api.agentRuns.create({ body: { goal: 'Be there after the update' } });
    const { page, close } = await visit(browser, { key: server.key });
    await page.goto(`${server.baseUrl}/#/chat/new`);
    await page.getByLabel('Message', { exact: true }).fill('Half a thought');
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    // The build that this tab came from is gone: its parts are not found, and the server names another script.
    await page.route('**/assets/run-page-*.js', (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.route(`${server.baseUrl}/`, async (route) => {
      if (route.request().isNavigationRequest()) return route.continue();
      const answer = await route.fetch();
      const html = (await answer.text()).replace(/assets\/index-[^"]+\.js/, 'assets/index-new.js');
      await route.fulfill({ response: answer, body: html });
    });
    await page.evaluate(`location.hash = '#/runs/${run.id}'`);
    await page.getByRole('heading', { name: 'Be there after the update' }).waitFor();
    expect(loads).toBe(1);
    await page.evaluate(`location.hash = '#/chat/new'`);
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Half a thought');
    await close();
  });
});

// A tab that is left open while the server gets a new build: what it needs next is no longer there.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, useStage, visit } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('a tab that is older than the build', () => {
  const stage = useStage();

  it('reloads once when a part is gone, and keeps what was being written', async () => {
    const api = createClient({ baseUrl: stage.server.baseUrl, token: stage.server.key });
    const run = await api.agentRuns.create({ body: { goal: 'Be there after the update' } });
    const { page, close } = await visit(stage.browser, { key: stage.server.key });
    await page.goto(`${stage.server.baseUrl}/#/chat/new`);
    await page.getByLabel('Message', { exact: true }).fill('Half a thought');
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    // The build that this tab came from is gone: its parts are not found, and the server names another script.
    await page.route('**/assets/run-page-*.js', (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.route(`${stage.server.baseUrl}/`, async (route) => {
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

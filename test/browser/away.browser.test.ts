// A server or a database that is away for a moment: pages say so and load by themselves; faults of a page's own are shown.
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, useStage } from '../support/browser.ts';

const proxy = { status: 502, body: '<html>Bad Gateway' };
const store = {
  status: 503,
  json: { ok: false, error: 'The database does not answer.', errorCode: 'STORE_UNAVAILABLE', data: null },
};
const aways = [
  ['a proxy answers for the server', proxy, 'The server does not answer the proxy before it (502).'],
  ['the database does not answer', store, 'The database does not answer.'],
] as const;

describe.skipIf(chromiumPath === null)('the dashboard', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

  it.each(aways)('says so while %s, and looks again by itself', async (_, answer, text) => {
    const run = await stage.api().agentRuns.create({ body: { goal: 'Look at the ferry', modelId: 'scripted:ferry' } });
    const chat = await stage.api().chat.create({ body: { title: 'About the ferry' } });
    const { page, close } = await stage.open('/audit');
    const isAway = notice(page, text);
    // One page alone, all that the dashboard begins with, a run and a chat.
    for (const [path, heading, asked] of [
      ['/audit', 'Audit log', '**/api/audit-events?**'],
      ['/audit', 'Audit log', '**/api/**'],
      [`/runs/${run.id}`, 'Look at the ferry', `**/api/agent/runs/${run.id}`],
      [`/chat/${chat.id}`, 'About the ferry', `**/api/chat/sessions/${chat.id}?**`],
    ] as const) {
      await page.route(asked, (route: Route) => route.fulfill(answer));
      await page.goto(`${stage.server.baseUrl}/#${path}`);
      await page.reload();
      await isAway.getByText('The page asks again by itself').waitFor();
      await expectAccessible(page);
      await page.unroute(asked);
      await isAway.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: heading }).waitFor();
    }
    await close();
  });

  it('shows a fault of its own, and does not ask again', async () => {
    const run = await stage.api().agentRuns.create({ body: { goal: 'Look at the ferry', modelId: 'scripted:ferry' } });
    for (const [path, asked] of [
      ['/audit', '**/api/system/info'],
      [`/runs/${run.id}`, `**/api/agent/runs/${run.id}`],
    ] as const) {
      const { page, close } = await stage.open('/runs');
      await page.clock.install();
      let requests = 0;
      // Not what pages expect.
      await page.route(asked, (route) => {
        requests += 1;
        return route.fulfill({ json: { ok: true, data: null, unreadMessages: 0 } });
      });
      await page.goto(`${stage.server.baseUrl}/#${path}`);
      await page.reload();
      await notice(page, 'CLIENT').waitFor();
      const once = requests;
      await page.clock.fastForward(60_000);
      await notice(page, 'CLIENT').waitFor();
      expect(requests).toBe(once);
      await close();
    }
  });

  it('keeps a document that is being written while its database is away', async () => {
    const { id: projectId } = await stage.api().projects.create({ body: { name: 'Harbour' } });
    const body = { title: 'Tides', content: 'High at noon.' };
    const doc = await stage.api().docs.create({ params: { projectId }, body });
    const { page, close } = await stage.open(`/documents?project=${projectId}&doc=${doc.id}`);
    await page.getByRole('tab', { name: 'Write', exact: true }).click();
    const text = page.getByLabel('Text in Markdown');
    await text.fill('High at noon, low at six.');
    const asked = `**/docs/${doc.id}`;
    const failed = page.waitForResponse((response) => response.status() === 503);
    await page.route(asked, (route) => (route.request().method() === 'GET' ? route.fulfill(store) : route.continue()));
    await stage.api().docs.patch({ params: { id: doc.id }, body: { title: 'Tides of June' } });
    await failed;
    expect(await text.inputValue()).toBe('High at noon, low at six.');
    await page.unroute(asked);
    await page.getByText('Tides of June').first().waitFor();
    expect(await text.inputValue()).toBe('High at noon, low at six.');
    await close();
  });
});

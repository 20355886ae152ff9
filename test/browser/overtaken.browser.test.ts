// Lists that were on their way while something changed: the news of it came first, and is not lost by the list.
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, useStage, visit } from '../support/browser.ts';

/** Holds back the answer of a GET, which the server has made. `asked` resolves when it has, `go` lets it through. */
async function holdBack(page: Page, pathname: string) {
  let go: () => void = () => {};
  const held = new Promise<void>((open) => {
    go = open;
  });
  const asked = new Promise<void>((answered) => {
    const hold = async (route: Route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      answered();
      await held;
      await route.fulfill({ response });
    };
    void page.route((url) => url.pathname === pathname, hold);
  });
  await asked;
  return go;
}

describe.skipIf(chromiumPath === null)('what changes while a list is on its way', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const { api } = stage;

  /** A page whose list is held back; `heard` resolves when news of this type have come over its WebSocket. */
  async function visitHeld(path: string, pathname: string, type: string) {
    const visited = await visit(stage.browser, { key: stage.server.key });
    const { page } = visited;
    const heard = new Promise<void>((told) => {
      page.on('websocket', (socket) => {
        socket.on('framereceived', ({ payload }) => String(payload).includes(`"${type}"`) && told());
      });
    });
    const held = holdBack(page, pathname);
    await page.goto(`${stage.server.baseUrl}/#${path}`);
    const go = await held;
    // The list may be older than what the page follows, so the topic is followed before anything changes.
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    return { ...visited, heard, go };
  }

  it('a decision that a run asks for', async () => {
    const { page, heard, go, complaints, close } = await visitHeld('/', '/api/agent/escalations', 'escalation.raised');
    const body = { goal: 'Find the way', modelId: 'scripted:ask', autoStart: true };
    const run = await api().agentRuns.create({ body });
    await heard;
    go();
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}`);
    await page.locator('.gate-bar').getByRole('button', { name: 'Left' }).waitFor();
    await api().agentRuns.cancel({ params: { id: run.id } });
    expect(complaints).toEqual([]);
    await close();
  });

  it('a run that is made', async () => {
    const { page, heard, go, complaints, close } = await visitHeld('/runs', '/api/agent/runs', 'run.created');
    await api().agentRuns.create({ body: { goal: 'Be seen at once', modelId: 'scripted:hello' } });
    await heard;
    go();
    await page.getByRole('link', { name: /Be seen at once/ }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

// Lists that were on their way while something changed: the news of it came first, and is not lost by the list.
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, useStage, visit } from '../support/browser.ts';

/** Holds back answers to a GET. Resolves once the server has made the first one, with what lets all of them through. */
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

  interface Held {
    path: string;
    /** Of the list that is held back. */
    pathname: string;
    topic: string;
    /** Type of the news that overtake it. */
    type: string;
  }

  /** A page that follows the topic, and whose list is held back; `heard` resolves when the news have come. */
  async function visitHeld({ path, pathname, topic, type }: Held) {
    const visited = await visit(stage.browser, { key: stage.server.key });
    const { page } = visited;
    const receives = (text: string) =>
      new Promise<void>((received) => {
        page.on('websocket', (socket) => {
          socket.on('framereceived', ({ payload }) => String(payload).includes(text) && received());
        });
      });
    const [followed, heard] = [receives(`"topics":["${topic}"]`), receives(`"${type}"`)];
    const held = holdBack(page, pathname);
    await page.goto(`${stage.server.baseUrl}/#${path}`);
    const go = await held;
    await followed;
    return { ...visited, heard, go };
  }

  it('a decision that a run asks for', async () => {
    const { page, heard, go, complaints, close } = await visitHeld({
      ...{ path: '/', pathname: '/api/agent/escalations' },
      ...{ topic: 'escalations', type: 'escalation.raised' },
    });
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
    const { page, heard, go, complaints, close } = await visitHeld({
      ...{ path: '/runs', pathname: '/api/agent/runs' },
      ...{ topic: 'runs', type: 'run.created' },
    });
    await api().agentRuns.create({ body: { goal: 'Be seen at once', modelId: 'scripted:hello' } });
    await heard;
    go();
    await page.getByRole('link', { name: /Be seen at once/ }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

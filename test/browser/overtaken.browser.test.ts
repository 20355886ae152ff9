// Lists that were on their way while something changed, before or after the page follows its topic: nothing is lost.
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, drawn, useStage, visit } from '../support/browser.ts';

/** Holds back answers to a GET, all or the first ones. Resolves once the server has made the first one, with what lets all of them through. */
async function holdBack(page: Page, pathname: string, query = '', times = Number.POSITIVE_INFINITY) {
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
    void page.route((url) => url.pathname === pathname && url.search.includes(query), hold, { times });
  });
  await asked;
  return go;
}

/** Holds back the page's subscription of a topic, with what it says after that. Resolves with what lets them through. */
async function holdSubscription(page: Page, topic: string) {
  const held: ((late: boolean) => void)[] = [];
  let isHeld = true;
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await page.routeWebSocket(/\/api\/ws/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (held.length === 0 && !String(frame).includes(`"topics":["${topic}"]`)) return server.send(frame);
      if (isHeld) held.push((late) => server.send(late ? String(frame).replace(/,"replaySeconds":\d+/, '') : frame));
      else server.send(frame);
      asked();
    });
  });
  return {
    isAsked,
    /** `late`: after so long that a replay goes back no longer to what was missed. */
    go(late: boolean) {
      isHeld = false;
      for (const send of held) send(late);
    },
  };
}

/** Holds back a POST. Resolves once it is asked for, with what lets it through and waits until the page has taken it. */
function holdPost(page: Page, pathname: string): Promise<() => Promise<void>> {
  return new Promise((asked) => {
    const hold = async (route: Route) => {
      if (route.request().method() !== 'POST') return route.continue();
      asked(async () => {
        const made = page.waitForEvent('requestfinished', (one) => one === route.request());
        await route.continue();
        await made;
        await drawn(page);
      });
    };
    void page.route((url) => url.pathname === pathname, hold);
  });
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
    /** How many times it is held back; always unless given. */
    times?: number;
  }

  /** A page that follows the topic, and whose list is held back; `heard` resolves when the news have come. */
  async function visitHeld({ path, pathname, topic, type, times }: Held) {
    const visited = await visit(stage.browser, { key: stage.server.key });
    const { page } = visited;
    const receives = (text: string) =>
      new Promise<void>((received) => {
        page.on('websocket', (socket) => {
          socket.on('framereceived', ({ payload }) => String(payload).includes(text) && received());
        });
      });
    const [followed, heard] = [receives(`"topics":["${topic}"]`), receives(`"${type}"`)];
    const held = holdBack(page, pathname, '', times);
    await page.goto(`${stage.server.baseUrl}/#${path}`);
    const go = await held;
    await followed;
    return { ...visited, heard, go };
  }

  it('where one has gone meanwhile', async () => {
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
    const held = holdBack(page, '/api/agent/runs', 'modelId=scripted');
    await page.goto(`${stage.server.baseUrl}/#/`);
    const go = await held;
    await page.goto(`${stage.server.baseUrl}/#/projects`);
    const answered = page.waitForEvent('requestfinished', (one) => one.url().includes('modelId=scripted'));
    go();
    await answered;
    await drawn(page);
    expect(page.url()).toMatch(/#\/projects$/);
    // What was asked for there is made, and does not call back.
    await page.unrouteAll();
    await page.goto(`${stage.server.baseUrl}/#/runs?new=1`);
    const making = holdPost(page, '/api/agent/runs');
    await page.getByRole('dialog').getByLabel('Goal', { exact: true }).fill('Count the boats');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const make = await making;
    await page.goto(`${stage.server.baseUrl}/#/projects`);
    await make();
    expect(page.url()).toMatch(/#\/projects$/);
    // A role that was asked for is made, and no other page has it chosen.
    await page.goto(`${stage.server.baseUrl}/#/people?tab=roles`);
    const adding = holdPost(page, '/api/roles');
    await page.getByRole('button', { name: 'New role' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Counter of boats');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const add = await adding;
    await page.goto(`${stage.server.baseUrl}/#/projects`);
    await add();
    expect(page.url()).toMatch(/#\/projects$/);
    expect((await api().agentRuns.list({ query: { q: 'Count the boats' } })).items).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it('the count of unread messages', async () => {
    const me = (await api().auth.me()).identity?.id ?? 0;
    const { page, heard, go, complaints, close } = await visitHeld({
      ...{ path: '/inbox', pathname: '/api/messages/threads' },
      ...{ topic: 'me', type: 'inbox.count', times: 1 },
    });
    const { id: identityId } = await api().identities.create({ body: { name: 'pilot', type: 'AI' } });
    const { rawKey } = await api().identityKeys.create({ params: { identityId }, body: { name: 'of the test' } });
    const pilot = createClient({ baseUrl: stage.server.baseUrl, token: rawKey });
    const loaded = () => page.waitForEvent('requestfinished', (one) => one.url().includes('/api/messages/threads'));
    const again = loaded();
    await pilot.messages.send({ body: { recipientIds: [me], content: 'The ford is passable.' } });
    await heard;
    await again;
    const late = loaded();
    go();
    await late;
    await drawn(page);
    expect(await page.locator('a[href="#/inbox"] .badge').first().textContent()).toBe('1');
    expect(complaints).toEqual([]);
    await close();
  });

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

  const made = [
    [
      'connectors',
      'No connector matches',
      (name: string) => api().connectors.create({ body: { name, type: 'Email' } }),
    ],
    ['runs', 'No run matches', (goal: string) => api().agentRuns.create({ body: { goal } })],
  ] as const;
  it.each(
    made.flatMap(([topic, none, make]) => [
      { topic, none, make, late: false },
      { topic, none, make, late: true },
    ]),
  )(
    'before the topic of $topic is followed over an open connection, late: $late',
    async ({ topic, none, make, late }) => {
      const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key });
      const { isAsked, go } = await holdSubscription(page, topic);
      await page.clock.install();
      await page.goto(`${stage.server.baseUrl}/#/inbox`);
      await page.locator('.dot[data-phase="live"]').waitFor();
      const name = `The other bank, late: ${late}`;
      await page.goto(`${stage.server.baseUrl}/#/${topic}?q=${encodeURIComponent(name)}`);
      await isAsked;
      await page.getByText(none).waitFor();
      await make(name);
      if (late) await page.clock.fastForward(5000);
      go(late);
      await page.getByRole('link', { name }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );
});

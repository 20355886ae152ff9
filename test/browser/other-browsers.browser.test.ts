// The main job and all pages of the dashboard in Firefox and in WebKit, which is Safari's engine.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { buildDashboard } from '../support/browser.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { type OtherBrowser, otherBrowsers, presses } from '../support/other-browsers.ts';

const keys = { enter: '\uE007', control: '\uE009', shift: '\uE008', end: '\uE010', left: '\uE012' };

describe.each(Object.entries(otherBrowsers))('%s', (name, launch) => {
  if (launch === null) console.warn(`the dashboard is not tried in ${name}, which is not installed here`);

  describe.skipIf(launch === null)('on the dashboard', () => {
    let server: ChildServer;
    let browser: OtherBrowser;
    let api: Client;
    beforeAll(async () => {
      buildDashboard();
      server = await createChildServer();
      await server.start();
      api = createClient({ baseUrl: server.baseUrl, token: server.key });
      browser = await (launch as () => Promise<OtherBrowser>)();
    });
    afterAll(async () => {
      await browser?.close();
      await server?.close();
    });
    let loads = 0;
    // A change of the hash alone would load nothing.
    const open = (path: string) => browser.goto(`${server.baseUrl}/?${++loads}#${path}`);
    const holds = (condition: string) =>
      expect.poll(() => browser.run(`Boolean(${condition})`), { message: condition }).toBe(true);
    const press = (...all: string[]) => browser.act(presses(...all));
    const type = (text: string) => browser.act([...text].flatMap((key) => presses(key)));
    const focus = (what: string) => browser.run(`void document.querySelector(${JSON.stringify(what)}).focus()`);

    it('says what its console complains of', async () => {
      await browser.goto(`${server.baseUrl}/`);
      await browser.run(`console.error('a complaint')`);
      await expect.poll(async () => (await browser.complaints()).join()).toContain('a complaint');
    });

    it('signs in, starts a run and sees it end, and chats', async () => {
      await browser.goto(`${server.baseUrl}/`);
      await holds(`document.querySelector('form input')`);
      await focus('form input');
      await type(server.key);
      await press(keys.enter);
      await holds(`document.querySelector('[data-testid=connection][data-phase=live]')`);
      await open('/runs');
      await holds(`document.querySelector('h1')?.textContent === 'Runs'`);
      await press('n');
      await holds(`document.activeElement.tagName === 'TEXTAREA'`);
      await type(`Run in ${name}`);
      await press(keys.control, keys.enter);
      await holds(`document.querySelector('.run-goal')?.textContent === 'Run in ${name}'`);
      await holds(`document.querySelector('.run-head .chip')?.textContent.includes('Completed')`);
      await holds(`document.querySelector('[data-testid=timeline] .entry[data-kind=turn]')`);
      await open('/chat/new');
      await holds(`document.activeElement.tagName === 'TEXTAREA'`);
      const height = () => browser.run<number>('document.activeElement.offsetHeight');
      const low = await height();
      for (const line of ['One', 'two', 'three']) {
        await type(line);
        await press(keys.shift, keys.enter);
      }
      expect(await height()).toBeGreaterThan(low * 1.5);
      await type('Hello');
      await press(keys.enter);
      await holds(`document.querySelector('.message[data-role=assistant][data-message]')?.innerText.includes('Hello')`);
      expect(await browser.complaints()).toEqual([]);
    });

    it('goes a hundredth of a replay by each arrow key', async () => {
      const { id } = await api.agentRuns.create({
        body: { goal: 'Be replayed', modelId: 'scripted:echo', autoStart: true },
      });
      await api.agentRuns.wait({ params: { id }, query: { timeoutMs: 30_000 } });
      await open(`/runs/${id}?moment=1`);
      // When the bar is drawn, events are still to come, and each moves its end.
      const events = await api.agentRuns.events({ params: { runId: id } });
      await holds(`document.querySelector('.replay-place')?.textContent.endsWith(' ${events.length}')`);
      await focus('.replay-range');
      await press(keys.end);
      const place = `(({ min, max, value }) => Math.round(100 * (value - min) / (max - min)))(document.querySelector('.replay-range'))`;
      await holds(`${place} === 100`);
      await press(keys.left);
      await holds(`${place} === 99`);
    });

    it('shows every page', async () => {
      const listed = JSON.parse(readFileSync(resolve('dist/web/pages.json'), 'utf8')) as string[];
      const pages = listed.filter((path) => !/:|consent|sign-in/.test(path));
      expect(pages.length).toBeGreaterThan(30);
      for (const path of pages) {
        await browser.run(`void (location.hash = '${path}')`);
        await holds(`document.querySelector('.main h1') && !document.querySelector('[role=status][aria-busy=true]')`);
        expect(
          await browser.run(
            `document.querySelector('.main .state[data-tone=bad], .main [role=alert]')?.textContent ?? ''`,
          ),
        ).toBe('');
        expect(
          `${path} ${await browser.run(`document.querySelector('.main').scrollWidth - document.querySelector('.main').clientWidth`)}`,
        ).toBe(`${path} 0`);
      }
      expect(await browser.complaints()).toEqual([]);
    });

    it('shows the reference and the page of a bot', async () => {
      const { id } = await api.identities.create({ body: { name: 'Pilot', type: 'AI' } });
      const body = { displayName: 'Pilot', isPublished: true, greeting: 'Ahoy' };
      const { publicUrl } = await api.botProfiles.replace({ params: { identityId: id }, body });
      await browser.goto(publicUrl ?? '');
      await focus('#text');
      await type('Where to?');
      await press(keys.enter);
      await holds(`document.querySelector('.assistant.formatted:not([data-greeting])')`);
      await browser.goto(`${server.baseUrl}/docs`);
      await holds(`document.querySelector('h1')`);
      expect(await browser.complaints()).toEqual([]);
    });
  });
});

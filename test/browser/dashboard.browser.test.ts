// biome-ignore-all lint/style/noExcessiveLinesPerFile: every page is tried in one browser.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Request } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { createClient } from '../../src/client/client.ts';
import {
  chromiumPath,
  expectAccessible,
  expectStill,
  expectWellMade,
  linkOf,
  screens,
  startFresh,
  useStage,
  visit,
} from '../support/browser.ts';

/** Turns of the scripted demo take seconds; a slow machine may need many more. */
const patient = { timeout: 45_000 };
const phone = { width: 390, height: 844 };
/** Axe looks at sixty pages. */
const everyPageMs = 300_000;

type Sizes = Awaited<ReturnType<Request['sizes']>>;
/** Bytes of a request; of one that ends with its page nobody asks any more. */
const sized = (request: Request, of: (sizes: Sizes) => number): Promise<number> => {
  const bytes = request.sizes().then(of);
  bytes.catch(() => {});
  return bytes;
};

describe.skipIf(chromiumPath === null)('the dashboard', () => {
  const stage = useStage();
  const { api, open } = stage;
  /** A page that is to be followed from before it opens. */
  const signedIn = (options = {}) => visit(stage.browser, { key: stage.server.key, ...options });
  /** A run that has ended. */
  const played = async () => {
    const body = { goal: 'Say something', modelId: 'scripted:echo', autoStart: true };
    const { id } = await api().agentRuns.create({ body });
    return api().agentRuns.wait({ params: { id }, query: { timeoutMs: 30_000 } });
  };

  it('opens sockets to its own server and to no other', async () => {
    const other = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => other.close());
    await once(other, 'listening');
    const { page, close } = await signedIn();
    const spoke = page.waitForEvent('websocket').then(async (socket) => {
      await socket.waitForEvent('framereceived');
      return new URL(socket.url()).host;
    });
    await page.goto(stage.server.baseUrl);
    expect(await spoke).toBe(new URL(stage.server.baseUrl).host);
    const outcome = await page.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
      new WebSocket('ws://127.0.0.1:${(other.address() as AddressInfo).port}').onopen = () => resolve('opened');
    })`);
    expect(outcome).toBe('connect-src');
    await close();
  });

  it('signs in by the one-time link, starts a run and watches it to its question', async () => {
    const link = linkOf(await startFresh());
    const { page, complaints, close } = await visit(stage.browser);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    expect(page.url()).not.toContain('token');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'New run' }).first().click();
    await page.getByLabel('Goal', { exact: true }).fill('Show me what a run looks like');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Show me what a run looks like' }).waitFor();
    await page
      .getByTestId('timeline')
      .getByText(/^Turn \d+$/)
      .first()
      .waitFor(patient);
    await page
      .locator('.run-head .chip')
      .getByText(/Waiting for decision|Completed/)
      .waitFor(patient);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('cell', { name: /Show me what a run looks like/ }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the words as they come, and the same words to who comes later', async () => {
    const run = await api().agentRuns.create({ body: { goal: 'Stream some words', autoStart: true } });
    const first = await open(`/runs/${run.id}`);
    await first.page.locator('.entry[data-kind=turn] .markdown').first().waitFor(patient);
    await first.page
      .locator('.run-head .chip')
      .getByText(/Waiting for decision|Completed/)
      .waitFor(patient);
    const words = await first.page.locator('.entry[data-kind=turn]').last().innerText();
    const second = await open(`/runs/${run.id}`);
    await second.page
      .getByText(words.split('\n').at(-1) ?? '')
      .first()
      .waitFor(patient);
    expect([...first.complaints, ...second.complaints]).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });

  it('asks before it cancels, says what that reaches, and shows what it reached', async () => {
    const run = await api().agentRuns.create({ body: { goal: 'Be cancelled' } });
    const { page, complaints, close } = await open(`/runs/${run.id}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('This reaches 1 run.').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText(`It reached 1 run: #${run.id}`).waitFor();
    await page.locator('.run-head .chip').getByText('Cancelled').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('keeps the list of runs current without a reload', async () => {
    const { page, complaints, close } = await open('/runs');
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    const run = await api().agentRuns.create({ body: { goal: 'Appear by yourself' } });
    await page.getByRole('link', { name: 'Appear by yourself' }).waitFor();
    await api().agentRuns.cancel({ params: { id: run.id } });
    await page.locator(`[data-run="${run.id}"]`).getByText('Cancelled').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('loses the network and catches up by itself', async () => {
    const run = await api().agentRuns.create({ body: { goal: 'Be noticed later' } });
    const { page, close } = await open(`/runs/${run.id}`);
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    await page.context().setOffline(true);
    await api().agentRuns.start({ params: { id: run.id } });
    await page.context().setOffline(false);
    await page
      .locator('.run-head .chip')
      .getByText(/Waiting for decision|Completed/)
      .waitFor(patient);
    await page
      .getByTestId('timeline')
      .getByText(/^Turn \d+$/)
      .first()
      .waitFor(patient);
    await close();
  });

  it('survives a restart of the server under an open page', async () => {
    const { page, close } = await open('/runs');
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    await stage.server.kill();
    await page.locator('[data-testid=connection][data-phase=offline]').waitFor(patient);
    await stage.server.start();
    await page.locator('[data-testid=connection][data-phase=live]').waitFor(patient);
    await api().agentRuns.create({ body: { goal: 'Made after the restart' } });
    await page.getByRole('link', { name: 'Made after the restart' }).waitFor();
    await close();
  });

  it('is operated by keys alone', async () => {
    const { page, complaints, close } = await open('/system');
    await played();
    await page.getByRole('heading', { name: 'System', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.locator('[data-run]').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.run-goal').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Goal', { exact: true }).waitFor();
    await page.keyboard.type('Typed, not clicked');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Typed, not clicked' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('identities');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Identities and keys' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)(
    'is accessible on every page and no wider than the screen, $colorScheme',
    async (screen) => {
      const run = await played();
      const { page, complaints, close } = await signedIn({ ...screen, hasTouch: screen.viewport.width < 700 });
      for (const path of [
        '/runs',
        `/runs/${run.id}`,
        '/escalations',
        '/runs/999999',
        '/chat',
        '/chat/new',
        '/chat/prompts',
        '/chat/prompts?prompt=new',
        '/nowhere',
        '/analytics',
        '/models',
        '/models?tab=models',
        '/models?tab=routes',
        '/models?tab=budgets',
        '/models?tab=usage',
        '/models?tab=calls',
        '/models?tab=try',
        '/models?tab=settings',
        '/roles',
        '/roles?tab=profiles',
        '/roles?tab=tools',
        '/identities',
        '/identities?tab=keys',
        '/identities?tab=souls',
        '/identities/1',
        '/help',
        '/people',
        '/people?tab=roles',
        '/organisation',
        '/export',
        '/imports',
        '/runs/compare',
        '/goals',
        '/evaluation',
        '/mirror',
        '/routines',
        '/webhooks',
        '/bots',
        '/connectors',
        '/channels',
        '/memory',
        '/memory/facts',
        '/memory/lessons',
        '/memory/rules',
        '/memory/graph',
        '/memory/hydration',
        '/inbox',
        '/logs',
        '/logs?tab=subscriptions',
        '/audit',
        '/billing',
        '/policy',
        '/account',
        '/account?tab=security',
        '/system',
        '/system?tab=connections',
        '/system?tab=queues',
        '/system?tab=maintenance',
        '/system?tab=settings',
        `/runs/${run.id}?tab=about`,
        `/runs/${run.id}?tab=talk`,
        `/runs/${run.id}?tab=terminal`,
        `/runs/${run.id}?tab=checkpoints`,
      ]) {
        await page.goto(`${stage.server.baseUrl}/#${path}`);
        await page.locator('.page, .chat, .state').first().waitFor();
        await expectWellMade(page);
      }
      expect(complaints.filter((one) => !one.includes('999999'))).toEqual([]);
      await close();
    },
    everyPageMs,
  );

  it('calls the window like the thing that it shows', async () => {
    const name = `Title ${crypto.randomUUID().slice(0, 6)}`;
    const project = await api().projects.create({ body: { name } });
    const identity = await api().identities.create({ body: { name, type: 'AI' } });
    const connector = await api().connectors.create({ body: { name, type: 'Email' } });
    const webhook = await api().webhooks.create({ body: { name, url: 'https://example.org/hook', eventTypes: ['*'] } });
    const { page, close } = await stage.open('/projects');
    const goes = {
      [`projects/${project.id}`]: name,
      [`identities/${identity.id}`]: name,
      identities: 'Identities and keys',
    };
    const further = {
      [`connectors/${connector.id}`]: name,
      [`webhooks/${webhook.webhook.id}`]: name,
      webhooks: 'Webhooks',
    };
    for (const [path, title] of Object.entries({ ...goes, ...further })) {
      await page.goto(`${stage.server.baseUrl}/#/${path}`);
      await expect.poll(() => page.title()).toBe(`${title} · Rivulet`);
    }
    await close();
  });

  it('fits a phone', async () => {
    await played();
    const { page, complaints, close } = await signedIn({ viewport: phone, hasTouch: true });
    await page.goto(`${stage.server.baseUrl}/#/roles`);
    await page.getByRole('link', { name: 'Runs' }).last().tap();
    await page.locator('[data-run]').first().waitFor();
    // The choice of a run stands beside its title, not behind its figures.
    const topOf = async (part: string) => (await page.locator(`[data-run] ${part}`).first().boundingBox())?.y ?? 0;
    expect(Math.abs((await topOf('.choose-col')) - (await topOf('.goal-col')))).toBeLessThan(12);
    await expectAccessible(page);
    await page.goto(`${stage.server.baseUrl}/#/models?tab=models`);
    await page
      .getByRole('row', { name: /scripted:echo/ })
      .getByText('scripted', { exact: true })
      .first()
      .waitFor();
    expect(await page.getByText('no price known').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('makes and revokes a key', async () => {
    const { page, complaints, close } = await open('/identities?tab=keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('from the browser');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const secret = await page.locator('.secret .copyable').innerText();
    expect(secret).toMatch(/^rvt_/);
    expect((await createClient({ baseUrl: stage.server.baseUrl, token: secret }).auth.me()).kind).toBe('IdentityKey');
    const row = page.getByRole('row', { name: /from the browser/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke the key from the browser?' });
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Its connections are closed.').waitFor();
    await expect(createClient({ baseUrl: stage.server.baseUrl, token: secret }).auth.me()).rejects.toMatchObject({
      status: 401,
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it('says why a wrong key is refused', async () => {
    const { page, close } = await visit(stage.browser);
    await page.goto(stage.server.baseUrl);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectStill(page);
    await page.getByRole('textbox', { name: 'Key' }).fill('rvt_not-a-key-of-this-server-0123456789');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('npm run admin:link').waitFor();
    await expectAccessible(page);
    await close();
  });

  it('asks for no connection with a session that is being ended', async () => {
    const link = linkOf(await startFresh());
    const { page, complaints, close } = await visit(stage.browser);
    await page.goto(link);
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    let answered = false;
    await page.route('**/api/auth/logout', async (route) => {
      const response = await route.fetch();
      // The session is over for the server: what asks now is refused.
      await page.evaluate("window.dispatchEvent(new Event('online'))");
      await page.evaluate('fetch("/api/system/info").then((response) => response.text())');
      answered = true;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: /, menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('tab', { name: 'Password' }).waitFor();
    expect(answered).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it('asks before a sign-in link replaces a session, sets a password and signs in with it', async () => {
    const link = linkOf(await startFresh());
    const { page, complaints, close } = await visit(stage.browser);
    await page.goto(link);
    const live = page.locator('[data-testid=connection][data-phase=live]');
    await live.waitFor();
    const session = () => page.evaluate<string>(`localStorage['rivulet.session']`);
    const before = await session();
    // What a script on the page could take is good for minutes.
    expect(Object.keys(JSON.parse(before)).sort()).toEqual(['accessToken', 'expiresAt', 'kind']);
    expect(before).not.toContain('rft_');
    expect(await page.evaluate<string>('document.cookie')).toBe('');
    await page.goto(link);
    await page.getByText('You are signed in here already.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await live.waitFor();
    expect(await session()).toBe(before);

    await page.getByRole('button', { name: /, menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Set a password' }).click();
    await page.getByLabel('New password').fill('a few words make a good one');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password set').waitFor();
    await page.getByRole('button', { name: /, menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('tab', { name: 'Password' }).click();
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('a few words make a good one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await live.waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('loads little before the list of runs: at most 120 KiB of JavaScript, compressed, and 1.5 s at 1.5 Mbit/s', async () => {
    const { page, close } = await signedIn();
    const scripts: Promise<number>[] = [];
    const foreign: string[] = [];
    page.on('requestfinished', (request) => {
      if (!request.url().startsWith(stage.server.baseUrl)) foreign.push(request.url());
      if (request.resourceType() === 'script') scripts.push(sized(request, (sizes) => sizes.responseBodySize));
    });
    await played();
    const all: Promise<number>[] = [];
    const asked: string[] = [];
    /** Requests as they are sent, and scripts as they have come. */
    const order: string[] = [];
    page.on('request', (request) => order.push(new URL(request.url()).pathname));
    page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      asked.push(`${request.method()} ${pathname}`);
      if (/^\/assets\/index-.*\.js$/.test(pathname)) order.push('the scripts are there');
      all.push(sized(request, (sizes) => sizes.responseBodySize + sizes.responseHeadersSize));
    });
    const devtools = await page.context().newCDPSession(page);
    const throughput = 1.5e6 / 8;
    const slow = { offline: false, latency: 100, downloadThroughput: throughput, uploadThroughput: throughput };
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', slow);
    const begun = performance.now();
    await page.goto(`${stage.server.baseUrl}/#/runs`);
    await page.locator('[data-run]').first().waitFor();
    const shownMs = performance.now() - begun;
    const total = (await Promise.all(all)).reduce((sum, size) => sum + size, 0);
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0);
    console.log(
      `first load: ${(bytes / 1024).toFixed(1)} of ${(total / 1024).toFixed(1)} KiB are JavaScript, in ${scripts.length} files; shown after ${shownMs.toFixed(0)} ms`,
    );
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(120 * 1024);
    // What the network takes for them leaves time for four round trips; fonts are not waited for.
    expect(total / throughput).toBeLessThan(1.1);
    expect(asked.filter((one) => /openapi|\/events$/.test(one))).toEqual([]);
    // Two round trips in sequence, the page and all that it needs: what it shows is asked for beside the scripts, once.
    const before = order.slice(0, order.indexOf('the scripts are there'));
    expect(before).toEqual(expect.arrayContaining(['/api/system/info', '/api/auth/me', '/api/agent/runs']));
    for (const path of ['/api/system/info', '/api/auth/me'])
      expect(order.filter((one) => one === path)).toEqual([path]);
    expect(foreign).toEqual([]);
    await close();
  });
});

describe.skipIf(chromiumPath === null)('the first start without a model', () => {
  const stage = useStage(() => ({ RIVULET_ADMIN_KEY: '' }));

  it('has a demo run to look at, runs it again on one click, and says how to plug in a model', async () => {
    const { page, complaints, close } = await visit(stage.browser);
    await page.goto(linkOf(stage.server));
    // A newcomer arrives inside the live demo run, with what can be done next.
    await page.getByRole('heading', { name: 'Demo: show what a run looks like' }).waitFor();
    const steps = page.getByRole('region', { name: 'Next steps' });
    await steps.getByRole('button', { name: 'Start a run of your own' }).waitFor();
    await steps.getByRole('button', { name: 'Connect a model' }).waitFor();
    await expectAccessible(page);
    await steps.getByRole('button', { name: 'Hide' }).click();
    await page.goto(`${stage.server.baseUrl}/#/`);
    await page.getByRole('link', { name: 'Demo: show what a run looks like' }).waitFor();
    await page.getByText('No model is configured, so runs use the scripted demo model.').waitFor();
    // The demo that the server has begun plays at the pace that is written for readers; its repetition need not.
    await page.route('**/api/agent/runs', (route) => {
      const asked = route.request().postDataJSON() as { modelId: string };
      expect(asked.modelId).toBe('scripted:demo');
      return route.continue({ postData: JSON.stringify({ ...asked, modelId: 'scripted:demo@10' }) });
    });
    await page.getByRole('button', { name: 'Run the demo' }).click();
    await page.getByText('scripted, not a real model').waitFor();
    await page.locator('.run-head .chip').getByText('Waiting for decision').waitFor(patient);
    await page.locator('.option').getByText('Write the report', { exact: true }).click();
    await page.locator('.run-head .chip').getByText('Completed').waitFor(patient);
    await page.goto(`${stage.server.baseUrl}/#/runs`);
    await page.getByText('2 runs', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

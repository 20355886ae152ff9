// Channels in the dashboard: made without showing a secret again, tested, looked at, switched off and deleted.
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

const secret = `whsec_${'A'.repeat(44)}`;

const statusAt: Record<string, number> = { '/broken': 500, '/gone': 410 };

describe.skipIf(chromiumPath === null)('channels', () => {
  const stage = useStage();
  let receiver: Server;
  let at = '';
  /** What each path was last sent as authorization. */
  const authorizedBy = new Map<string | undefined, string | undefined>();
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      authorizedBy.set(request.url, request.headers.authorization);
      request
        .resume()
        .on('end', () => response.writeHead(statusAt[request.url ?? ''] ?? 200).end('{"id":"m1","ok":true}'));
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  /** A callback that is signed as the channel's own. */
  const own = (id: number, sent: object) => {
    const [body, messageId, now] = [JSON.stringify(sent), crypto.randomUUID(), new Date()];
    const headers = {
      ...{ 'webhook-id': messageId, 'webhook-timestamp': String(Math.floor(now.getTime() / 1000)) },
      ...{ 'webhook-signature': new Webhook(secret).sign(messageId, now, body), 'content-type': 'application/json' },
    };
    return fetch(`${stage.server.baseUrl}/api/channels/${id}/inbound`, { method: 'POST', body, headers });
  };
  /** A callback of Slack that is signed with this secret: what it is answered. */
  const bySlack = async (id: number, signingSecret: string) => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'Ahoy' });
    const time = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
    const headers = {
      ...{ 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${mac}` },
      'content-type': 'application/json',
    };
    const url = `${stage.server.baseUrl}/api/channels/${id}/inbound`;
    const answer = await fetch(url, { method: 'POST', body, headers });
    return answer.ok ? ((await answer.json()) as { challenge: string }).challenge : answer.status;
  };
  afterAll(async () => {
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  });

  it.each(screens)('are made, tested, looked at, switched off and deleted, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/channels', screen);
    const dialog = page.getByRole('dialog');
    const name = `Harbour ${crypto.randomUUID().slice(0, 6)}`;
    await page.getByRole('button', { name: 'New channel' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Service').selectOption('Webhook');
    await dialog.getByLabel('Direction').selectOption('Both');
    await dialog.getByLabel('URL').fill(`${at}/hook`);
    await dialog.getByLabel('Secret').fill('hunter2');
    await dialog.getByLabel('Patterns of events').fill('escalation.*');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The secret is not whsec_').waitFor();
    // What was written outlives a reload, but for secrets.
    await page.reload();
    await page.getByRole('button', { name: 'New channel' }).click();
    expect(await dialog.getByLabel('Name').inputValue()).toBe(name);
    expect(await dialog.getByLabel('Secret').inputValue()).toBe('');
    await dialog.getByLabel('URL').fill(`${at}/hook`);
    await dialog.getByLabel('Secret').fill(secret);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText(/\/api\/channels\/\d+\/inbound/).waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Send a test' }).click();
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    const row = deliveries.getByRole('row').filter({ hasText: `this is a test of the channel ${name}.` });
    await row.getByText('Delivered', { exact: true }).waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/channel-${screen.colorScheme}.png` });
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    await page.getByRole('link', { name }).waitFor({ state: 'detached' });
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
    await close();
  });

  it.each(screens)('ask for each part of a secret by a field of its own, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/channels', screen);
    const dialog = page.getByRole('dialog');
    const name = `Pier ${crypto.randomUUID().slice(0, 6)}`;
    const place = `/pier-${screen.colorScheme}`;
    await page.getByRole('button', { name: 'New channel' }).click();
    await dialog.getByLabel('Name').fill(name);
    // What is a token of one service is none of another.
    await dialog.getByLabel('Service').selectOption('Telegram');
    await dialog.getByLabel('Bot token').fill('of-another-service');
    await dialog.getByLabel('Secret token').fill('of-another-service');
    await dialog.getByLabel('Service').selectOption('Slack');
    expect(await dialog.getByLabel('Bot token').inputValue()).toBe('');
    await dialog.getByLabel('Direction').selectOption('Both');
    await dialog.getByLabel('URL').fill(at + place);
    await dialog.getByLabel('Place').fill('C1');
    await dialog.getByLabel('Signing secret').fill(' planted-se"cret ');
    await dialog.getByLabel('Bot token').fill('xoxb-planted');
    for (const label of ['Signing secret', 'Bot token'])
      expect(await dialog.getByLabel(label).getAttribute('type')).toBe('password');
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/parts-${screen.colorScheme}.png` });
    const kept = String(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'));
    expect(kept).toContain(name);
    expect(kept).not.toContain('planted');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const id = Number(page.url().split('/').at(-1));
    const messages = `${place}/chat.postMessage`;
    const tested = async () => {
      authorizedBy.delete(messages);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await expect.poll(() => authorizedBy.get(messages)).toBeDefined();
      return authorizedBy.get(messages);
    };
    expect(await tested()).toBe('Bearer xoxb-planted');
    expect([await bySlack(id, 'planted-se"cret'), await bySlack(id, 'another')]).toEqual(['Ahoy', 401]);
    // Fields that are left empty keep what is stored.
    await page.getByRole('button', { name: 'Change' }).click();
    for (const label of ['Signing secret', 'Bot token']) expect(await dialog.getByLabel(label).inputValue()).toBe('');
    await dialog.getByLabel('Name').fill(`${name} again`);
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/kept-${screen.colorScheme}.png` });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: `${name} again`, level: 1 }).waitFor();
    expect(await tested()).toBe('Bearer xoxb-planted');
    expect(await bySlack(id, 'planted-se"cret')).toBe('Ahoy');
    // Written anew, they are replaced.
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Signing secret').fill('another');
    await dialog.getByLabel('Bot token').fill('xoxb-another');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await tested()).toBe('Bearer xoxb-another');
    expect([await bySlack(id, 'planted-se"cret'), await bySlack(id, 'another')]).toEqual([401, 'Ahoy']);
    expect(complaints).toEqual([]);
    // Only now: the page looks again after each change, and would find no channel any more.
    await close();
    await stage.api().channels.remove({ params: { id } });
  });

  it('show what was sent and what failed, who answers and where, and keep what is written from a stray key', async () => {
    const { id: projectId } = await stage.api().projects.create({ body: { name: 'Harbour works' } });
    const { id: identityId } = await stage.api().identities.create({ body: { name: 'Helmsman', type: 'AI' } });
    const { id } = await stage.api().channels.create({
      body: { name: 'Broken', kind: 'Webhook', direction: 'Both', url: `${at}/broken`, secret, identityId, projectId },
    });
    await own(id, { text: 'Which way?', from: 'Ada' });
    const { page, close } = await stage.open(`/channels/${id}`, screens[1]);
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    await deliveries.locator('.chip').getByText('Retrying').first().waitFor();
    await deliveries.getByRole('link', { name: 'Chat' }).first().waitFor();
    for (const fact of ['Helmsman', 'Harbour works', 'kept sealed']) await page.getByText(fact).waitFor();
    await expectWellMade(page);
    await deliveries.getByLabel('Status').selectOption('Failed');
    await deliveries.getByText('No delivery is like that.').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Settings, as JSON').fill('{"deciders":');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('settingsJson is not what a channel knows.').waitFor();
    // The button was disabled meanwhile, which takes the focus from it: Escape still means the dialog.
    await page.keyboard.press('Escape');
    await dialog.getByText('Discard what you wrote?').waitFor();
    await dialog.getByRole('button', { name: 'Keep writing' }).click();
    expect(await dialog.getByLabel('Settings, as JSON').inputValue()).toBe('{"deciders":');
    await close();
  });

  it('that the server has switched off say why, show what failed, and are switched on again', async () => {
    const name = `Wreck ${crypto.randomUUID().slice(0, 6)}`;
    const { id } = await stage.api().channels.create({ body: { name, kind: 'Webhook', url: `${at}/gone`, secret } });
    for (let n = 0; n < 5; n++) await stage.api().channels.test({ params: { id }, body: {} });
    const { page, close } = await stage.open('/channels', screens[1]);
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('Switched off', { exact: true }).waitFor();
    await row.getByText(/5 deliveries in a row failed.* 410/).waitFor();
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/channels-off.png`, fullPage: true });
    await row.getByRole('link', { name }).click();
    await page.getByRole('link', { name: 'See what failed' }).click();
    const failed = page.getByRole('region', { name: 'Deliveries' }).getByRole('row').filter({ hasText: 'Failed' });
    await failed.first().getByText(/410/).waitFor();
    expect(await failed.count()).toBe(5);
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/channel-off.png`, fullPage: true });
    await page.goBack();
    await page.goBack();
    await row.getByRole('button', { name: 'Enable again' }).click();
    await row.getByText('Enabled', { exact: true }).waitFor();
    expect(await stage.api().channels.get({ params: { id } })).toMatchObject({ enabled: true, failureCount: 0 });
    // What failed is sent again from the list.
    statusAt['/gone'] = 200;
    await row.getByRole('link', { name }).click();
    await page.getByRole('button', { name: 'Send again' }).first().click();
    await page
      .getByRole('region', { name: 'Deliveries' })
      .locator('.chip')
      .getByText('Delivered', { exact: true })
      .waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(4);
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/channel-again.png`, fullPage: true });
    await close();
  });
});

// Channels in the dashboard: made without showing a secret again, tested, looked at, switched off and deleted.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('channels', () => {
  const stage = useStage();
  let receiver: Server;
  let at = '';
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(request.url === '/broken' ? 500 : 200).end('{"id":"m1"}'));
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
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
    await dialog.getByLabel('Secret').fill(`whsec_${'A'.repeat(44)}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText(/\/api\/channels\/\d+\/inbound/).waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Send a test' }).click();
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    const row = deliveries.getByRole('row').filter({ hasText: 'this is a test of the channel' });
    await row.getByText('Delivered', { exact: true }).waitFor();
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
});

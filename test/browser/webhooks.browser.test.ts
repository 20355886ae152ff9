// Webhooks in the dashboard: made with a secret that is shown once, tested, looked at, sent again, rotated, switched off and on.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('webhooks', () => {
  const stage = useStage();
  const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 6)}`;
  let receiver: Server;
  let at = '';
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const status = request.url === '/gone' ? 410 : 200;
      request.resume().on('end', () => response.writeHead(status).end(status === 200 ? 'thank you' : 'no more'));
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  });

  it.each(screens)('are made, tested, looked at, sent again, rotated and deleted, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/webhooks', screen);
    const dialog = page.getByRole('dialog');
    const name = unique('Tides');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('URL').fill(`${at}/hook`);
    await dialog.getByLabel('Patterns of events').fill('task.*\nproject:7/fact.written');
    await dialog.getByLabel('Filter, as JSON').fill('{"status":');
    await dialog.getByLabel('Headers').fill('X-Team: lagoon');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    // A filter that is none is refused with how to write one, and what was written stays.
    await page.getByText('filterJson is no filter of events.').waitFor();
    // What was written outlives a reload.
    await page.reload();
    await page.getByRole('button', { name: 'New webhook' }).click();
    expect(await dialog.getByLabel('Headers').inputValue()).toBe('X-Team: lagoon');
    await dialog.getByLabel('Filter, as JSON').fill('{"status":"Failed"}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const secret = page.getByRole('dialog', { name: 'The signing secret' });
    await secret.waitFor();
    // The second press of who pressed "Save" twice falls beside it.
    await page.mouse.click(5, 5);
    const first = await secret.getByText(/^whsec_/).innerText({ timeout: 5000 });
    await expectWellMade(page);
    await secret.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(await page.getByText(first).count()).toBe(0);
    await page.getByText('Nothing has been sent yet').waitFor();
    await page.getByText('X-Team').waitFor();
    await expectWellMade(page);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByLabel('Payload, as JSON').fill('{"tide":"high"}');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    const row = deliveries.getByRole('row').filter({ hasText: 'webhook.test' });
    await row.getByText('Delivered', { exact: true }).waitFor();
    await row.getByText('thank you').waitFor();
    await row.getByText('1 of 9').waitFor();
    await page.getByText('1 delivered, 0 failed').waitFor();
    await expectWellMade(page);
    await row.getByRole('button', { name: 'Look' }).click();
    await dialog.getByText('"high"').waitFor();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await deliveries.getByText('2 deliveries').waitFor();
    await page.getByText('2 delivered, 0 failed').waitFor();
    await deliveries.getByLabel('Status').selectOption('Failed');
    await deliveries.getByText('No delivery is like that.').waitFor();

    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialog.getByLabel('Hours in which both sign').fill('2');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await secret.getByText(/The one before signs, too, until/).waitFor();
    expect(await secret.getByText(/^whsec_/).innerText()).not.toBe(first);
    await secret.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Description').fill('For the harbour.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('For the harbour.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.getByRole('link', { name }).waitFor({ state: 'detached' });
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
    await close();
  });

  it.each(screens)('say why one is off, and are switched on again, $colorScheme', async (screen) => {
    const name = unique('Ebb');
    const body = { name, url: `${at}/gone`, eventTypes: ['task.*'] };
    const { webhook } = await stage.api().webhooks.create({ body });
    const { page, complaints, close } = await stage.open('/webhooks', screen);
    const row = page.getByRole('row').filter({ hasText: name });
    await row.getByText('Enabled').waitFor();
    // The same whatever pages were looked at before.
    const marks = `getComputedStyle(document.querySelector('td .plain-list')).listStyleType`;
    expect(await page.evaluate<string>(marks)).toBe('none');
    await stage.api().webhooks.send({ params: { id: webhook.id }, body: {} });
    // Nobody presses a button for what has happened.
    await row.getByText('The receiver answered 410: it wants no more.').waitFor();
    await row.getByText('Disabled').waitFor();
    await page.getByRole('button', { name: 'Disabled' }).click();
    await row.waitFor();
    await expectWellMade(page);
    await row.getByRole('link', { name }).click();
    await page.getByRole('note').getByText('it wants no more').waitFor();
    await page.getByRole('row').filter({ hasText: 'webhook.test' }).getByText('Failed', { exact: true }).waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('note').getByText('Somebody switched it off.').waitFor();
    expect(await stage.api().webhooks.get({ params: { id: webhook.id } })).toMatchObject({ enabled: false });
    expect(complaints).toEqual([]);
    await close();
  });
});

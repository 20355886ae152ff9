// Bots in the dashboard, their public page and its frame on another site.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chromiumPath,
  expectAccessible,
  expectWellMade,
  plainArgs,
  plainUrl,
  screens,
  useStage,
  visit,
} from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('bots', () => {
  const stage = useStage(() => ({}), ...plainArgs);
  let site: Server;
  let framed = '';
  const at = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  beforeAll(async () => {
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<title>Shop</title>${framed}`);
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    site.closeAllConnections();
    await new Promise((done) => site.close(done));
  });

  it.each(screens)(
    'are made of identities, which go on in their channels, and published, $colorScheme',
    async (screen) => {
      const name = `Helmsman ${crypto.randomUUID().slice(0, 6)}`;
      const { id } = await stage.api().identities.create({ body: { name, type: 'AI' } });
      const url = 'http://127.0.0.1:9/hook';
      await stage.api().channels.create({ body: { name: `Room of ${name}`, kind: 'Webhook', url, identityId: id } });
      const { page, complaints, close } = await stage.open('/bots/987654', screen);
      await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
      await expectWellMade(page);
      await page.getByRole('link', { name: 'All bots' }).click();
      await page.getByLabel('Search bots').fill('nobody');
      await page.getByText('No bot matches').waitFor();
      await page.getByRole('button', { name: 'New bot' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Identity').selectOption({ label: name });
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Make it a bot' }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByRole('link', { name: `Room of ${name}` }).waitFor();
      await page.getByLabel('Picture').fill('nonsense');
      await page.getByLabel('Anybody may talk to it').check();
      await page.getByLabel('Sites that may embed its page').fill(at());
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Picture: Invalid URL').waitFor();
      await page.getByLabel('Picture').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('<iframe src="').waitFor();
      await page.getByRole('link', { name: `Room of ${name}` }).waitFor();
      await expectWellMade(page);
      framed = await page.getByText('<iframe src="').innerText();
      expect(complaints.filter((one) => !/40[04]/.test(one))).toEqual([]);
      await close();
      const guest = await visit(stage.browser, screen);
      await guest.page.goto(at());
      const frame = guest.page.frameLocator('iframe');
      await frame.getByLabel('Your message').fill('Where is the harbour?');
      await frame.getByRole('button', { name: 'Send' }).click();
      await frame.locator('.assistant').getByText('Where is the harbour?').waitFor();
      await guest.close();
    },
  );

  it('keep what could not be sent, once, on a page without a secure context', async () => {
    const { id } = await stage.api().identities.create({ body: { name: 'Pilot', type: 'AI' } });
    const greeting = '**Ahoy**, <img src=x onerror="window.hacked=1">';
    const body = { displayName: 'Pilot', isPublished: true, greeting, suggestedPrompts: ['When is high water?'] };
    const { publicUrl } = await stage.api().botProfiles.replace({ params: { identityId: id }, body });
    const { page, close } = await visit(stage.browser, screens[1]);
    await page.goto(plainUrl(publicUrl ?? ''));
    await page.route('**/messages', (route) => route.abort());
    await page.getByRole('button', { name: 'When is high water?' }).click();
    await page.getByText('The message could not be sent: the server cannot be reached.').waitFor();
    expect(await page.getByLabel('Your message').inputValue()).toBe('When is high water?');
    expect(await page.locator('#said .user').count()).toBe(0);
    await page.unroute('**/messages');
    await page.route('**/messages', (route) => route.fulfill({ status: 502, body: '<html>Bad Gateway' }), { times: 1 });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The server does not answer at present. Try again in a moment.').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.assistant').getByText('When is high water?').waitFor();
    expect(await page.locator('#said .user').count()).toBe(1);
    await expectAccessible(page);
    const [written, made] = [
      'As a table:\n\n| a | b |\n|--|:-:|\n| *1* | [x](https://example.org/) |',
      '.assistant td[align=center] a',
    ];
    await page.getByLabel('Your message').fill(written);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator(made).waitFor();
    expect(await page.locator(made).getAttribute('target')).toBe('_blank');
    expect(await page.locator('strong, #said img').allInnerTexts()).toEqual(['Ahoy']);
    await page.reload();
    await page.locator(made).waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    await expectAccessible(page);
    // A server that is away for a moment ends no conversation.
    await page.route('**/conversation', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.reload();
    await page.unroute('**/conversation');
    await page.reload();
    await page.locator('#said .user').getByText('When is high water?').waitFor();
    await close();
  });
});

// Connectors in the dashboard: made, verified, an endpoint added and tried, switched off and deleted.
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('connectors', () => {
  const stage = useStage();

  it.each(screens)('are made, verified, tried and deleted, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/connectors', screen);
    const dialog = page.getByRole('dialog');
    const name = `Harbour ${crypto.randomUUID().slice(0, 6)}`;
    await page.getByRole('button', { name: 'New connector' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/api');
    await dialog.getByLabel('Authentication').selectOption('BearerToken');
    await dialog.getByLabel('Credentials').fill('planted-in-a-browser');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByText('kept sealed').waitFor();
    expect(
      await page.evaluate(() =>
        JSON.stringify(Object.entries((globalThis as unknown as { localStorage: object }).localStorage)),
      ),
    ).not.toContain('planted');
    // This server may not reach itself.
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Not set up').waitFor();
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await dialog.getByLabel('Name').fill('Ships');
    await dialog.getByLabel('Path').fill('/ships/{id}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Try Ships' }).click();
    const input = dialog.getByLabel('Fields, as JSON');
    // What the endpoint takes stands there to be filled in.
    await expect.poll(() => input.inputValue()).toBe('{\n  "id": null\n}');
    await input.fill('{"id":');
    await dialog.getByRole('button', { name: 'Call' }).click();
    await dialog.getByText(/The fields are not JSON/).waitFor();
    await input.fill('{"id":"7"}');
    await dialog.getByRole('button', { name: 'Call' }).click();
    await dialog.getByText(/may not be reached from here/).waitFor();
    expect(await dialog.getByText(/The fields are not JSON/).count()).toBe(0);
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/try-${screen.colorScheme}.png` });
    await dialog.getByText('Close', { exact: true }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/one-${screen.colorScheme}.png` });
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('say on the page of a sign-in that was opened by hand where one begins', async () => {
    const { page, complaints, close } = await stage.open('/connector-sign-in');
    await page.getByRole('heading', { name: 'Nobody is signing in', level: 1 }).waitFor();
    await page.getByText('Begin on the page of the connector.').waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)(
    'ask for a mail server by fields, and take no address of another type along, $colorScheme',
    async (screen) => {
      const { page, complaints, close } = await stage.open('/connectors', screen);
      const dialog = page.getByRole('dialog');
      const name = `Post ${crypto.randomUUID().slice(0, 6)}`;
      await page.getByRole('button', { name: 'New connector' }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('Address').fill('http://127.0.0.1:9/api');
      await dialog.getByLabel('Type').selectOption('Email');
      await dialog.getByLabel('IMAP server').fill('imap.example.com');
      await dialog.getByLabel('SMTP server').fill(' smtp.example.com ');
      await dialog.getByLabel('SMTP security').selectOption('STARTTLS');
      await dialog.getByLabel('SMTP port').fill('2587');
      await dialog.getByLabel('User name').fill('amy');
      await dialog.getByLabel('Password').fill('se"cret');
      await expectWellMade(page);
      // The tab keeps what is written, but for the password.
      const kept = String(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'));
      expect(kept).toContain('imap.example.com');
      expect(kept).not.toContain('cret');
      const sending = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/api/connectors'));
      await dialog.getByRole('button', { name: 'Save' }).click();
      const { credentials, ...rest } = (await sending).postDataJSON();
      expect(rest).toEqual({ name, type: 'Email', authMethod: 'Basic' });
      expect(JSON.parse(credentials)).toEqual({
        imapHost: 'imap.example.com',
        ...{ smtpHost: 'smtp.example.com', smtpPort: '2587', smtpSecurity: 'starttls' },
        ...{ username: 'amy', password: 'se"cret' },
      });
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      const { items } = await stage.api().connectors.list({ query: { q: name } });
      expect(items).toMatchObject([{ type: 'Email', baseUrl: null }]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('read nothing of one that is being deleted, while its parts go', async () => {
    const api = stage.api().connectors;
    const name = `Jetty ${crypto.randomUUID().slice(0, 6)}`;
    const { id } = await api.create({ body: { name, type: 'RestApi', baseUrl: 'http://127.0.0.1:9/api' } });
    const endpoint = await api.createEndpoint({ params: { connectorId: id }, body: { name: 'Ships', path: '/ships' } });
    const [one, list] = [await stage.open(`/connectors/${id}`), await stage.open('/connectors')];
    const asked: string[] = [];
    one.page.on('request', (request) => {
      if (request.url().includes(`/api/connectors/${id}`)) asked.push(`${request.method()} ${request.url()}`);
    });
    await one.page.route(`**/api/connectors/${id}`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      // What was asked until here was of one that stays.
      asked.length = 0;
      await api.removeEndpoint({ params: { id: endpoint.id } });
      await api.patch({ params: { id }, body: { description: 'Half of it is gone.' } });
      // Both pages have heard of it when one of them shows it.
      await list.page.getByText('Half of it is gone.').waitFor();
      await route.continue();
    });
    await one.page.getByRole('button', { name: 'Try Ships' }).waitFor();
    await one.page.getByRole('button', { name: 'Delete' }).click();
    await one.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await one.page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
    expect(asked).toEqual([]);
    expect(one.complaints).toEqual([]);
    await one.close();
    await list.close();
  });

  it('show what changed between their load and the first event that could be heard', async () => {
    const api = stage.api().connectors;
    const name = `Pier ${crypto.randomUUID().slice(0, 6)}`;
    const { id } = await api.create({ body: { name, type: 'RestApi', baseUrl: 'http://127.0.0.1:9/api' } });
    const { page, close } = await stage.open('/connectors');
    let follow = () => {};
    const opened = new Promise<void>((done) => {
      follow = done;
    });
    await page.route('**/api/ws/tickets', (route) => opened.then(() => route.continue()));
    await page.reload();
    await page.getByText(name).waitFor();
    await api.patch({ params: { id }, body: { description: 'It was told to nobody.' } });
    follow();
    await page.getByText('It was told to nobody.').waitFor();
    await close();
    await api.remove({ params: { id } });
  });

  it('sign in at the other side, and say what became of that', async () => {
    const other = 'http://127.0.0.1:9';
    const { id } = await stage.api().connectors.create({
      body: {
        ...{ name: `Quay ${crypto.randomUUID().slice(0, 6)}`, type: 'RestApi', baseUrl: `${other}/api` },
        authMethod: 'OAuth2AuthorizationCode',
        credentials: JSON.stringify({ authorizationUrl: `${other}/auth`, tokenUrl: `${other}/token`, clientId: 'c' }),
      },
    });
    const { page, close } = await stage.open(`/connectors/${id}`);
    await page.route(`${other}/auth**`, (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const back = new URLSearchParams({ state: asked.get('state') ?? '', error: 'access_denied' });
      return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${back}` } });
    });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The other side let nobody in: access_denied.').waitFor();
    await expectWellMade(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/sign-in.png` });
    await close();
  });
});

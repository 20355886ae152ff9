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
    await dialog.getByLabel('Fields, as JSON').fill('{"id":"7"}');
    await dialog.getByRole('button', { name: 'Call' }).click();
    await dialog.getByText(/may not be reached from here/).waitFor();
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

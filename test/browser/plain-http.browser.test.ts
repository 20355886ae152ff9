// The dashboard over plain HTTP on an address that is not localhost: browsers keep much from such pages.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import {
  chromiumPath,
  expectAccessible,
  linkOf,
  plainArgs,
  plainUrl,
  startFresh,
  useStage,
  visit,
} from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('the dashboard over plain HTTP', () => {
  const stage = useStage(() => ({}), ...plainArgs);
  const open = async (path: string) => {
    const visited = await visit(stage.browser, { key: stage.server.key });
    await visited.page.goto(`${plainUrl(stage.server.baseUrl)}/#${path}`);
    expect(await visited.page.evaluate('isSecureContext')).toBe(false);
    return visited;
  };
  const copied = `new Promise((resolve) => addEventListener('copy', () => resolve(String(getSelection())
    || document.activeElement.value), { once: true }))`;

  it('starts a run, and copies its id', async () => {
    const { page, complaints, close } = await open('/runs');
    await page.getByRole('button', { name: 'New run' }).first().click();
    await page.getByLabel('Goal', { exact: true }).fill('Be started over plain HTTP');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Be started over plain HTTP' }).waitFor();
    await expectAccessible(page);
    const text = page.evaluate<string>(copied);
    await page.locator('.run-head .copyable').first().click();
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await text).toMatch(/^\d+$/);
    expect(complaints).toEqual([]);
    await close();
  });

  it('chats, and copies an answer', async () => {
    const { page, complaints, close } = await open('/chat/new');
    await page.getByLabel('Message').fill('Hello over plain HTTP');
    await page.keyboard.press('Enter');
    const answer = page.locator('.message[data-role=assistant][data-message]').last();
    await answer.getByText('Hello over plain HTTP').first().waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const text = page.evaluate<string>(copied);
    await answer.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await text).toContain('Hello over plain HTTP');
    await page.reload();
    await page.locator('.message[data-role=user]').getByText('Hello over plain HTTP').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('keeps the session of a sign-in link across tabs and reloads', async () => {
    const fresh = await startFresh();
    const { page, complaints, close } = await visit(stage.browser);
    await page.goto(plainUrl(linkOf(fresh)));
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    // Both tabs find the access token at its end, and renew it once.
    await page.evaluate(`(() => {
      const session = JSON.parse(localStorage['rivulet.session']);
      localStorage['rivulet.session'] = JSON.stringify({ ...session, expiresAt: Date.now() });
    })()`);
    const second = await page.context().newPage();
    await Promise.all([page.reload(), second.goto(plainUrl(fresh.baseUrl))]);
    for (const one of [page, second]) await one.locator('[data-testid=connection][data-phase=live]').waitFor();
    const token = await page.evaluate<string>(`JSON.parse(localStorage['rivulet.session']).accessToken`);
    expect((await createClient({ baseUrl: fresh.baseUrl, token }).auth.me()).kind).toBe('User');
    expect(complaints).toEqual([]);
    await close();
  });
});

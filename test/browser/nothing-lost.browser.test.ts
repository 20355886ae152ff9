// Nothing that somebody wrote is lost: not by a key, not by a menu, not by a reload, not when the session ends.
import { resolve } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, useStage, visit } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('what somebody wrote', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const { api } = stage;
  const open = async (path: string, key = stage.server.key) => {
    const visited = await visit(stage.browser, { key });
    await visited.page.goto(`${stage.server.baseUrl}/#${path}`);
    return visited;
  };
  const where = (page: Page) => new URL(page.url()).hash;

  it('stays in the steer box when Escape is pressed, when a menu closes, and after a reload', async () => {
    const body = { goal: 'Watch the river', modelId: 'scripted:long', maxIterations: 200, autoStart: true };
    const run = await api().agentRuns.create({ body });
    const { page, complaints, close } = await open(`/runs/${run.id}`);
    const box = page.getByLabel('Message to the run');
    await box.fill('Look at the mill');
    await page.keyboard.press('Escape');
    expect(where(page)).toBe(`#/runs/${run.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    expect(where(page)).toBe(`#/runs/${run.id}`);
    expect(await box.inputValue()).toBe('Look at the mill');
    await page.reload();
    await expect.poll(() => box.inputValue()).toBe('Look at the mill');
    await api().agentRuns.cancel({ params: { id: run.id }, body: { cascade: true } });
    expect(complaints).toEqual([]);
    await close();
  });

  it('stays in the composer of a chat', async () => {
    const chat = await api().chat.create({ body: {} });
    const { page, close } = await open(`/chat/${chat.id}`);
    await page.getByLabel('Message', { exact: true }).fill('Half a thought');
    await page.keyboard.press('Escape');
    expect(where(page)).toBe(`#/chat/${chat.id}`);
    await page.reload();
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Half a thought');
    await close();
  });

  it('stays in the form of a new run, which asks before it discards', async () => {
    const { page, complaints, close } = await open('/runs?new=1');
    const goal = page.getByLabel('Goal', { exact: true });
    await goal.fill('Count the fish');
    await page.keyboard.press('Escape');
    await page.getByText('Discard what you wrote?').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Keep writing' }).click();
    expect(await goal.inputValue()).toBe('Count the fish');
    await page.reload();
    await expect.poll(() => goal.inputValue()).toBe('Count the fish');
    await goal.fill('Count all fish');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await goal.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    expect(await goal.inputValue()).toBe('');
    expect(complaints).toEqual([]);
    await close();
  });

  it('stays in a form of settings that was written on while its save was under way', async () => {
    const { page, complaints, close } = await open('/account');
    const place = page.getByLabel('Location', { exact: true });
    const saved = page.getByText('Saved', { exact: true });
    const held = new Promise<Route>((take) => void page.route('**/users/me/profile', take, { times: 1 }));
    await place.fill('The mill');
    await page.getByRole('button', { name: 'Save' }).click();
    await place.fill('The mill by the weir');
    await (await held).continue();
    await saved.first().waitFor();
    expect(await place.inputValue()).toBe('The mill by the weir');
    expect((await api().auth.me()).user?.location).toBe('The mill');
    await page.reload();
    await expect.poll(() => place.inputValue()).toBe('The mill by the weir');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 change', { exact: true }).waitFor({ state: 'detached' });
    expect((await api().auth.me()).user?.location).toBe('The mill by the weir');
    expect(complaints).toEqual([]);
    await close();
  });

  it('is there again after the session has ended and somebody has signed in', async () => {
    const me = await api().auth.me();
    const params = { identityId: me.identity?.id ?? 0 };
    const made = await api().identityKeys.create({ params, body: { name: 'soon revoked' } });
    const { page, close } = await open('/runs', made.rawKey);
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    await page.getByRole('button', { name: 'New run' }).first().click();
    await page.getByLabel('Goal', { exact: true }).fill('Be started after all');
    await page.getByText('Contract').click();
    await page.getByLabel('Deliverable').fill('a report');
    // The key is revoked while the request is under way: before the click, the page may have left the form already.
    const held = new Promise<Route>((take) => void page.route('**/api/agent/runs', take, { times: 1 }));
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const start = await held;
    await api().identityKeys.remove({ params: { ...params, keyId: made.key.id } });
    await start.continue();
    await page.getByText('Your session has ended.').waitFor();
    await expectAccessible(page);
    expect(where(page)).toBe('#/runs?new=1');

    await page.getByRole('textbox', { name: 'Key' }).fill(stage.server.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const goal = page.getByLabel('Goal', { exact: true });
    expect(await goal.inputValue()).toBe('Be started after all');
    expect(await page.getByLabel('Deliverable').inputValue()).toBe('a report');
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Be started after all' }).waitFor();
    await close();
  });

  it('says at once that the session has ended when nobody does anything', async () => {
    const me = await api().auth.me();
    const params = { identityId: me.identity?.id ?? 0 };
    const made = await api().identityKeys.create({ params, body: { name: 'idle' } });
    const { page, close } = await open('/runs', made.rawKey);
    await page.locator('[data-testid=connection][data-phase=live]').waitFor();
    await api().identityKeys.remove({ params: { ...params, keyId: made.key.id } });
    await page.getByText('Your session has ended.').waitFor();
    await close();
  });
});

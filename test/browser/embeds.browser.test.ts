// A run and a chat on pages of other sites: of those that their link names, and nothing else by its token.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

/** A site of somebody else: one page with an element of ours. */
class Site {
  body = '';
  readonly server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${this.body}</main></html>`);
  });
  async start() {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
  }
  get origin() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  close() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }
}

describe.skipIf(chromiumPath === null)('an embedded run or chat', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const [shop, thief] = [new Site(), new Site()];
  beforeAll(() => Promise.all([shop.start(), thief.start()]));
  afterAll(() => Promise.all([shop.close(), thief.close()]));
  const embed = (element: string, src: string | null) =>
    `<script src="${stage.server.baseUrl}/embed.js"></script><${element} src="${src}" style="display: block; height: 640px"></${element}>`;
  const share = (body: object) =>
    stage.api().shares.create({ body: { embedOrigins: [shop.origin], expiresInHours: 1, ...body } });
  /** Requests of the page to the server, with what signs in. */
  const asked = (page: Page) => {
    const all: { path: string; signed: boolean }[] = [];
    page.on('request', (one) => {
      if (!one.url().startsWith(stage.server.baseUrl)) return;
      const { authorization, cookie } = one.headers();
      all.push({ path: new URL(one.url()).pathname, signed: Boolean(authorization || cookie) });
    });
    return all;
  };

  it.each(screens)('shows a run live on the site that its link names, $colorScheme', async (screen) => {
    const run = await stage.api().agentRuns.create({
      body: { goal: 'Watch the river', modelId: 'scripted:long', maxIterations: 200, autoStart: true },
    });
    const link = await share({ runId: run.id });
    shop.body = embed('rivulet-run', link.embedUrl);
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    const requests = asked(page);
    await page.goto(shop.origin);
    const frame = page.frameLocator('rivulet-run iframe');
    await frame.getByRole('heading', { name: 'Watch the river' }).waitFor();
    await frame.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
    await expectAccessible(page);
    await stage.api().agentRuns.cancel({ params: { id: run.id } });
    await frame.locator('.chip').getByText('Cancelled').waitFor();
    // The page around the frame leads it to no page of the dashboard, and who is signed in here is not used.
    await page.locator('rivulet-run').evaluate((element) => {
      const { shadowRoot } = element as unknown as { shadowRoot: { querySelector(what: string): { src: string } } };
      const inner = shadowRoot.querySelector('iframe');
      inner.src = inner.src.replace(/#.*/, '#/runs');
    });
    await page.waitForLoadState('networkidle');
    expect(await frame.getByRole('navigation').count()).toBe(0);
    expect(requests.filter(({ signed }) => signed)).toEqual([]);
    expect(requests.filter(({ path }) => path.startsWith('/api') && !path.startsWith('/api/public/shares/'))).toEqual(
      [],
    );
    // A post to frames is of the accessibility check, the 404 of the token that was no more.
    expect(complaints.filter((one) => !/404|'postMessage'/.test(one))).toEqual([]);
    await page.goto(String(link.embedUrl));
    await page.getByRole('heading', { name: 'Watch the river' }).waitFor();
    await expectWellMade(page);
    await close();
  });

  it('shows a chat, until its link is revoked', async () => {
    const { id } = await stage.api().chat.create({ body: { title: 'Of rivers' } });
    const params = { sessionId: id };
    await stage.api().chat.addMessage({ params, body: { role: 'user', content: 'How wide is it?' } });
    const link = await share({ chatSessionId: id });
    shop.body = embed('rivulet-chat', link.embedUrl);
    const { page, close } = await visit(stage.browser);
    await page.goto(shop.origin);
    const frame = page.frameLocator('rivulet-chat iframe');
    await frame.getByText('How wide is it?').waitFor();
    await stage.api().shares.remove({ params: { id: link.id } });
    await page.reload();
    await page.waitForLoadState('networkidle');
    expect(await frame.getByText('How wide is it?').count()).toBe(0);
    await close();
  });

  it('is refused to other sites, to links without sites, and to the frames of other links', async () => {
    const { id } = await stage.api().chat.create({ body: { title: 'Of rivers' } });
    await stage.api().chat.addMessage({ params: { sessionId: id }, body: { role: 'user', content: 'A private word' } });
    const link = await share({ chatSessionId: id });
    const plain = await share({ chatSessionId: id, embedOrigins: [] });
    expect(plain.embedUrl).toBe(null);
    const forged = `${stage.server.baseUrl}/embed.html?share=${plain.guid}#${plain.token}`;
    const { page, close } = await visit(stage.browser);
    for (const [site, src] of [
      [thief, link.embedUrl],
      [shop, forged],
    ] as const) {
      site.body = embed('rivulet-chat', src);
      await page.goto(site.origin);
      await page.waitForLoadState('networkidle');
      expect(await page.frameLocator('rivulet-chat iframe').getByText('A private word').count()).toBe(0);
      expect(page.frames().at(-1)?.url()).toMatch(/^chrome-error:/);
    }
    // Scripts of another site cannot ask for it themselves.
    const url = `${stage.server.baseUrl}/api/public/shares/read`;
    const refused = await page.evaluate(
      ([address, token]) =>
        fetch(address as string, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ token }),
        }).then(
          () => 'answered',
          () => 'refused',
        ),
      [url, link.token],
    );
    expect(refused).toBe('refused');
    // Where src is nothing of the kind, no frame is made.
    shop.body = embed('rivulet-chat', 'javascript:alert(1)');
    await page.goto(shop.origin);
    await page.getByText('Nothing to show').waitFor();
    expect(page.frames()).toHaveLength(1);
    await close();
  });
});

// Texts of those who mean harm, on every page that shows Markdown: nothing of them runs, and nobody is asked for anything.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { attacks } from '../../src/markdown/testing/attacks.ts';
import { chromiumPath, useStage, visit } from '../support/browser.ts';

const theEnd = 'All of it was read.';
const text = `${attacks.map((attack) => attack.replaceAll(/[\0\ud800]/g, '')).join('\n\n')}\n\n${theEnd}`;

/** What a page asks of others than its server, and what has run in it. */
function watch(page: Page, from: string) {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(from) && !/^(data|blob):/.test(request.url())) asked.push(request.url());
  });
  page.on('dialog', (dialog) => void dialog.dismiss());
  return async () => {
    await page.waitForLoadState('networkidle');
    const ran = await Promise.all(page.frames().map((frame) => frame.evaluate<unknown>('globalThis.ran ?? null')));
    const leads = await page
      .locator('a')
      .evaluateAll((links) =>
        links
          .map((one) => (one as unknown as { protocol: string }).protocol)
          .filter((protocol) => !['http:', 'https:', 'mailto:', 'file:', ':', ''].includes(protocol)),
      );
    const acting = await page
      .locator('main [onerror], main [onclick], main iframe, main object, main form[action*=evil]')
      .count();
    expect({ asked, ran: ran.filter((one) => one !== null), leads, acting }).toEqual({
      ...{ asked: [], ran: [], leads: [] },
      acting: 0,
    });
  };
}

describe.skipIf(chromiumPath === null)('hostile Markdown', () => {
  const stage = useStage(() => ({ RIVULET_MODEL: 'scripted:echo' }));
  const { api } = stage;
  let projectId = 0;
  let paths: Record<string, string> = {};
  beforeAll(async () => {
    const body = { name: 'River', description: text, siteSlug: 'river', siteEnabled: true };
    projectId = (await api().projects.create({ body })).id;
    const params = { projectId };
    const task = await api().tasks.create({
      params,
      body: { title: 'Read', description: text, acceptanceCriteria: text },
    });
    await api().tasks.comment({ params: { id: task.id }, body: { content: text } });
    const doc = await api().docs.create({
      params,
      body: { title: 'Hostile', content: text, classification: 'Public' },
    });
    await api().docs.publish({ params: { id: doc.id }, body: {} });
    const chat = await api().chat.create({ body: { modelId: 'scripted:echo', title: '![x](//evil.example/t.png)' } });
    for (const role of ['user', 'assistant'] as const)
      await api().chat.addMessage({ params: { sessionId: chat.id }, body: { role, content: text } });
    await api().agentRoles.create({ body: { name: 'hostile', systemPromptTemplate: text } });
    const routine = await api().agentRoutines.create({
      body: { name: 'Hostile', briefMarkdown: text, thresholdMarkdown: text, intervalMinutes: 90 },
    });
    paths = {
      project: `/projects/${projectId}`,
      task: `/projects/${projectId}?tab=board&task=${task.id}`,
      document: `/documents?project=${projectId}&doc=${doc.id}`,
      chat: `/chat/${chat.id}`,
      role: '/roles?role=hostile',
      routine: `/routines/${routine.id}?tab=brief`,
    };
  });

  it.each([
    ['project', 1],
    ['task', 3],
    ['document', 1],
    ['chat', 2],
    ['role', 1],
    ['routine', 2],
  ])('is read as text in the dashboard: %s', async (name, times) => {
    const { page, complaints, close } = await stage.open('/system');
    const check = watch(page, stage.server.baseUrl);
    await page.goto(`${stage.server.baseUrl}/#${paths[name]}`);
    await expect.poll(() => page.getByText(theEnd).count()).toBeGreaterThanOrEqual(times);
    await check();
    // The page's policy has nothing to refuse either.
    expect(complaints).toEqual([]);
    await close();
  });

  it('is read as text while it is written, and while a reply streams', async () => {
    const { page, complaints, close } = await stage.open(paths.document as string);
    const check = watch(page, stage.server.baseUrl);
    await page.getByRole('tab', { name: 'Write' }).click();
    await page.getByLabel('Text in Markdown').fill(`${text}\n\nAnd more.`);
    await page.getByRole('region', { name: 'Preview' }).getByText('And more.').waitFor();
    await check();
    await page.goto(`${stage.server.baseUrl}/#/chat/new`);
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await page.locator('.message[data-role=assistant][data-message]').getByText(theEnd).waitFor();
    await check();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is read as text on a site, from a server and from a disk, and as HTML of the interface', async () => {
    await api().siteBuilds.request({ params: { projectId }, body: {} });
    const status = () => api().siteBuilds.status({ params: { projectId } });
    await expect.poll(async () => (await status()).latest?.status).toBe('Published');
    const folder = join(stage.server.folder, 'sites', String(projectId));
    const { build } = JSON.parse(await readFile(join(folder, 'current.json'), 'utf8'));
    const disk = pathToFileURL(join(folder, 'builds', build, '/')).href;
    for (const from of [`${stage.server.baseUrl}/sites/river/`, disk]) {
      const { page, complaints, close } = await visit(stage.browser);
      const check = watch(page, from);
      for (const file of ['hostile.html', 'index.html', 'contents.html']) {
        await page.goto(`${from}${file}`);
        await check();
      }
      await page.goto(`${from}hostile.html`);
      await page.getByText(theEnd).waitFor();
      expect(complaints).toEqual([]);
      await close();
    }
    const doc = await api().publicDocs.get({ params: { projectId, slug: 'hostile' }, query: { format: 'Html' } });
    const { page, complaints, close } = await visit(stage.browser);
    const check = watch(page, 'about:');
    // Without any policy of a server: the HTML alone has to be safe.
    await page.setContent(`<main>${doc.content}</main>`);
    await page.getByText(theEnd).waitFor();
    await check();
    expect(complaints).toEqual([]);
    await close();
  });

  it('a text that would take a page down is shown in the time that others take', async () => {
    const params = { projectId };
    for (const [title, unit] of Object.entries({ underscores: '_a__', quotes: '> ', items: '- a\n', strong: '**a ' })) {
      const content = `${unit.repeat(15_000)}\n\n${theEnd}`;
      const doc = await api().docs.create({ params, body: { title, content } });
      const { page, complaints, close } = await stage.open(`/documents?project=${projectId}&doc=${doc.id}`);
      await page.locator('.doc-read .markdown').waitFor();
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Performance.enable');
      const { metrics } = await devtools.send('Performance.getMetrics');
      // Seconds of scripts since the page was opened, all of the dashboard's included.
      expect(metrics.find((one) => one.name === 'ScriptDuration')?.value).toBeLessThan(5);
      expect(complaints).toEqual([]);
      await close();
    }
  });
});

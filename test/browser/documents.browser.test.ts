// Documents in the dashboard: written with a preview, kept as versions, published, and read on the public site.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, expectWellMade, screens, useStage, visit } from '../support/browser.ts';

/** What everybody finds on a site, from a server or from a disk. */
async function readSite(page: Page, from: string, to: string): Promise<void> {
  await page.goto(from);
  await page.getByRole('link', { name: 'Lock guide' }).first().click();
  await page.getByRole('heading', { name: 'How the lock works' }).waitFor();
  // The search's script comes late, as over a slow line: what was typed meanwhile stays.
  let goOn = () => {};
  const typed = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route('**/assets/search.js', (route) => typed.then(() => route.continue()));
  await page.reload({ waitUntil: 'commit' });
  await page.getByRole('searchbox', { name: 'Search' }).fill('sluice');
  goOn();
  await page.waitForLoadState();
  await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
  await page.locator('#results').getByRole('link', { name: 'Lock guide' }).click();
  await page.waitForURL((url) => url.href.startsWith(to) && url.href.includes('lock-guide'));
}

describe.skipIf(chromiumPath === null)('documents', () => {
  const stage = useStage();

  it('begin with a first project', async () => {
    const [screen] = screens;
    const { page, complaints, close } = await stage.open('/documents', screen);
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('Harbour');
    await page.getByLabel('Instructions for agents').fill('Speak of boats.');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('No documents yet.').waitFor();
    await expectWellMade(page);
    const [made] = (await stage.api().projects.list({})).items;
    expect(made?.name).toBe('Harbour');
    const project = await stage.api().projects.get({ params: { id: made?.id ?? 0 } });
    expect(project.agentInstructions).toBe('Speak of boats.');
    expect(complaints).toEqual([]);
    await close();
  });

  it('go on from what was saved, before it is loaded again', async () => {
    const [screen] = screens;
    const { id: projectId } = await stage.api().projects.create({ body: { name: 'Quick hands' } });
    const { id } = await stage.api().docs.create({ params: { projectId }, body: { title: 'Tides', content: 'Ebb.' } });
    const { page, complaints, close } = await stage.open(`/documents?project=${projectId}&doc=${id}`, screen);
    await page.locator('.doc-read').getByText('Ebb.').waitFor();
    // The document is not loaded again.
    await page.route(`**/docs/${id}`, (route) => (route.request().method() === 'GET' ? undefined : route.continue()));
    for (const text of ['Flood.', 'Slack water.']) {
      await page.getByRole('tab', { name: 'Write', exact: true }).click();
      await page.getByLabel('Text in Markdown').fill(text);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('.doc-read').getByText(text).waitFor();
    }
    // What was written of the settings stays while somebody else writes the rest.
    await page.unroute(`**/docs/${id}`);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Excerpt').fill('Of the moon');
    await stage.api().docs.patch({ params: { id }, body: { title: 'Tides and moon', tags: 'sea' } });
    await page.getByRole('heading', { name: 'Tides and moon' }).waitFor();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await expect
      .poll(async () => {
        const { version, excerpt, tags, content } = await stage.api().docs.get({ params: { id } });
        return { version, excerpt, tags, content };
      })
      .toEqual({ version: 4, excerpt: 'Of the moon', tags: 'sea', content: 'Slack water.' });
    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('sea');
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('are written, restored, published and read on the site, $colorScheme', async (screen) => {
    const siteSlug = `river-${screen.colorScheme}`;
    const body = { name: `River ${screen.colorScheme}`, siteSlug };
    const { id: projectId } = await stage.api().projects.create({ body });
    const { page, complaints, close } = await stage.open(`/documents?project=${projectId}`, screen);
    await page.getByText('No documents yet.').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'New document' }).click();
    await page.getByLabel('Title').fill('Lock guide');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('tab', { name: 'Write' }).click();
    await page.getByLabel('Text in Markdown').fill('# How the lock works\n\nThe **sluice** opens first.');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'How the lock works' }).waitFor();
    await expectWellMade(page);
    // A draft stays, whatever happens to the page.
    await page.reload();
    await preview.getByText('sluice').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: 'Write', exact: true }).click();
    await page.getByLabel('Text in Markdown').fill('All wrong.');
    await page.getByLabel('What has changed').fill('a mistake');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.doc-read').getByText('All wrong.').waitFor();
    await page.getByRole('tab', { name: /^Versions/ }).click();
    await page.getByText('a mistake').waitFor();
    await page.getByRole('button', { name: /^Version 2/ }).click();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByRole('button', { name: /^Version 4/ }).waitFor();
    await page.getByRole('tab', { name: 'Read' }).click();
    await page.locator('.doc-read').getByText('sluice').waitFor();
    await page.getByRole('button', { name: 'Make public and publish' }).click();
    await page.getByRole('button', { name: 'Unpublish' }).waitFor();
    await page.getByRole('button', { name: 'Switch it on' }).click();
    await page.getByRole('button', { name: 'Build the site' }).click();
    await page.getByText(/^Site built/).waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
    const site = `${stage.server.baseUrl}/sites/${siteSlug}/`;
    const folder = join(stage.server.folder, 'sites', String(projectId));
    const { build } = JSON.parse(await readFile(join(folder, 'current.json'), 'utf8'));
    const disk = pathToFileURL(join(folder, 'builds', build, '/')).href;
    for (const from of [site, `${disk}index.html`]) {
      const reader = await visit(stage.browser, screen);
      await readSite(reader.page, from, from.replace('index.html', ''));
      expect(reader.complaints).toEqual([]);
      // Last, since axe asks for style sheets in a way that the site's policy refuses.
      await expectAccessible(reader.page);
      await reader.page.goto(from);
      await expectAccessible(reader.page);
      await reader.close();
    }
  });
});

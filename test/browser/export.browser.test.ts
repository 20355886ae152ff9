// The page of exports: what is inside, counted, and the download.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('exports', () => {
  const stage = useStage();

  it.each(screens)('count what is inside, and come as a file, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/export', screen);
    await page.getByText('Memories', { exact: true }).waitFor();
    await expectWellMade(page);
    const arrived = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await arrived).suggestedFilename()).toBe('tenant.zip');
    await page.getByRole('status').filter({ hasText: /\d/ }).waitFor();
    await page.getByLabel('Of').selectOption({ index: 1 });
    await page.getByLabel('Format').selectOption('Portable');
    const portable = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await portable).suggestedFilename()).toMatch(/\.portable\.json$/);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('save a chat as Markdown and as data, from its menu, $colorScheme', async (screen) => {
    const api = stage.api();
    const { id } = await api.chat.create({ body: { title: 'Of rivers' } });
    const said = { role: 'user', content: 'How wide is it?' } as const;
    await api.chat.addMessage({ params: { sessionId: id }, body: said });
    const { page, complaints, close } = await stage.open(`/chat/${id}`, screen);
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export the chat' });
    await expectWellMade(page);
    const files = {
      'Markdown, this branch': `chat-${id}.md`,
      'Markdown, all branches': `chat-${id}-all.md`,
      'JSON (DTI), this branch': `chat-${id}.dti.json`,
    };
    for (const [name, file] of Object.entries(files)) {
      const arrived = page.waitForEvent('download');
      await dialog.getByRole('button', { name }).click();
      const download = await arrived;
      expect(download.suggestedFilename()).toBe(file);
      expect(await readFile(await download.path(), 'utf8')).toContain(said.content);
    }
    expect(complaints).toEqual([]);
    await close();
  });
});

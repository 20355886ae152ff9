// The library of prompts: written with a preview, begun by / in a chat and from the dialog of a new run, and its versions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';

describe.skipIf(chromiumPath === null)('prompts', () => {
  let model: FakeServer;
  beforeAll(async () => {
    model = await startFakeServer();
    model.otherwise = () => ({ text: ['It is done.'] });
  });
  afterAll(() => model.close());
  const stage = useStage(async () => environmentOf(model));
  const picture = (name: string) =>
    process.env.RIVULET_PICTURES ? `${process.env.RIVULET_PICTURES}/prompts-${name}.png` : undefined;

  it.each(screens)('are written, and begin messages and runs, $colorScheme', async (screen) => {
    const api = stage.api();
    const mark = screen.colorScheme;
    await api.prompts.create({ body: { name: 'A note', command: `note-${mark}`, text: 'Note this down.' } });
    const { page, complaints, close } = await stage.open('/chat/prompts', screen);
    const shoot = async (name: string) => {
      await expectWellMade(page);
      const path = picture(`${name}-${mark}`);
      if (path) await page.screenshot({ path });
    };
    const dialog = page.getByRole('dialog');

    await page.getByRole('button', { name: 'New prompt' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(`Weekly report ${mark}`);
    await dialog.getByLabel('Description').fill('What the week brought');
    await dialog.getByLabel('Text', { exact: true }).fill('Report on {{topic}}\nin a {{tone:calm|lively}} tone.');
    await dialog.getByLabel('topic').fill('fish');
    await dialog.getByLabel('tone').selectOption('lively');
    const preview = dialog.getByRole('region', { name: 'Text as it will be' });
    expect(await preview.innerText()).toBe('Report on fish\nin a lively tone.');
    await shoot('edit');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`/weekly-report-${mark}`).waitFor();
    await shoot('list');

    // In a chat: filtered as it is typed, chosen by keys, filled in, and edited before it is sent.
    await page.goto(`${stage.server.baseUrl}/#/chat/new`);
    const box = page.getByLabel('Message', { exact: true });
    const options = page.getByRole('listbox', { name: 'Prompts' }).getByRole('option');
    await box.pressSequentially('/');
    await options.filter({ hasText: `/note-${mark}` }).waitFor();
    await shoot('typed');
    await box.press('Escape');
    expect(await options.count()).toBe(0);
    expect(await box.inputValue()).toBe('/');
    await box.fill('');
    await box.pressSequentially(`/note-${mark}`);
    await expect.poll(() => options.count()).toBe(1);
    await box.press('Enter');
    await expect.poll(() => box.inputValue()).toBe('Note this down.');
    await box.fill('');
    await box.pressSequentially('/');
    const wanted = options.filter({ hasText: `/weekly-report-${mark}` });
    await wanted.waitFor();
    const chosen = async () => (await wanted.getAttribute('aria-selected')) === 'true';
    for (let left = await options.count(); left > 0 && !(await chosen()); left--) await box.press('ArrowDown');
    await box.press('Enter');
    await dialog.getByLabel('topic').fill('the {{tone}} river');
    await shoot('fill');
    await dialog.getByRole('button', { name: 'Use the prompt' }).click();
    await expect.poll(() => box.inputValue()).toBe('Report on the {{tone}} river\nin a calm tone.');
    await box.press('End');
    await box.pressSequentially(' Briefly.');
    await box.press('Enter');
    await page.locator('.message[data-role=assistant][data-message]').getByText('It is done.').waitFor();
    // Others of its requests give the chat a title.
    const said = model.requests.flatMap(({ body }) => body.messages.map((one: { content: unknown }) => one.content));
    expect(said).toContain('Report on the {{tone}} river\nin a calm tone. Briefly.');

    // A new run.
    await page.goto(`${stage.server.baseUrl}/#/runs`);
    await page.getByRole('button', { name: 'New run' }).first().click();
    await dialog.getByRole('button', { name: 'From a prompt' }).click();
    await dialog.getByRole('combobox', { name: 'Search prompts' }).fill(`weekly ${mark}`);
    await expect.poll(() => options.count()).toBe(1);
    await shoot('from');
    await dialog.getByRole('combobox', { name: 'Search prompts' }).press('Enter');
    await dialog.getByLabel('topic').fill('fish');
    await dialog.getByRole('button', { name: 'Use the prompt' }).click();
    const goal = dialog.getByLabel('Goal', { exact: true });
    expect(await goal.inputValue()).toBe('Report on fish\nin a calm tone.');
    // A stray key does not lose it.
    await goal.press('Escape');
    await dialog.getByText('Discard what you wrote?').waitFor({ timeout: 5000 });
    await dialog.getByRole('button', { name: 'Keep writing' }).click();
    await dialog.getByLabel('Start now').uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/#\/runs\/\d+/);
    const id = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
    expect((await api.agentRuns.get({ params: { id } })).goal).toBe('Report on fish\nin a calm tone.');

    // Another text, the first one again, and the end.
    await page.goto(`${stage.server.baseUrl}/#/chat/prompts?q=report%20${mark}`);
    await page.getByRole('button', { name: `Weekly report ${mark}` }).click();
    await dialog.getByLabel('Text', { exact: true }).fill('Say nothing.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Weekly report ${mark}` }).click();
    await dialog.getByRole('button', { name: 'Version 2' }).click();
    await dialog.getByLabel('Version', { exact: true }).selectOption('1');
    await shoot('versions');
    await dialog.getByRole('button', { name: 'Restore version 1' }).click();
    await dialog.getByRole('button', { name: 'Version 3' }).waitFor();
    expect(await dialog.getByLabel('Text', { exact: true }).inputValue()).toContain('{{topic}}');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No prompt matches').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

// Chat: streaming, stop, reload in the middle, continuing, branches, feedback; by phone and by keys.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, expectNoSidewaysScroll, useStage } from '../support/browser.ts';

/** A picture of one pixel. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const theEnd = 'the story of this river ends there';

describe.skipIf(chromiumPath === null)('chat', () => {
  const stage = useStage(() => ({
    RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios'),
    // The whole reply takes eight seconds at the pace it is written in: only who watches it come needs them.
    RIVULET_MODEL: 'scripted:talk@40',
  }));
  const { api } = stage;
  const open = async (path: string, options = {}) => {
    const visited = await stage.open(path, options);
    const { page } = visited;
    const log = page.getByRole('log', { name: 'Messages' });
    return {
      ...visited,
      log,
      streaming: page.getByTestId('streaming'),
      answers: log.locator('.message[data-role=assistant][data-message]'),
      send: async (text: string) => {
        await page.getByLabel('Message', { exact: true }).fill(text);
        await page.keyboard.press('Enter');
      },
    };
  };

  it('begins with the first message, streams, and keeps what was said and thought', async () => {
    const { id: providerId } = await api().aiProviders.create({ body: { name: 'slow', kind: 'Mock' } });
    await api().aiModels.create({
      body: { providerId, modelId: 'slow:talk', providerModelName: 'talk', displayName: 'Slow', kind: 'Chat' },
    });
    const { page, log, answers, streaming, send, complaints, close } = await open('/chat/new');
    await page.getByRole('button', { name: 'Default model' }).click();
    await page.getByRole('option', { name: 'Slow' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await send('Tell me about rivers');
    await streaming.getByText('Rivers').waitFor();
    await expectAccessible(page);
    await answers.getByText(theEnd).waitFor();
    await log.getByText('Tell me about rivers').first().waitFor();
    await log.locator('pre .hljs-keyword').getByText('const').waitFor();
    await answers.getByRole('button', { name: /^Reasoning, / }).click();
    await log.getByText('Somebody wants to hear about rivers.').waitFor();
    await expectAccessible(page);

    await answers.getByRole('button', { name: 'Poor answer' }).click();
    await page.getByLabel('Comment').fill('Too short.');
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await answers.locator('[aria-label="Poor answer"][aria-pressed=true]').waitFor();
    const id = Number(/chat\/(\d+)/.exec(page.url())?.[1]);
    const { messages } = await api().chat.get({ params: { id } });
    expect(messages.map(({ role, feedback, feedbackComment }) => [role, feedback, feedbackComment])).toEqual([
      ['user', null, null],
      ['assistant', 'down', 'Too short.'],
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('goes on after a reload in the middle of a reply', async () => {
    const session = await api().chat.create({ body: { modelId: 'scripted:talk' } });
    const { page, log, answers, streaming, send, complaints, close } = await open(`/chat/${session.id}`);
    await send('Tell me of the reload');
    await streaming.getByText('Rivers').waitFor();
    await page.reload();
    await log.getByText('You said: Tell me of the reload').waitFor();
    await answers.getByText(theEnd).waitFor();
    const { messages } = await api().chat.get({ params: { id: session.id } });
    expect(await answers.getByText(/They wind/).innerText()).toContain(theEnd);
    expect(messages).toHaveLength(2);
    expect(complaints).toEqual([]);
    await close();
  });

  it('is stopped, and continued where it was', async () => {
    const session = await api().chat.create({ body: { modelId: 'scripted:endless' } });
    const { page, answers, streaming, send, complaints, close } = await open(`/chat/${session.id}`);
    const last = async () => (await api().chat.get({ params: { id: session.id } })).messages.at(-1);
    await send('Tell me until I stop you');
    await streaming.getByText('Rivers are long.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers.getByText('Stopped').waitFor();
    const stopped = await last();
    expect(stopped?.state).toBe('Stopped');
    await page.getByRole('button', { name: 'Continue' }).click();
    await streaming.getByText('Rivers are long.').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers.getByText('Stopped').waitFor();
    const continued = await last();
    expect(continued?.id).toBe(stopped?.id);
    expect(continued?.content.startsWith(stopped?.content ?? '?')).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it('says that the model answered nothing', async () => {
    const session = await api().chat.create({ body: { modelId: 'scripted:silent' } });
    const { page, answers, send, complaints, close } = await open(`/chat/${session.id}`);
    await send('Where does it begin?');
    await answers.getByText('The model answered nothing.').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('says that an answer was cut off at its limit, and continues it', async () => {
    const session = await api().chat.create({ body: { modelId: 'scripted:cut' } });
    const { page, answers, send, complaints, close } = await open(`/chat/${session.id}`);
    await send('Where does it begin?');
    await answers.getByText('Cut off at its limit of length').waitFor();
    await expectAccessible(page);
    await page.reload();
    await answers.getByRole('button', { name: 'Continue' }).click();
    await answers.getByText('The river begins in the hills.').waitFor();
    await answers.getByText('Cut off at its limit of length').waitFor({ state: 'detached' });
    expect(await answers.count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it('answers again beside the first answer, and takes a question back', async () => {
    const session = await api().chat.create({ body: { title: 'Branches' } });
    const { page, log, answers, send, complaints, close } = await open(`/chat/${session.id}`);
    await send('Which way?');
    await answers.getByText(theEnd).waitFor();
    await answers.getByRole('button', { name: 'Regenerate' }).click();
    await log.getByText('2/2').waitFor();
    await answers.getByText(theEnd).waitFor();
    await answers.getByRole('button', { name: 'Previous branch' }).click();
    await log.getByText('1/2').waitFor();

    await log.getByText('Which way?').first().hover();
    await log.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Message', { exact: true }).fill('Which way to the sea?');
    await page.keyboard.press('Enter');
    await log.locator('[data-role=user]').getByText('2/2').waitFor();
    await answers.getByText('You said: Which way to the sea?').waitFor();
    await log.getByRole('button', { name: 'Previous branch' }).first().click();
    await answers.getByText('You said: Which way?').first().waitFor();
    const first = async () => (await api().chat.get({ params: { id: session.id } })).messages[0]?.content;
    await expect.poll(first, { timeout: 45_000 }).toBe('Which way?');
    await page.reload();
    await answers.getByText('You said: Which way?').first().waitFor();
    await log.locator('[data-role=user]').getByText('1/2').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('survives the loss of its server, and says so', async () => {
    const session = await api().chat.create({ body: { modelId: 'scripted:endless' } });
    const { page, answers, streaming, send, close } = await open(`/chat/${session.id}`);
    await send('Tell me while it dies');
    await streaming.getByText('Rivers are long.').waitFor();
    await stage.server.kill();
    await stage.server.start();
    await answers.getByText('Interrupted: the server stopped').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await streaming.getByText('Rivers are long.').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answers.getByText('Stopped').waitFor();
    await close();
  });

  it('sends files along', async () => {
    const session = await api().chat.create({ body: {} });
    const { page, log, answers, send, complaints, close } = await open(`/chat/${session.id}`);
    const buffer = Buffer.from('The key is under the mat.');
    await page.locator('input[type=file]').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer });
    await page.getByRole('button', { name: 'Remove note.txt' }).waitFor();
    await send('What does it say?');
    await answers.getByText(/You said: .*The key is under the mat\./s).waitFor();
    await page.reload();
    const sent = log.locator('[data-role=user]').getByRole('list', { name: 'Attachments' });
    await sent.getByText('note.txt').waitFor();
    await sent.getByText('25 B').waitFor();
    await expectAccessible(page);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      sent.getByRole('button', { name: /note\.txt/ }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('note.txt');
    expect(await readFile(await saved.path())).toEqual(buffer);
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the images that came with old messages', async () => {
    const session = await api().chat.create({ body: {} });
    const { page, log, answers, send, complaints, close } = await open(`/chat/${session.id}`);
    await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await send('What is this?');
    await answers.getByText(theEnd).waitFor();
    await page.reload();
    const image = log.getByRole('button', { name: /dot\.png/ });
    // Small, of the size that it had before it came.
    const box = () =>
      image.evaluate((one) =>
        (({ width, height }) => ({ width, height }))(
          (one as unknown as { getBoundingClientRect(): { width: number; height: number } }).getBoundingClientRect(),
        ),
      );
    expect(await box()).toEqual({ width: 112, height: 84 });
    await expect.poll(() => image.getAttribute('data-state')).toBe('shown');
    expect(await box()).toEqual({ width: 112, height: 84 });
    await image.focus();
    await page.keyboard.press('Enter');
    const picture = page.getByRole('dialog').getByRole('img', { name: 'dot.png' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await picture.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('finds, pins, archives and deletes chats', async () => {
    const name = `Chat ${crypto.randomUUID().slice(0, 8)}`;
    const session = await api().chat.create({ body: { title: name } });
    const { page, complaints, close } = await open('/chat');
    const list = page.getByRole('complementary', { name: 'Chats' });
    await list.getByLabel('Search chats').fill(name);
    await page.waitForURL(/q=/);
    await list.getByRole('link', { name }).click();
    const act = async (action: string) => {
      await page.getByRole('button', { name: 'Chat actions' }).click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
    };
    await act('Pin');
    await list.getByTitle('Pinned').waitFor();
    await act('Settings');
    await page.getByRole('textbox', { name: 'Title' }).fill(`${name} renamed`);
    await page.getByLabel('Instructions').fill('Be brief.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: `${name} renamed` }).waitFor();
    await act('Archive');
    await list.getByRole('link', { name }).waitFor({ state: 'detached' });
    await list.getByRole('button', { name: 'Archived' }).click();
    await list.getByRole('link', { name }).waitFor();
    await act('Delete');
    const question = page.getByRole('dialog', { name: `Delete the chat ${name} renamed?` });
    await question.getByRole('button', { name: 'Delete' }).click();
    await list.getByRole('link', { name }).waitFor({ state: 'detached' });
    await expect(api().chat.get({ params: { id: session.id } })).rejects.toMatchObject({ status: 404 });
    expect(complaints).toEqual([]);
    await close();
  });

  it('fits a phone', async () => {
    const { page, answers, complaints, close } = await open('/chat', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await page.getByRole('link', { name: 'New', exact: true }).tap();
    await page.getByLabel('Message', { exact: true }).fill('By phone');
    await page.getByRole('button', { name: 'Send' }).tap();
    await answers.getByText(theEnd).waitFor();
    // The button changes its colour once the reply has ended.
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All chats' }).tap();
    await page
      .getByRole('complementary', { name: 'Chats' })
      .getByRole('link', { name: /By phone/ })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is used by keys alone', async () => {
    const { page, answers, complaints, close } = await open('/runs');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.keyboard.type('By keys');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('in two lines');
    await page.keyboard.press('Enter');
    await answers.getByText(theEnd).waitFor();
    await answers.getByText(/You said: By keys/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

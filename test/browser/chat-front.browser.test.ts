// The chat as the place to begin: who answers is picked from one searchable list, and each answer says what it cost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, plainArgs, plainUrl, screens, useStage, visit } from '../support/browser.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';

describe.skipIf(chromiumPath === null)('the chat as the front door', () => {
  let model: FakeServer;
  beforeAll(async () => {
    model = await startFakeServer();
    model.otherwise = () => ({ text: ['The river is wide.'] });
  });
  afterAll(() => model.close());
  const stage = useStage(async () => environmentOf(model), ...plainArgs);
  const { api } = stage;

  beforeAll(async () => {
    const { id: providerId } = await api().aiProviders.create({
      body: { name: 'dear', kind: 'OpenAiCompatible', baseUrl: model.baseUrl, apiKey: 'sk-test' },
    });
    const prices = { inputPricePerMTok: 100, outputPricePerMTok: 500 };
    await api().aiModels.create({
      body: {
        ...{ providerId, modelId: 'dear:large', providerModelName: 'large', displayName: 'Dear Large' },
        ...{ kind: 'Chat', contextWindow: 128_000, ...prices },
      },
    });
    await api().identities.create({ body: { name: 'otter', displayName: 'Otter', type: 'AI' } });
  });

  it.each(screens)('picks who answers, and says what an answer cost, $colorScheme', async (screen) => {
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    await page.goto(`${plainUrl(stage.server.baseUrl)}/#/chat/new`);
    await page.getByRole('button', { name: 'Default model' }).click();
    const dialog = page.getByRole('dialog', { name: 'Who answers' });
    await dialog.getByRole('option', { name: 'Dear Large' }).waitFor();
    await expectWellMade(page);
    const search = dialog.getByRole('combobox');
    await search.fill('dear large');
    await expect.poll(() => dialog.getByRole('option').count()).toBe(1);
    const offer = dialog.getByRole('option', { name: 'Dear Large' });
    expect(await offer.innerText()).toMatch(/dear · 128K context · \$100\.00 in, \$500\.00 out per million tokens/);
    await search.press('Enter');
    await search.fill('recall');
    await dialog.getByText('Choose an identity first.').waitFor();
    await search.fill('otter');
    await search.press('Enter');
    await search.fill('recall');
    await search.press('Enter');
    await dialog.locator('[role=option][aria-selected=false]').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Dear Large · Otter · no memories' }).waitFor();

    await page.getByLabel('Message', { exact: true }).fill('How wide is the river?');
    await page.getByLabel('Message', { exact: true }).press('Enter');
    const answer = page.locator('.message[data-role=assistant][data-message]');
    await answer.getByText('The river is wide.').waitFor();
    const id = Number(/chat\/(\d+)/.exec(page.url())?.[1]);
    const session = await api().chat.get({ params: { id } });
    expect(session).toMatchObject({ modelId: 'dear:large', hydrate: false });
    const reply = session.messages.at(-1);
    const { promptTokens = 0, completionTokens = 0, costUsd = 0 } = reply ?? {};
    expect(costUsd).toBeGreaterThan(0);
    expect(costUsd).toBeCloseTo((promptTokens * 100 + completionTokens * 500) / 1e6, 9);
    await answer.getByText(/dear:large · \d+ tokens · \$0\.\d+/).waitFor();
    await page.getByRole('button', { name: 'Dear Large · Otter · no memories' }).click();
    await search.fill('recall');
    await search.press('Enter');
    await dialog.locator('[role=option][aria-selected=true]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Dear Large · Otter', exact: true }).waitFor();
    expect((await api().chat.get({ params: { id } })).hydrate).toBe(true);
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('turns a chat into a run, and a run into a chat, $colorScheme', async (screen) => {
    const { id } = await api().chat.create({ body: { title: 'Of rivers', modelId: 'dear:large' } });
    for (const [role, content] of [
      ['assistant', 'The river is wide.'],
      ['user', `Plan a bridge, ${screen.colorScheme}`],
    ] as const)
      await api().chat.addMessage({ params: { sessionId: id }, body: { role, content } });
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    await page.goto(`${plainUrl(stage.server.baseUrl)}/#/chat/${id}`);
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Turn into a run' }).click();
    const dialog = page.getByRole('dialog', { name: 'New run' });
    const goal = `Plan a bridge, ${screen.colorScheme}\n\nThe conversation so far:\n\nAssistant: The river is wide.`;
    expect(await dialog.getByLabel('Goal', { exact: true }).inputValue()).toBe(goal);
    await expectWellMade(page);
    model.reply({ toolCalls: [{ id: 'c1', name: 'run_complete', arguments: ['{"summary":"Three arches."}'] }] });
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/#\/runs\/\d+/);
    const runId = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
    await api().agentRuns.wait({ params: { id: runId }, query: { timeoutMs: 60_000 } });
    expect(await api().agentRuns.get({ params: { id: runId } })).toMatchObject({ goal, modelId: 'dear:large' });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Continue as a chat' }).click();
    await page.getByRole('heading', { name: `Run ${runId}: Plan a bridge` }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('How many arches?');
    await page.getByLabel('Message', { exact: true }).press('Enter');
    await page.locator('.message[data-role=assistant][data-message]').getByText('The river is wide.').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Result: Three arches.');
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('files chats in folders and by tags, $colorScheme', async (screen) => {
    const make = (title: string) => api().chat.create({ body: { title } });
    const [ropes, tides] = [await make('Of ropes'), await make('Of tides')];
    const { page, complaints, close } = await visit(stage.browser, { key: stage.server.key, ...screen });
    const choose = async (menu: string, item: string) => {
      await page.getByRole('button', { name: menu, exact: true }).press('Enter');
      await page.getByRole('menuitem', { name: item, exact: true }).press('Enter');
    };
    await page.goto(`${plainUrl(stage.server.baseUrl)}/#/chat/${ropes.id}`);
    await choose('Chat actions', 'Move to folder…');
    const move = page.getByRole('dialog', { name: 'Move to a folder' });
    await move.getByLabel('Folder', { exact: true }).fill('Work / Boats');
    await page.keyboard.press('Enter');
    await move.waitFor({ state: 'detached' });
    await choose('Chat actions', 'Tags…');
    await page.getByLabel('Tags', { exact: true }).last().fill('Tide, Low  water');
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.goto(`${plainUrl(stage.server.baseUrl)}/#/chat`);
    const list = page.getByRole('complementary', { name: 'Chats' });
    const [work, boats] = [list.getByRole('button', { name: /^Work/ }), list.getByRole('button', { name: /^Boats/ })];
    const [a, b] = [list.getByRole('link', { name: /Of ropes/ }), list.getByRole('link', { name: /Of tides/ })];
    await a.getByText('low water').waitFor();
    await work.press('Enter');
    await a.waitFor({ state: 'detached' });
    await page.reload();
    await b.waitFor();
    expect([await work.getAttribute('aria-expanded'), await a.count()]).toEqual(['false', 0]);
    await work.press('Enter');
    await a.waitFor();
    expect(await boats.getAttribute('aria-expanded')).toBe('true');

    // Another window files another one.
    await api().chat.patch({ params: { id: tides.id }, body: { folder: 'Work', tags: ['tide'] } });
    await list
      .locator('.folder-inside')
      .getByRole('link', { name: /Of tides/ })
      .waitFor();
    await expectWellMade(page);
    await list.getByRole('button', { name: 'low water' }).click();
    await b.waitFor({ state: 'detached' });
    await a.getByText('Work/Boats').waitFor();
    await choose('Actions of the tag low water', 'Rename');
    await page.getByLabel('Tag', { exact: true }).fill('Ebb');
    await page.keyboard.press('Enter');
    await a.getByText('ebb').waitFor();
    await list.getByRole('button', { name: 'ebb' }).first().click();
    await choose('Actions of the folder Work', 'Remove folder');
    await page.getByText('Its 2 chats stay, in no folder.').waitFor();
    await page.getByRole('button', { name: 'Remove folder' }).click();
    await work.waitFor({ state: 'detached' });
    await Promise.all([a.waitFor(), b.waitFor()]);
    expect(await api().chat.get({ params: { id: ropes.id } })).toMatchObject({ folder: null, tags: ['tide', 'ebb'] });
    for (const { id } of [ropes, tides]) await api().chat.remove({ params: { id } });
    expect(complaints).toEqual([]);
    await close();
  });
});

// What people set up: roles, tool profiles, providers, models' routes, identities.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectAccessible, expectUncovered, useStage } from '../support/browser.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';

const spoken = { role: 'user' as const, content: 'Say something' };

describe.skipIf(chromiumPath === null)('settings', () => {
  const stage = useStage();
  const { api } = stage;
  let model: FakeServer;
  beforeAll(async () => {
    model = await startFakeServer();
  });
  afterAll(() => model.close());
  const unique = (word: string) => `${word}-${crypto.randomUUID().slice(0, 6)}`;
  const open = async (path: string) => {
    const visited = await stage.open(path);
    const { page } = visited;
    const save = () => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    return { ...visited, save };
  };

  it('makes a role, changes it, and deletes it', async () => {
    const name = unique('ferryman');
    const { page, save, complaints, close } = await open('/roles');
    await page.getByRole('button', { name: 'New role' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('System prompt').fill('You bring {{goal}} across.');
    await expectAccessible(page);
    await save();
    await page.getByRole('button', { name: new RegExp(name) }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Turns', { exact: true }).fill('7');
    await save();
    await page.locator('.figure').getByText('7', { exact: true }).waitFor();
    const role = await api().agentRoles.byName({ params: { name } });
    expect(role).toMatchObject({ defaultMaxIterations: 7, systemPromptTemplate: 'You bring {{goal}} across.' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: new RegExp(name) }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('makes a tool profile and changes it', async () => {
    const name = unique('careful');
    const { page, save, complaints, close } = await open('/roles?tab=profiles');
    await page.getByRole('button', { name: 'New tool profile' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Role', { exact: true }).fill('worker');
    await page.getByLabel('Approval required').fill('shell_exec\nfile_*');
    await save();
    const card = page.getByRole('region', { name });
    await card.getByText('file_*').waitFor();
    await card.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Blocked').fill('fetch_url');
    await save();
    await card.getByText('fetch_url').waitFor();
    const { items } = await api().agentToolProfiles.list({ query: { q: name } });
    expect(items).toMatchObject([{ optInTools: ['shell_exec', 'file_*'], blockedTools: ['fetch_url'] }]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('adds a provider, routes to one of its models, and explains the choice', async () => {
    const name = unique('river');
    const provider = await api().aiProviders.create({
      body: { name, kind: 'OpenAiCompatible', baseUrl: model.baseUrl, apiKey: 'sk-test' },
    });
    const modelId = `${name}:small`;
    await api().aiModels.create({
      body: { providerId: provider.id, modelId, providerModelName: 'small', displayName: modelId, kind: 'Chat' },
    });
    const { page, save, complaints, close } = await open('/models');
    await page.getByRole('heading', { name }).waitFor();
    await page.getByRole('tab', { name: 'Routes' }).click();
    await page.getByRole('button', { name: 'New route' }).click();
    await page.getByLabel('Name', { exact: true }).fill(`${name} route`);
    await page.getByRole('checkbox', { name: new RegExp(modelId) }).click();
    await expectAccessible(page);
    await save();
    const card = page.locator('.card').filter({ hasText: `${name} route` });
    await card.getByRole('button', { name: 'Explain' }).click();
    await card.getByText(`It would use ${modelId}.`).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('asks by name before it removes a key of a provider, and takes the answer from the keyboard', async () => {
    const name = unique('brook');
    const { id: providerId } = await api().aiProviders.create({
      body: { name, kind: 'OpenAiCompatible', baseUrl: model.baseUrl, apiKey: 'sk-first-1111' },
    });
    const left = async () => (await api().aiProviders.listKeys({ params: { providerId } })).map(({ last4 }) => last4);
    const { page, complaints, close } = await open('/models');
    const remove = page.getByRole('button', { name: 'Remove the key …1111' });
    const question = page.getByRole('dialog', { name: `Remove the key …1111 of ${name}?` });
    await remove.press('Enter');
    await question.getByText('It is the only key').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await left()).toEqual(['1111']);
    // The question begins at what does no harm.
    await page.keyboard.press('Enter');
    await question.waitFor();
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(await left()).toEqual(['1111']);
    await page.keyboard.press('Enter');
    await question.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await remove.waitFor({ state: 'detached' });
    expect(await left()).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('limits what models may cost: a budget stops calls when it is spent, and is counted anew', async () => {
    const name = unique('purse');
    const { page, save, complaints, close } = await open('/models?tab=budgets');
    await page.getByRole('button', { name: 'New budget' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Scope', { exact: true }).selectOption('Model');
    await page.getByLabel('Scope name').fill('scripted:echo');
    await page.getByRole('spinbutton', { name: 'Tokens', exact: true }).fill('1');
    await page.getByLabel('When exhausted').selectOption('Block');
    await expectAccessible(page);
    await save();
    const card = page.getByRole('region', { name });
    await card.getByText('Block calls when exhausted').waitFor();
    const call = () => api().aiPlayground.chat({ body: { modelId: 'scripted:echo', messages: [spoken] } });
    expect((await call()).error).toBeNull();
    await card.getByText('Exhausted', { exact: true }).waitFor();
    expect((await call()).errorCode).not.toBeNull();
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await card.getByText('0 of 1', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('tries a prompt on models side by side, says what a request would get, and shows the calls', async () => {
    const { page, complaints, close } = await open('/models?tab=try');
    await page.getByLabel('Prompt', { exact: true }).fill('Say something about rivers');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('region', { name: 'Dry run' }).getByText('environment', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'scripted:echo' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    const answers = page.getByRole('region', { name: /^scripted:/ });
    await answers
      .getByText(/\d tokens/)
      .nth(1)
      .waitFor();
    await answers.getByText('Say something about rivers').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Calls' }).click();
    await page.getByRole('button', { name: 'scripted:echo' }).first().click();
    await page.getByRole('dialog').getByText('Attempts').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('embeds texts, and tells how near each pair of them is', async () => {
    const name = unique('meaning');
    const provider = await api().aiProviders.create({
      body: { name, kind: 'OpenAiCompatible', baseUrl: model.baseUrl, apiKey: 'sk-test' },
    });
    const modelId = `${name}:embed`;
    await api().aiModels.create({
      body: { providerId: provider.id, modelId, providerModelName: 'embed', kind: 'Embedding' },
    });
    const { page, complaints, close } = await open('/models?tab=try');
    const part = page.getByRole('region', { name: 'Embeddings' });
    await part.getByLabel('Model').selectOption(modelId);
    await part.getByLabel('Texts, one per line').fill('A river\n\nA brook\nA river');
    await part.getByRole('button', { name: 'Embed' }).click();
    const rows = part.getByRole('region', { name: modelId }).getByRole('row');
    await rows.nth(3).waitFor();
    expect(await rows.count()).toBe(4);
    // The same text twice is the nearest pair.
    expect(await rows.nth(1).getByRole('cell').allInnerTexts()).toEqual(['A river', 'A river', '1.000']);
    await part.getByText('64', { exact: true }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('says why a policy is refused without lying over the button that saves it, on a phone', async () => {
    const { page, close } = await stage.open('/policy', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Minimum password length').fill('2');
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('Minimum password length: must be at least 8.').waitFor();
    await expectUncovered(save);
    await close();
  });

  it('changes the settings of the gateway', async () => {
    const { page, complaints, close } = await open('/models?tab=settings');
    await page.getByLabel('Maximum attempts').fill('');
    await page.getByText('Maximum attempts: write a number').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('Maximum attempts').fill('4');
    await page.getByRole('checkbox', { name: 'Record prompts and answers of calls' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await api().aiSettings.get()).toMatchObject({ maxAttempts: 4, recordPrompts: true });
    expect(complaints).toEqual([]);
    await close();
  });
});

// Tools in a chat that ask a person: the form and the address stand in the reply, for all who watch, and over a reload.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, expectAccessible, expectNoSidewaysScroll, screens, useStage } from '../support/browser.ts';
import { type McpHost, startMcpHost } from '../support/mcp-host.ts';

const properties = {
  berth: { type: 'integer', title: 'Berth', minimum: 1, description: 'As it is painted on the pier.' },
  side: { type: 'string', oneOf: ['port', 'starboard'].map((one) => ({ const: one, title: `On ${one}` })) },
  power: { type: 'boolean', title: 'Shore power' },
  needs: { type: 'array', items: { type: 'string', enum: ['Water', 'Fuel'] } },
  note: { type: 'string', title: 'Note', maxLength: 200 },
};
const elicit = (params: object) => ({ ask: { method: 'elicitation/create', params } });
const annotations = { readOnlyHint: true };
/** Such a page is never quiet: the stream of the reply is open. */
async function wellMade(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

describe.skipIf(chromiumPath === null)('a tool that asks in a chat', () => {
  const stage = useStage(() => ({
    RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios'),
    RIVULET_PRIVATE_CONNECTORS: 'operator',
  }));
  let host: McpHost;
  beforeAll(async () => {
    const requestedSchema = { type: 'object', properties, required: ['berth'] };
    const address = { url: 'https://pay.harbour.example/dues/7?ship=Ann', elicitationId: 'e' };
    host = await startMcpHost({
      dock: { annotations, wants: elicit({ mode: 'form', message: 'Where will you moor?', requestedSchema }) },
      pay: { annotations, wants: elicit({ mode: 'url', message: 'The dues of this night.', ...address }) },
    });
    const { connectors, connectorMcp } = stage.api();
    const { id } = await connectors.create({ body: { name: 'Harbour', type: 'Mcp', baseUrl: host.url } });
    await connectorMcp.discover({ params: { id } });
  });
  afterAll(() => host.close());

  it('is answered by its form, and by an address that was opened', async () => {
    const { api } = stage;
    const { id } = await api().chat.create({
      body: { modelId: 'scripted:ask-person', enabledTools: ['harbour__*'], title: 'Moorings' },
    });
    const [wide, narrow] = await Promise.all(screens.map((screen) => stage.open(`/chat/${id}`, screen)));
    if (!wide || !narrow) throw new Error('two screens are needed');
    onTestFinished(async () => void (await Promise.all([wide.close(), narrow.close()])));
    const form = ({ page }: typeof wide) => page.getByRole('log').getByRole('form', { name: 'Answer Harbour' });
    await wide.page.getByLabel('Message', { exact: true }).fill('Dock, and pay.');
    await wide.page.keyboard.press('Enter');
    await form(wide).getByLabel('Berth').waitFor();
    await form(narrow).getByLabel('Berth').fill('4');
    const { items } = await api().agentEscalations.list({ query: { openOnly: true } });
    await api().agentEscalations.resolve({ params: { id: items[0]?.id ?? 0 }, body: { decision: 'berth: none' } });
    for (const { page } of [wide, narrow]) await page.getByText('The last answer did not fit:').waitFor();
    for (const { page } of [wide, narrow]) await wellMade(page);

    await form(narrow).getByLabel('Berth').fill('4');
    await form(narrow).getByLabel('side').selectOption('On starboard');
    await narrow.page.reload();
    expect(await form(narrow).getByLabel('Berth').inputValue()).toBe('4');
    await form(narrow).getByLabel('Shore power').check();
    await form(narrow).getByLabel('Fuel').check();
    await form(narrow).getByRole('button', { name: 'Send the answer' }).click();
    await narrow.page.getByRole('button', { name: 'Send now' }).click();

    const opens = form(wide).getByRole('link', { name: 'Open pay.harbour.example' });
    expect(await opens.getAttribute('href')).toBe('https://pay.harbour.example/dues/7?ship=Ann');
    await form(narrow).getByText('https://pay.harbour.example/dues/7?ship=Ann').waitFor();
    await wellMade(narrow.page);
    await form(wide).getByRole('button', { name: 'I have opened it' }).click();
    await wide.page.getByRole('button', { name: 'Send now' }).click();
    for (const { page } of [wide, narrow]) await page.getByText('It was:').waitFor();
    const [, reply] = (await api().chat.get({ params: { id } })).messages;
    expect(reply?.toolCalls?.map(({ resultJson }) => JSON.parse(resultJson ?? 'null'))).toEqual([
      { ask: { action: 'accept', content: { berth: 4, side: 'starboard', power: true, needs: ['Fuel'] } } },
      { ask: { action: 'accept' } },
    ]);
    expect([...wide.complaints, ...narrow.complaints]).toEqual([]);
  });
});

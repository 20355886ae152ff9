// Tools in a chat: what waits for an approval is edited, approved or refused where it was asked, and the reply goes on.
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectAgent } from '../support/agent.ts';
import { chromiumPath, expectAccessible, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('tools in a chat', () => {
  const stage = useStage(() => ({ RIVULET_SCENARIOS: resolve(import.meta.dirname, 'scenarios') }));
  const { api } = stage;
  beforeAll(async () => {
    const body = { role: 'chat', name: 'Chats', optInTools: ['weather_*'], discoveryEnabled: true };
    await api().agentToolProfiles.create({ body });
  });
  /** A chat with an identity whose agent offers `weather_get`, with the question asked. */
  const asked = async () => {
    const name = `iris-${crypto.randomUUID().slice(0, 8)}`;
    const { id: identityId } = await api().identities.create({ body: { name, type: 'AI' } });
    const { rawKey } = await api().identityKeys.create({ params: { identityId }, body: { name: 'socket' } });
    const agent = await connectAgent(stage.server.baseUrl, rawKey);
    onTestFinished(() => agent.cut());
    await agent.register();
    const session = await api().chat.create({
      body: { modelId: 'scripted:tool-talk', identityId, enabledTools: ['weather_get'] },
    });
    const { page, complaints, close } = await stage.open(`/chat/${session.id}`);
    onTestFinished(close);
    await page.getByLabel('Message', { exact: true }).fill('How is the weather?');
    await page.keyboard.press('Enter');
    const log = page.getByRole('log', { name: 'Messages' });
    const card = log.locator('[data-escalation]');
    await card.getByText('weather_get').first().waitFor();
    const calls = async () => (await api().chat.get({ params: { id: session.id } })).messages.at(-1)?.toolCalls ?? [];
    /** Replies that are made. */
    const answers = log.locator('[data-role=assistant][data-message]');
    return { agent, page, complaints, log, card, calls, answers };
  };

  it('are approved with other arguments, and the reply goes on with what they brought', async () => {
    const { agent, page, complaints, log, card, calls, answers } = await asked();
    const args = card.getByLabel('Arguments (editable)');
    expect(JSON.parse(await args.inputValue())).toEqual({ place: 'Oslo' });
    await expectAccessible(page);
    await args.fill('{ "place": ');
    await card.getByText('This is not valid JSON').waitFor();
    await expect(card.getByRole('button', { name: 'Approve with the edit' }).isDisabled()).resolves.toBe(true);
    await args.fill('{ "place": "Bergen" }');
    await card.getByRole('button', { name: 'Approve with the edit' }).click();
    await card.getByRole('button', { name: 'Send now' }).click();
    const call = await agent.called();
    expect(call.data.arguments).toEqual({ place: 'Bergen' });
    agent.answer(call.id, 'It rains in Bergen.');
    await answers.getByText('It was: It rains in Bergen.').waitFor();
    await card.waitFor({ state: 'detached' });
    await log.getByRole('button', { name: /weather_get.*Succeeded/ }).click();
    await log.getByText('"Bergen"').first().waitFor();
    expect(await calls()).toMatchObject([{ name: 'weather_get', status: 'Succeeded' }]);
    expect(complaints).toEqual([]);
  });

  it('are refused, also after a reload, and the reply goes on without them', async () => {
    const { agent, page, complaints, card, calls, answers } = await asked();
    await page.reload();
    await card.getByRole('button', { name: 'Reject' }).click();
    await answers.getByText(/It was:/).waitFor();
    await card.waitFor({ state: 'detached' });
    expect(agent.calls).toEqual([]);
    expect(await calls()).toMatchObject([{ name: 'weather_get', status: 'Failed' }]);
    expect(complaints).toEqual([]);
  });
});

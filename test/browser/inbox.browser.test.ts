// The inbox: messages arrive by themselves, are read, answered, searched for and put away; broadcasts.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('the inbox', () => {
  const stage = useStage();
  const unique = (word: string) => `${word}-${crypto.randomUUID().slice(0, 6)}`;
  /** Somebody who writes to the administrator. */
  const writer = async (name: string) => {
    const api = stage.api();
    const identity = await api.identities.create({ body: { name, type: 'AI' } });
    const made = await api.identityKeys.create({ params: { identityId: identity.id }, body: { name: 'writer' } });
    const own = (await api.auth.me()).identity?.id ?? 0;
    return { identity, own, client: createClient({ baseUrl: stage.server.baseUrl, token: made.rawKey }) };
  };

  it.each(screens)('takes in, shows and answers what comes, $colorScheme', async (screen) => {
    const name = unique('scout');
    const { client, own, identity } = await writer(name);
    const { page, complaints, close } = await stage.open('/inbox', screen);
    await page.locator('[data-testid=connection][data-phase=live]').waitFor({ state: 'attached' });
    const word = unique('ford');
    await client.messages.send({
      body: {
        recipientIds: [own],
        content: `The ${word} is passable.`,
        priority: 'Urgent',
        requiresReply: true,
        threadTitle: word,
      },
    });
    // Nobody has asked for it: the count and the thread are there.
    const threads = page.getByRole('navigation', { name: 'Threads' });
    await threads.getByRole('link', { name: new RegExp(word) }).waitFor();
    await page.locator('a[href="#/inbox"] .badge').first().waitFor({ state: 'attached' });
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Pending replies' }).click();
    await page.getByRole('navigation', { name: 'Pending replies' }).getByText('Urgent').first().waitFor();
    await expectWellMade(page);
    await page.getByRole('link', { name: new RegExp(word) }).click();
    const thread = page.getByRole('region', { name: word });
    await thread.getByText(`The ${word} is passable.`).waitFor();
    await expect
      .poll(async () => (await stage.api().messages.inbox({ query: { unreadOnly: true } })).items)
      .toEqual([]);
    await thread.getByLabel('Reply', { exact: true }).fill('Half a reply');
    await page.reload();
    await expect.poll(() => thread.getByLabel('Reply', { exact: true }).inputValue()).toBe('Half a reply');
    await expectWellMade(page);
    await thread.getByLabel('Reply', { exact: true }).fill('Go across.');
    await thread.getByLabel('Priority').selectOption('High');
    await thread.getByRole('button', { name: 'Send' }).click();
    await thread.locator('.mail').getByText('Go across.').waitFor();
    await expect
      .poll(async () => (await client.messages.inbox({ query: {} })).items)
      .toMatchObject([{ content: 'Go across.', priority: 'High' }]);
    await thread.getByRole('link', { name: 'All threads' }).click();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByLabel('Search messages').fill(`${word} passable`);
    await page.getByRole('navigation', { name: 'Search results' }).getByRole('link').first().waitFor();
    await expectWellMade(page);
    await page.getByLabel('Search messages').fill('nothing is said so');
    await page.getByText('No message matches').waitFor();
    await page.getByLabel('Search messages').fill('');
    await threads.getByRole('link', { name: new RegExp(word) }).click();
    await thread.getByRole('button', { name: 'Archive', exact: true }).click();
    await threads.getByRole('link', { name: new RegExp(word) }).waitFor({ state: 'detached' });
    await stage.api().identities.remove({ params: { id: identity.id } });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('writes to chosen identities, and to everybody, $colorScheme', async (screen) => {
    const name = unique('ferry');
    const { client, identity } = await writer(name);
    const { page, complaints, close } = await stage.open('/inbox', screen);
    await page.getByRole('button', { name: 'New message' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search recipients').fill(name);
    await dialog.getByLabel(name).check();
    await dialog.getByLabel('Message').fill('Come to the mill.');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.locator('.mail').getByText('Come to the mill.').waitFor();
    await page.getByRole('button', { name: 'Broadcast' }).click();
    await dialog.getByLabel('Message').fill('The bridge is closed.');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^Sent to \d+ identit/).waitFor();
    const contents = (await client.messages.inbox({ query: {} })).items.map(({ content }) => content);
    expect(contents).toEqual(['The bridge is closed.', 'Come to the mill.']);
    await stage.api().identities.remove({ params: { id: identity.id } });
    expect(complaints).toEqual([]);
    await close();
  });
});

// Texts in Hebrew and Arabic, among labels that run from left to right: each in its own direction, wherever it is read or written.
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, useStage, visit } from '../support/browser.ts';

const words = 'שלום עולם, מה שלומך?';
const text = `${words}

1. ראשון: \`npm start\` (חשוב)
2. שני

> ציטוט ישן.

| שם | מספר |
| --- | --- |
| אלף | 3 |

An English line with שלום inside.

\`\`\`js
// הערה first
\`\`\`

סוף.`;

interface Seen {
  ownerDocument: {
    createRange(): {
      setStart(node: unknown, at: number): void;
      setEnd(node: unknown, at: number): void;
      getBoundingClientRect(): { x: number };
    };
    createTreeWalker(root: unknown, what: number): { nextNode(): { data: string } | null };
  };
}

/** Where the first and the last letter of the element stand: whether it reads from right to left. */
const runsLeft = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => {
    const { ownerDocument } = element as unknown as Seen;
    const walker = ownerDocument.createTreeWalker(element, 4);
    const places: number[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const [at, letter] of [...node.data].entries()) {
        if (!letter.trim()) continue;
        const range = ownerDocument.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        places.push(range.getBoundingClientRect().x);
      }
    }
    return (places[0] as number) > (places.at(-1) as number);
  });

async function expectDirections(within: Locator): Promise<void> {
  const of = (selector: string) => within.locator(selector).first();
  expect(await runsLeft(of('p'))).toBe(true);
  expect(await runsLeft(of('ol > li'))).toBe(true);
  expect(await runsLeft(of('blockquote p'))).toBe(true);
  expect(await runsLeft(of('thead tr'))).toBe(true);
  expect(await runsLeft(within.getByText('An English line'))).toBe(false);
  expect(await runsLeft(of('pre code'))).toBe(false);
  // Numbers and lines beside the words are at their right.
  for (const beside of ['ol', 'blockquote', 'table'])
    expect(
      await of(beside).evaluate((element) =>
        (element as unknown as { matches(is: string): boolean }).matches(':dir(rtl)'),
      ),
    ).toBe(true);
}

/** A word that is typed changes the right half of a field, and leaves the left one as empty as it was. */
async function expectWrittenFromRight(field: Locator): Promise<void> {
  const halves = async (typed: string): Promise<Buffer[]> => {
    await field.fill(typed);
    const { x, y, width, height } = (await field.boundingBox())!;
    const half = (from: number) => field.page().screenshot({ clip: { x: from, y, width: width / 2, height } });
    return [await half(x), await half(x + width / 2)];
  };
  const [left, right] = await halves(' ');
  const [leftThen, rightThen] = await halves('שלום');
  expect(leftThen!.equals(left!)).toBe(true);
  expect(rightThen!.equals(right!)).toBe(false);
}

describe.skipIf(chromiumPath === null)('texts from right to left', () => {
  const stage = useStage(() => ({ RIVULET_MODEL: 'scripted:echo' }));
  const { api } = stage;
  let projectId = 0;
  let chatId = 0;
  beforeAll(async () => {
    projectId = (await api().projects.create({ body: { name: words, siteSlug: 'shalom', siteEnabled: true } })).id;
    const body = { title: 'Read', content: text, classification: 'Public' } as const;
    const doc = await api().docs.create({ params: { projectId }, body });
    await api().docs.publish({ params: { id: doc.id }, body: {} });
    chatId = (await api().chat.create({ body: { modelId: 'scripted:echo', title: words } })).id;
    for (const role of ['user', 'assistant'] as const)
      await api().chat.addMessage({ params: { sessionId: chatId }, body: { role, content: text } });
  });

  it('are messages of a chat, its title, and what is being written', async () => {
    const { page, complaints, close } = await stage.open(`/chat/${chatId}`);
    for (const role of ['user', 'assistant'])
      await expectDirections(page.locator(`.message[data-role=${role}] .markdown`));
    for (const title of await page.getByText(words, { exact: true }).all()) expect(await runsLeft(title)).toBe(true);
    await expectWrittenFromRight(page.getByLabel('Message', { exact: true }));
    await expectWrittenFromRight(page.getByLabel('Search chats', { exact: true }));
    expect(complaints).toEqual([]);
    await close();
  });

  it('are documents, their sites, and pages of bots', async () => {
    await api().siteBuilds.request({ params: { projectId }, body: {} });
    await expect
      .poll(async () => (await api().siteBuilds.status({ params: { projectId } })).latest?.status)
      .toBe('Published');
    const { page, close } = await visit(stage.browser);
    await page.goto(`${stage.server.baseUrl}/sites/shalom/read.html`);
    await expectDirections(page.locator('article'));
    expect(await runsLeft(page.locator('.top .name'))).toBe(true);
    const { id } = await api().identities.create({ body: { name: 'שלום', type: 'AI' } });
    const body = { displayName: words, isPublished: true, greeting: text };
    const { publicUrl } = await api().botProfiles.replace({ params: { identityId: id }, body });
    await page.goto(publicUrl as string);
    await expectDirections(page.locator('.assistant'));
    expect(await runsLeft(page.locator('h1'))).toBe(true);
    await close();
  });
});

// The pages of rules, lessons, what is remembered about a person, entities, interests and the start of a session.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('what agents know', () => {
  const stage = useStage();
  const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 6)}`;
  const dialogOf = (page: Page) => page.getByRole('dialog');

  it.each(screens)('has rules that are stated, tried, reviewed and withdrawn, $colorScheme', async (screen) => {
    const api = stage.api();
    const { page, complaints, close } = await stage.open('/memory/rules', screen);
    const dialog = dialogOf(page);
    const folder = `/srv/${crypto.randomUUID().slice(0, 6)}`;
    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog.getByLabel('Rule').fill(`Never call \`shell_exec\` on \`${folder}\`.`);
    await dialog.getByLabel('Why').fill('It broke once.');
    await dialog.getByLabel('Kind').selectOption('MustNot');
    await dialog.getByLabel('Review by').fill('2020-01-01');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const rule = page.getByRole('region', { name: 'Rule', exact: true });
    await rule.getByText('It broke once.').waitFor();
    await expectWellMade(page);

    await page.getByRole('tab', { name: 'Try a call' }).click();
    await page.getByLabel('Tool').fill('shell_exec');
    await page.getByLabel('Text or arguments').fill(`{"command": "ls ${folder}/data"}`);
    await page.getByRole('button', { name: 'Check' }).click();
    const said = page.getByRole('region', { name: 'What the rules say' });
    await said.getByText('The call is blocked', { exact: true }).waitFor();
    await said.getByText('It may not be made.').waitFor();
    await expectWellMade(page);
    await page.getByLabel('Text or arguments').fill('{"command": "ls /tmp"}');
    await page.getByRole('button', { name: 'Check' }).click();
    await said.getByText('The call goes through').waitFor();

    await page.getByRole('tab', { name: /^To be looked at/ }).click();
    const due = page.getByRole('listitem').filter({ hasText: folder });
    await due.getByText('Its date of review has come').first().waitFor();
    await expectWellMade(page);
    await due.getByRole('button', { name: 'Look at it' }).first().click();
    await rule.getByRole('button', { name: 'Withdraw' }).click();
    await dialog.getByLabel('Why').fill('The folder is gone.');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Keep writing' }).click();
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await rule.getByText('The folder is gone.').waitFor();

    const { id } = await api.standingRules.create({
      body: { assertion: unique('Ask first'), trigger: 'BeforeEscalation', kind: 'Should' },
    });
    await page.getByRole('tab', { name: 'Effect' }).click();
    await page.getByRole('img', { name: 'Escalations a day, before and after the rule' }).waitFor();
    await expectWellMade(page);
    await api.standingRules.withdraw({ params: { id }, body: { statusReason: 'over' } });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('has lessons that are searched, reinforced and forgotten, $colorScheme', async (screen) => {
    const { page, complaints, close } = await stage.open('/memory/lessons', screen);
    const dialog = dialogOf(page);
    const title = unique('Lint before testing');
    await page.getByRole('button', { name: 'New lesson' }).click();
    await dialog.getByLabel('Title').fill(title);
    await dialog.getByRole('textbox', { name: 'Lesson' }).fill('The linter is faster than the tests.');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: title });
    await row.getByRole('button', { name: 'It helped' }).click();
    await row.getByText('+1 −0').waitFor();
    await page.getByLabel('Search lessons by words or meaning').fill('linter');
    await row.waitFor();
    await expectWellMade(page);
    await row.getByRole('button', { name: `More about “${title}”` }).click();
    await page.getByRole('menuitem', { name: 'Give it to an identity' }).click();
    await dialog.getByRole('button', { name: 'Give' }).click();
    await page.getByText('It is among the memories of the identity').waitFor();
    await row.getByRole('button', { name: `More about “${title}”` }).click();
    await page.getByRole('menuitem', { name: 'Forget' }).click();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Forget' }).click();
    await row.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('remembers of a person what that person says, and forgets it, $colorScheme', async (screen) => {
    const api = stage.api();
    const { page, complaints, close } = await stage.open('/memory/about-me', screen);
    const dialog = dialogOf(page);
    await page.getByText('Nothing is remembered about you').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Remember this' }).click();
    await dialog.getByLabel('What to remember').fill('I like window seats.');
    await dialog.getByLabel('Category').selectOption('Preference');
    await dialog.getByLabel('Who sees it').selectOption('AllMyIdentities');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Keep writing' }).click();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'I like window seats.' });
    await row.getByText('All my identities').waitFor();
    await expectWellMade(page);
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Who sees it').selectOption('Private');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Me alone').waitFor();
    await page.getByRole('tab', { name: /^Suggestions/ }).click();
    await page.getByText('No suggestions').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Forget many' }).click();
    await dialog.getByLabel('Category').selectOption('Preference');
    await dialog.getByText('It reaches 1 memory.').waitFor();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Forget' }).click();
    await page.getByText('1 memory forgotten').waitFor();
    expect((await api.personalMemories.list({ query: {} })).items).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)(
    'has entities that are related, walked and connected by the shortest way, $colorScheme',
    async (screen) => {
      const api = stage.api();
      const [maria, works, weir] = [unique('Maria'), unique('Waterworks'), unique('Weir')];
      const { page, complaints, close } = await stage.open('/memory/graph', screen);
      const dialog = dialogOf(page);
      await page.getByRole('button', { name: 'New entity' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill(maria);
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Save' }).click();
      const entity = page.getByRole('region', { name: 'Entity', exact: true });
      await entity.getByRole('heading', { name: maria }).waitFor();
      const named = (name: string) => api.graph.createNode({ body: { name, kind: 'Organization' } });
      const [a, b] = [await named(works), await named(weir)];
      await api.graph.createEdge({ body: { fromNodeId: a.id, toNodeId: b.id, relation: 'maintains' } });
      await entity.getByRole('button', { name: 'Relate' }).click();
      await dialog.getByLabel('How').fill('leads');
      await dialog.getByLabel('Search entities').fill(works);
      await dialog.getByLabel(new RegExp(works)).check();
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Relate' }).click();
      await entity.getByRole('button', { name: works }).waitFor();
      await entity.getByRole('button', { name: 'Way to another' }).click();
      await dialog.getByLabel('Search entities').fill(weir);
      await dialog.getByLabel(new RegExp(weir)).check();
      await dialog.getByRole('button', { name: 'Show the way' }).click();
      await page.getByText(`${maria} → ${works} → ${weir}`).waitFor();
      await page.getByLabel('Who is central').check();
      await page.getByRole('button', { name: 'Show all around it' }).click();
      await page.getByRole('columnheader', { name: 'Central entity' }).waitFor();
      await page
        .getByRole('group', { name: 'Entities and how they relate' })
        .getByRole('button', { name: works })
        .focus();
      await page.keyboard.press('Enter');
      await entity.getByRole('heading', { name: works }).waitFor();
      await expectWellMade(page);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)(
    'shows what a session starts with, what it takes, and what it would be without, $colorScheme',
    async (screen) => {
      const api = stage.api();
      const { id } = await api.identities.create({ body: { name: unique('hydra').replace(' ', '-'), type: 'AI' } });
      const params = { identityId: id };
      const text = 'The gauge is read each morning at seven.';
      await api.memories.create({ params, body: { title: 'Gauge', content: text, isPinned: true, importance: 9 } });
      const { page, complaints, close } = await stage.open(`/memory/interests?identity=${id}`, screen);
      const dialog = dialogOf(page);
      await page.getByText('No interests yet').waitFor();
      await page.getByRole('button', { name: 'New interest' }).click();
      await dialog.getByLabel('Interest').fill('water levels');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'water levels' }).waitFor();
      await expectWellMade(page);
      await page.goto(`${stage.server.baseUrl}/#/memory/hydration?identity=${id}&budget=5000`);
      const told = page.getByRole('region', { name: 'Text', exact: true });
      await told
        .getByText(/The gauge is read each morning/)
        .first()
        .waitFor();
      await page.getByRole('meter', { name: 'Tokens' }).waitFor();
      await expectWellMade(page);
      const item = page.getByRole('row').filter({ hasText: 'Pinned memories' });
      await item.getByRole('checkbox').uncheck();
      await page.getByText(/Without 1 item: [\d,]+ tokens less/).waitFor();
      await expect.poll(() => told.getByText(/The gauge is read each morning/).count()).toBe(0);
      await expectWellMade(page);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)('tells how what is known of a goal grew, and starts its research, $colorScheme', async (screen) => {
    const topic = unique('Gauges');
    const goal = await stage.api().knowledgeGoals.create({ body: { topic, priority: 100 } });
    const { page, complaints, close } = await stage.open('/goals', screen);
    const dialog = dialogOf(page);
    const row = page.getByRole('row').filter({ hasText: topic });
    await row.getByText('next', { exact: true }).waitFor();
    await row.getByRole('button', { name: '0%, how' }).click();
    await dialog.getByText('No run has found out anything yet.', { exact: false }).waitFor();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Research it now' }).click();
    await page.getByText(`Research the knowledge goal “${topic}”`, { exact: false }).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
    await stage.api().knowledgeGoals.remove({ params: { id: goal.id } });
  });
});

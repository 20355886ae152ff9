// Projects in the dashboard: what goes on in one, its board by drag and by keys, a task in full, settings to the end; and Ctrl K.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

/** Where pictures are put that somebody wants to look at. */
const pictures = process.env.RIVULET_PICTURES;
const picture = async (page: Page, name: string) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` });
};
const nameOf = (screen: (typeof screens)[number]) => `${screen.colorScheme}-${screen.viewport.width}`;

describe.skipIf(chromiumPath === null)('projects', () => {
  const stage = useStage();
  const { api, open } = stage;

  const make = async (name: string) => {
    const { id } = await api().projects.create({ body: { name, description: 'All about **water**.' } });
    const add = (title: string, more = {}) =>
      api().tasks.create({ params: { projectId: id }, body: { title, status: 'Todo', ...more } });
    return { id, add };
  };
  const order = async (id: number, status: string) => {
    const { columns } = await api().tasks.board({ params: { projectId: id }, query: {} });
    return columns.find((one) => one.status === status)?.tasks.map(({ title }) => title);
  };

  /** Drops a task above another in the moment in which it comes to be over it, so that nothing is drawn in between. */
  const dropAtOnce = (page: Page, title: string, above: string) =>
    page.evaluate(
      `(async () => {
        const card = (title) => [...document.querySelectorAll('li[data-task]')].find((one) => one.textContent.includes(title));
        const target = card(${JSON.stringify(above)});
        const at = { bubbles: true, cancelable: true, clientY: target.getBoundingClientRect().top + 4 };
        card(${JSON.stringify(title)}).dispatchEvent(new DragEvent('dragstart', at));
        await null;
        for (const type of ['dragover', 'drop']) target.dispatchEvent(new DragEvent(type, at));
      })()`,
    );

  it.each(screens)('are made, listed and shown, $colorScheme $viewport.width', async (screen) => {
    const name = `Weir ${nameOf(screen)}`;
    const { page, complaints, close } = await open('/projects', screen);
    await page.getByRole('button', { name: 'New project' }).first().click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
    const { items } = await api().projects.list({ query: { q: name } });
    const id = items[0]?.id ?? 0;
    await api().tasks.create({ params: { projectId: id }, body: { title: 'Open the gate' } });
    await page.getByRole('region', { name: 'Latest activity' }).getByText('Open the gate').waitFor();
    await page.getByRole('region', { name: 'Summary' }).getByText('Open tasks').waitFor();
    await expectWellMade(page);
    await picture(page, `overview-${nameOf(screen)}`);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Open the gate').waitFor();
    await expectWellMade(page);
    await page.goto(page.url().replace(/#.*/, '#/projects'));
    await page.getByRole('link', { name: new RegExp(name) }).waitFor();
    await expectWellMade(page);
    await picture(page, `list-${nameOf(screen)}`);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)(
    'have a board whose tasks move by drag and by keys, $colorScheme $viewport.width',
    async (screen) => {
      const { id, add } = await make(`Board ${nameOf(screen)}`);
      for (const title of ['First', 'Second', 'Third']) await add(title);
      const { page, complaints, close } = await open(`/projects/${id}?tab=board`, screen);
      const card = (title: string) => page.getByRole('link', { name: title });
      await card('First').waitFor();
      await expectWellMade(page);
      await card('First').focus();
      await page.keyboard.press('Alt+ArrowDown');
      await expect.poll(() => order(id, 'Todo')).toEqual(['Second', 'First', 'Third']);
      await page.getByRole('status').filter({ hasText: 'First is now in Todo, place 2.' }).waitFor();
      await page.keyboard.press('Alt+ArrowRight');
      await expect.poll(() => order(id, 'InProgress')).toEqual(['First']);
      // The focus comes along, and on a phone the board turns to its column.
      await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toContain('First');
      await card('Third').dragTo(card('Second'), { targetPosition: { x: 20, y: 4 } });
      await expect.poll(() => order(id, 'Todo')).toEqual(['Third', 'Second']);
      await dropAtOnce(page, 'Second', 'Third');
      await expect.poll(() => order(id, 'Todo')).toEqual(['Second', 'Third']);
      await card('Second').and(page.locator('ul[aria-label="Todo"] li:first-child a')).waitFor();
      // On a phone one column is on show, and the others are reached by keys or in the task itself.
      if (screen.viewport.width > 1000) await card('Second').dragTo(page.getByRole('list', { name: 'In progress' }));
      else {
        await card('Second').focus();
        await page.keyboard.press('Alt+ArrowRight');
      }
      await expect.poll(async () => (await order(id, 'InProgress'))?.length).toBe(2);
      // What others move shows by itself.
      const { items } = await api().tasks.listIn({ params: { projectId: id }, query: { q: 'Third' } });
      await api().tasks.status({ params: { id: items[0]?.id ?? 0 }, body: { status: 'Cancelled' } });
      await page.getByRole('list', { name: 'Cancelled' }).getByText('Third').waitFor();
      await expectWellMade(page);
      await picture(page, `board-${nameOf(screen)}`);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)(
    'show a task in full: its parts, comments and what it waits for, $colorScheme $viewport.width',
    async (screen) => {
      const { id, add } = await make(`Task ${nameOf(screen)}`);
      const other = await add('Buy paint');
      const task = await add('Paint the boat', { description: 'In **blue**.', acceptanceCriteria: 'It shines.' });
      const { page, complaints, close } = await open(`/projects/${id}?tab=board`, screen);
      await page.getByRole('link', { name: 'Paint the boat' }).click();
      const drawer = page.getByRole('dialog', { name: 'Paint the boat' });
      await drawer.getByText('It shines.').waitFor();
      await drawer.getByRole('button', { name: 'Add a subtask' }).click();
      await page.getByRole('dialog', { name: 'New subtask' }).getByLabel('Title').fill('Sand it');
      await page.getByRole('button', { name: 'Create' }).click();
      await drawer.getByRole('link', { name: 'Sand it' }).waitFor();
      await drawer.getByRole('button', { name: 'Add a dependency' }).click();
      await page.getByLabel('Task', { exact: true }).selectOption(String(other.id));
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await drawer.getByRole('link', { name: 'Buy paint' }).waitFor();
      await drawer
        .getByLabel('Comment')
        .fill('Two **coats**. <img src=x onerror="window.hacked=1"> [x](javascript:hacked)');
      await drawer.getByRole('button', { name: 'Send' }).click();
      await drawer.locator('.task-comment strong').filter({ hasText: 'coats' }).waitFor();
      expect(await drawer.locator('.task-comment img, .task-comment a[href^="javascript"]').count()).toBe(0);
      expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
      await expectWellMade(page);
      await picture(page, `task-${nameOf(screen)}`);
      await drawer.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Priority, 0 to 100').fill('80');
      await page.getByRole('button', { name: 'Save' }).click();
      await drawer.getByText('priority 80').waitFor();
      await drawer.getByLabel('Status').selectOption('Cancelled');
      await expect.poll(async () => (await api().tasks.get({ params: { id: task.id } })).status).toBe('Cancelled');
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)(
    'are changed, given members, archived and deleted by their key, $colorScheme $viewport.width',
    async (screen) => {
      const name = `Lock ${nameOf(screen)}`;
      const { id } = await make(name);
      const agent = await api().identities.create({ body: { name: `Keeper ${nameOf(screen)}`, type: 'AI' } });
      const { page, complaints, close } = await open(`/projects/${id}?tab=settings`, screen);
      // The form looks like one, though no other page of settings was opened before.
      await page.getByRole('group', { name: 'About' }).waitFor();
      const layout = `getComputedStyle(document.querySelector('fieldset[aria-label=About]')).display`;
      expect(await page.evaluate(layout)).toBe('grid');
      await page.getByLabel('Instructions for agents').fill('Mind the gate.');
      await page.getByRole('button', { name: /^Save/ }).click();
      await expect
        .poll(async () => (await api().projects.get({ params: { id } })).agentInstructions)
        .toBe('Mind the gate.');
      await page.getByLabel('Repository', { exact: true }).fill('https://git.example.com/lock.git');
      await page.getByRole('button', { name: /^Save/ }).click();
      await page.getByLabel('Token or password').fill('hush-token');
      await page.getByRole('button', { name: 'Set credentials' }).click();
      await page.getByText('x-access-token at https://git.example.com').waitFor();
      expect(await page.getByLabel('Token or password').inputValue()).toBe('');
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByLabel('Who').selectOption(`identity ${agent.id}`);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByLabel(`Role of ${agent.displayName}`).selectOption('Viewer');
      await expect
        .poll(
          async () =>
            (await api().projects.get({ params: { id } })).members.find((one) => one.identityId === agent.id)?.role,
        )
        .toBe('Viewer');
      await expectWellMade(page);
      await picture(page, `settings-${nameOf(screen)}`);
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('button', { name: 'Delete the project' }).click();
      const question = page.getByRole('dialog', { name: `Delete ${name} for ever?` });
      await expectWellMade(page);
      const { key } = await api().projects.get({ params: { id } });
      expect(await question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
      await question.getByLabel(`Type the key ${key} to confirm`).fill(key);
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
      expect((await api().projects.list({ query: { q: name } })).items).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(screens)(
    'are found from anywhere by Ctrl K, with tasks and documents, $colorScheme $viewport.width',
    async (screen) => {
      const { id, add } = await make(`Sturgeon ${nameOf(screen)}`);
      const task = await add(`Feed the sturgeon ${nameOf(screen)}`);
      await api().docs.create({
        params: { projectId: id },
        body: { title: `Sturgeon care ${nameOf(screen)}`, content: 'Cold water.' },
      });
      const { page, complaints, close } = await open('/runs', screen);
      await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
      await page.keyboard.press('Control+k');
      const palette = page.getByRole('dialog', { name: 'Find anything' });
      const input = palette.getByRole('combobox');
      await input.fill(`sturgeon ${nameOf(screen)}`);
      const group = (name: string) => palette.getByRole('group', { name, exact: true });
      await group('Projects').getByRole('option').first().waitFor();
      await group('Documents')
        .getByRole('option', { name: /Sturgeon care/ })
        .first()
        .waitFor();
      await expectWellMade(page);
      await picture(page, `palette-${nameOf(screen)}`);
      const wanted = group('Tasks').getByRole('option').first();
      for (let step = 0; step < 30 && (await wanted.getAttribute('aria-selected')) !== 'true'; step++)
        await input.press('ArrowDown');
      await input.press('Enter');
      await page.getByRole('dialog', { name: task.title }).waitFor();
      expect(page.url()).toContain(`#/projects/${id}?tab=board&task=${task.id}`);
      await page.keyboard.press('Escape');
      // What was opened last comes first the next time.
      await page.keyboard.press('Control+k');
      const recent = group('Recent').getByRole('option');
      await recent.filter({ hasText: task.title }).waitFor();
      await expect.poll(() => recent.first().getAttribute('aria-selected')).toBe('true');
      await input.press('Enter');
      await page.getByRole('dialog', { name: task.title }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );
});

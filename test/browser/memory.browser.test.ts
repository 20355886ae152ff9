// The pages of memory: searched with reasons, walked, changed, merged, forgotten; facts, rules, lessons, entities.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';

describe.skipIf(chromiumPath === null)('memory', () => {
  const stage = useStage();
  const unique = (word: string) => `${word}-${crypto.randomUUID().slice(0, 6)}`;
  const make = (word: string) => stage.api().identities.create({ body: { name: unique(word), type: 'AI' } });
  const remember = (identityId: number, title: string, content: string, more: object = {}) =>
    stage.api().memories.create({ params: { identityId }, body: { title, content, ...more } });
  const list = (page: Page) => page.getByRole('region', { name: 'Memories' });
  const view = (page: Page) => page.getByRole('region', { name: 'Memory', exact: true });

  it.each(screens)('is written, found with its reasons, filtered and followed live, $colorScheme', async (screen) => {
    const { id } = await make('mira');
    const { page, complaints, close } = await stage.open(`/memory?identity=${id}`, screen);
    const dialog = page.getByRole('dialog');
    await page.getByText('Nothing remembered yet').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'New memory' }).click();
    await dialog.getByLabel('Title').fill('Kowalski pays late');
    await dialog.getByLabel('Content').fill('The invoices of Kowalski are paid on the 14th.');
    // Nothing is lost, neither on Escape nor when the page is loaded anew.
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Keep writing' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'New memory' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Kowalski pays late');
    await dialog.getByLabel('Tags, between commas').fill('money, kowalski');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await view(page).getByText('The invoices of Kowalski are paid on the 14th.').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Close the memory' }).click();
    // What others write shows by itself.
    await remember(id, 'The weir opens at six', 'Ulf opens the sluice at six.', { type: 'Procedure', isShared: true });
    await list(page).getByText('The weir opens at six').waitFor();
    await page.getByLabel('Search by words or meaning').fill('when does Kowalski pay');
    const found = page.getByRole('region', { name: 'What was found' });
    await found.getByRole('button', { name: /^Kowalski pays late/ }).waitFor();
    await found.getByRole('progressbar', { name: 'Words' }).first().waitFor();
    await found
      .getByText(/factors?$/)
      .first()
      .click();
    await found.getByText('importance', { exact: false }).first().waitFor();
    await expectWellMade(page);
    await page.getByLabel('Search by words or meaning').fill('');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Sharing').selectOption('shared');
    await list(page).getByText('1 memory', { exact: true }).waitFor();
    await expectWellMade(page);
    await page.getByLabel('Type').selectOption('Milestone');
    await page.getByText('No memory matches').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('is linked, walked by keys, merged, archived and forgotten, $colorScheme', async (screen) => {
    const { id } = await make('noor');
    const text = 'The staging database moves to the new cluster on Thursday evening after the backup has run.';
    const one = await remember(id, 'Staging moves', text, { tags: ['ops'] });
    const twin = await remember(id, 'Staging moves again', `${text} Really.`, { tags: ['cluster'] });
    const other = await remember(id, 'Backups run at nine', 'Each evening at nine the backup runs.');
    const { page, complaints, close } = await stage.open(`/memory?identity=${id}&memory=${one.id}`, screen);
    const dialog = page.getByRole('dialog');
    const here = view(page);
    await here.getByRole('button', { name: 'Link with another' }).click();
    await dialog.getByLabel(/Backups run at nine/).check();
    await dialog.getByLabel('How it is linked').selectOption('Causal');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await here.getByRole('cell', { name: 'Causal' }).waitFor();
    const graph = here.getByRole('group', { name: /^Memories linked with/ });
    const neighbour = graph.getByRole('button', { name: 'Backups run at nine' });
    await neighbour.focus();
    await expectWellMade(page);
    // The graph may have been read again meanwhile.
    await neighbour.press('Enter');
    await here.getByRole('heading', { name: 'Backups run at nine' }).waitFor();
    // The way back stays drawn.
    const back = graph.getByRole('button', { name: 'Staging moves', exact: true });
    await back.press('Enter');
    await here.getByRole('heading', { name: 'Staging moves', exact: true }).waitFor();
    // The focus walks along.
    await expect.poll(() => page.evaluate(`document.activeElement?.getAttribute('aria-label')`)).toBe('Staging moves');

    await here.getByRole('tab', { name: 'Similar' }).click();
    await here
      .getByRole('listitem')
      .filter({ hasText: 'Staging moves again' })
      .getByRole('button', { name: 'Merge' })
      .click();
    await dialog.getByLabel('Content').fill(`${text} It is certain.`);
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await here.getByText(`${text} It is certain.`).waitFor();
    await expect
      .poll(async () => (await stage.api().memories.get({ params: { id: twin.id }, query: {} })).archivedAtUtc)
      .not.toBeNull();
    const kept = await stage.api().memories.get({ params: { id: one.id }, query: {} });
    expect(kept.tags).toEqual(['ops', 'cluster']);

    await here.getByRole('tab', { name: 'History' }).click();
    await here.getByText('What it said before').click();
    await here.getByText(text, { exact: true }).waitFor();
    await expectWellMade(page);
    await here.getByRole('button', { name: 'Archive' }).click();
    await here.getByText('archived', { exact: true }).waitFor();
    await here.getByRole('button', { name: 'Bring back' }).click();
    await here.getByRole('button', { name: 'Archive' }).waitFor();
    await here.getByRole('button', { name: 'Forget' }).click();
    await dialog.getByText(/links? goe?s? with it\./).waitFor();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Forget' }).click();
    await page.getByText(/links? (is|are) gone with it/).waitFor();
    await here.waitFor({ state: 'detached' });
    const left = await stage.api().memories.list({ params: { identityId: id }, query: {} });
    expect(left.items.map((memory) => memory.id)).toEqual([other.id]);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('has facts with a history on both axes of time, $colorScheme', async (screen) => {
    const api = stage.api();
    const { id: projectId } = await api.projects.create({
      body: { name: unique('Weir'), key: `W${Date.now() % 1e6}` },
    });
    const { page, complaints, close } = await stage.open(`/memory/facts?project=${projectId}`, screen);
    const dialog = page.getByRole('dialog');
    await page.getByText('No facts yet').waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'New fact' }).click();
    await dialog.getByLabel('Name').fill('gauge.height');
    await dialog.getByLabel('Value').fill('2.1 m');
    await dialog.getByLabel('So since').fill('2026-01-05T00:00');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const fact = page.getByRole('region', { name: 'Fact', exact: true });
    await fact.getByText('2.1 m', { exact: true }).first().waitFor();
    const recorded = new Date();
    await fact.getByRole('button', { name: 'It has changed' }).click();
    await dialog.getByLabel('Value').fill('2.4 m');
    await dialog.getByLabel('Since when').fill('2026-03-01T00:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await fact.getByText('2.4 m', { exact: true }).first().waitFor();
    await fact.getByRole('button', { name: 'Correct it' }).click();
    await dialog.getByLabel('Value').fill('2.5 m');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await fact.getByText('corrected', { exact: true }).waitFor();
    await fact.getByRole('button', { name: 'Critical' }).click();
    await expect
      .poll(async () => (await api.facts.byKey({ params: { projectId, key: 'gauge.height' } })).isCritical)
      .toBe(true);
    await expectWellMade(page);
    const answer = fact.getByRole('status');
    await fact.getByLabel('What held at').fill('2026-02-01T00:00');
    await answer.getByText('2.1 m').waitFor();
    await fact.getByLabel('What held at').fill('2026-04-01T00:00');
    await answer.getByText('2.5 m').waitFor();
    await fact.getByLabel('As it was known at').fill('2020-01-01T00:00');
    await answer.getByText('Nothing was known then.').waitFor();
    await fact.getByRole('button', { name: 'Back to now' }).click();
    // What agents write shows by itself.
    await api.facts.create({ params: { projectId }, body: { key: 'owner', value: 'Maria' } });
    if (screen.colorScheme === 'light') await page.getByRole('button', { name: 'owner' }).waitFor();
    await fact.getByRole('button', { name: 'Take back' }).click();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Take back' }).click();
    await fact.getByText('2.1 m', { exact: true }).first().waitFor();
    const held = await api.facts.byKey({ params: { projectId, key: 'gauge.height' } });
    expect([held.value, Date.parse(held.createdAtUtc) <= recorded.getTime()]).toEqual(['2.1 m', true]);
    // That nothing was known then is an answer of 404, which the console notes.
    expect(complaints.filter((one) => !one.includes('as-of'))).toEqual([]);
    await close();
  });
});

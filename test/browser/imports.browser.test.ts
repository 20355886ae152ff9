// The pages of imports: an archive is uploaded, read, reviewed, committed, taken back and discarded.
import { describe, expect, it } from 'vitest';
import { chatGptConversation, spoken, zipOf } from '../support/archives.ts';
import { chromiumPath, expectAccessible, expectWellMade, screens, useStage } from '../support/browser.ts';
import { exportedFrom } from '../support/rich-identity.ts';

const patient = { timeout: 45_000 };

/** Two conversations, of which one has an e-mail address, and a picture that is not read. */
const archiveOf = (mark: string) =>
  zipOf({
    'conversations.json': [
      chatGptConversation(`a ${mark}`, `Harbour ${mark}`, spoken('When does the harbour close?', `At nine. ${mark}`)),
      chatGptConversation(
        `b ${mark}`,
        `Letter ${mark}`,
        spoken('My mail is anna.berger@example.org.', `Kept. ${mark}`),
      ),
    ],
    'picture.png': Buffer.from('no text'),
  });

describe.skipIf(chromiumPath === null)('imports', () => {
  const stage = useStage();
  const titles = async (identityId: number, mark: string) => {
    const { items } = await stage.api().memories.list({ params: { identityId }, query: { pageSize: 200 } });
    return items.map(({ title }) => title).filter((title) => title.includes(mark));
  };

  it.each(screens)(
    'are reviewed before anything is remembered, and can be taken back, $colorScheme',
    async (screen) => {
      const mark = screen.colorScheme;
      const archive = await archiveOf(mark);
      const [{ id: identityId = 0 } = {}] = (await stage.api().identities.list({ query: { pageSize: 1 } })).items;
      const { page, complaints, close } = await stage.open('/imports', screen);
      const dialog = page.getByRole('dialog');
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
      await page.getByRole('heading', { name: 'Imports', exact: true }).waitFor();
      await expectWellMade(page);
      await page
        .getByLabel(/Drop an archive here/)
        .setInputFiles({ name: `history-${mark}.zip`, mimeType: 'application/zip', buffer: archive });

      // The page follows the reading by itself.
      await page.locator('[aria-current=step]').getByText('Review', { exact: true }).waitFor(patient);
      const harbour = page.getByRole('checkbox', { name: `Include Harbour ${mark}` });
      const letter = page.getByRole('checkbox', { name: `Include Letter ${mark}` });
      await letter.waitFor();
      expect([await harbour.isChecked(), await letter.isChecked()]).toEqual([true, false]);
      await expectWellMade(page);
      await page.getByText('What was not read, and why').click();
      await page.getByText('images and other files that are no conversations').waitFor();

      await button('Flagged only').click();
      await harbour.waitFor({ state: 'detached' });
      await button('Flagged only').click();
      await page.getByRole('searchbox', { name: 'Search in the import' }).fill('letter');
      await harbour.waitFor({ state: 'detached' });
      await page.getByRole('searchbox', { name: 'Search in the import' }).fill('');
      await harbour.waitFor();

      await button('Leave out all').click();
      await expect.poll(() => harbour.isChecked(), patient).toBe(false);
      await button('Include all').click();
      await dialog.getByText(/found in this import/).waitFor();
      await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
      await button(`Letter ${mark}`).click();
      await dialog.getByText('e-mail address').waitFor();
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Close' }).first().click();
      await button(`Harbour ${mark}`).click();
      await dialog.getByLabel('Title').fill(`Lake harbour ${mark}`);
      await dialog.getByRole('button', { name: 'Save' }).click();
      const approved = page.getByRole('checkbox', { name: `Include Lake harbour ${mark}` });
      await approved.click();
      await expect.poll(() => approved.isChecked(), patient).toBe(true);

      await button('Commit').click();
      await dialog.getByText('1 memory and 0 facts will be written, as reported.').waitFor();
      await dialog.getByLabel('Whose memories').selectOption(String(identityId));
      await expectWellMade(page);
      await dialog.getByRole('button', { name: 'Commit' }).click();
      await page.getByText('Written: 1 memory and 0 facts.').waitFor(patient);
      await expectWellMade(page);
      expect(await titles(identityId, mark)).toEqual([`Lake harbour ${mark}`]);

      await button('Undo').click();
      await dialog.getByText(/^1 memory and 0 facts are deleted/).waitFor();
      await dialog.getByRole('button', { name: 'Undo' }).click();
      await page.locator('[aria-current=step]').getByText('Review', { exact: true }).waitFor(patient);
      expect(await titles(identityId, mark)).toEqual([]);

      await page.goto(`${stage.server.baseUrl}/#/imports`);
      await page.getByRole('link', { name: `history-${mark}.zip` }).waitFor();
      await page
        .getByLabel(/Drop an archive here/)
        .setInputFiles({ name: 'again.zip', mimeType: 'application/zip', buffer: archive });
      await page.getByText(/again\.zip was not uploaded.*It is in the list below/).waitFor();
      await expectWellMade(page);
      await page.getByRole('link', { name: `history-${mark}.zip` }).click();
      await button('Discard').click();
      await dialog.getByText(/2 conversations and 0 memories and facts/).waitFor();
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('link', { name: `history-${mark}.zip` }).waitFor({ state: 'detached' });
      // The browser says what the refused second upload was answered.
      expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
      await close();
    },
  );

  it('restore an export into a new identity, and take it back', async () => {
    const api = stage.api();
    const { identity } = await api.swarm.provision({ body: { name: 'Otto', type: 'AI' } });
    const rule = { assertion: 'Lock the gate.', identityId: identity.id, trigger: 'Always', kind: 'Must' } as const;
    await api.standingRules.create({ body: rule });
    const { baseUrl, key } = stage.server;
    const document = await exportedFrom({ url: baseUrl, key }, identity.id);
    const text = JSON.stringify(document).replaceAll('"Otto"', '"Otto again"');
    const { page, complaints, close } = await stage.open('/imports', screens[1]);
    const dialog = page.getByRole('dialog');
    await page
      .getByLabel(/Drop an archive here/)
      .setInputFiles({ name: 'otto.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await page.locator('[aria-current=step]').getByText('Review', { exact: true }).waitFor(patient);
    await page.getByText(/1 rule would bind the identity at once/).waitFor();
    await expectWellMade(page);
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await dialog.getByText(/^Comes back as it was: .*Rule 1/).waitFor();
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Commit' }).click();
    await page.getByText(/other things were restored/).waitFor(patient);
    const made = await api.identities.byName({ params: { name: 'Otto again' } });
    const rules = await api.standingRules.list({ query: { identityId: made.id } });
    expect(rules.items.map(({ assertion, status }) => [assertion, status])).toEqual([['Lock the gate.', 'Active']]);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await dialog.getByText(/other things that were restored are deleted/).waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.locator('[aria-current=step]').getByText('Review', { exact: true }).waitFor(patient);
    await expect(api.identities.byName({ params: { name: 'Otto again' } })).rejects.toMatchObject({ status: 404 });
    expect(complaints).toEqual([]);
    await close();
  });

  it('say what to do about an archive that cannot be read', async () => {
    const { page, complaints, close } = await stage.open('/imports');
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['PK\\x03\\x04 and no more'], 'broken.zip', { type: 'application/zip' }));
      return transfer;
    })()`);
    const drop = page.locator('label').filter({ hasText: 'Drop an archive here' });
    await drop.dispatchEvent('dragover', { dataTransfer: dropped });
    await drop.dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByRole('alert').getByText('The archive was not read.').waitFor(patient);
    await page.getByRole('link', { name: 'Upload another archive' }).waitFor();
    await expectWellMade(page);
    await page.goto(`${stage.server.baseUrl}/#/imports?state=Failed`);
    await page.getByRole('link', { name: 'broken.zip' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(screens)('show facts that the project knows otherwise, $colorScheme', async (screen) => {
    const api = stage.api();
    const mark = screen.colorScheme;
    const [{ id: projectId = 0 } = {}] = (await api.projects.list({ query: { pageSize: 1 } })).items;
    await api.facts.create({ params: { projectId }, body: { key: `colour ${mark}`, value: 'blue' } });
    const atoms = [
      { kind: 'fact', key: `colour ${mark}`, value: 'vermilion' },
      { kind: 'memory', title: `Tea ${mark}`, content: 'Likes tea with milk.' },
    ];
    const body = new FormData();
    body.set('projectId', String(projectId));
    body.set('file', new Blob([JSON.stringify({ atoms, artifacts: [] })]), `portable-${mark}.json`);
    const { id } = await api.imports.upload({ body });
    const { page, complaints, close } = await stage.open(`/imports/${id}`, screen);
    const dialog = page.getByRole('dialog');
    const conflict = page.getByRole('row').filter({ hasText: 'blue' });
    await conflict.getByText('vermilion').waitFor(patient);
    await expectWellMade(page);
    await page.getByRole('button', { name: `Tea ${mark}`, exact: true }).click();
    await dialog.getByLabel('Text').fill('Likes tea.');
    await expectWellMade(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Likes tea.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Commit' }).click();
    await dialog.getByText('1 fact takes the place of another value.').waitFor();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });

  it('say how much of an upload is sent, and stop it', async () => {
    const { page, complaints, close } = await stage.open('/imports');
    const drop = page.getByLabel(/Drop an archive here/);
    await drop.waitFor({ state: 'attached' });
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await drop.setInputFiles({ name: 'slow.zip', mimeType: 'application/zip', buffer: Buffer.alloc(20_000_000) });
    const bar = page.getByRole('progressbar', { name: 'Upload of slow.zip' });
    await expect.poll(async () => Number(await bar.getAttribute('value')), patient).toBeGreaterThan(0);
    await expectAccessible(page);
    // An upload goes on while other pages are looked at.
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    await page.getByRole('heading', { name: 'Export' }).waitFor();
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    await bar.waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await drop.waitFor({ state: 'attached' });
    await page.getByText('was not uploaded').waitFor({ state: 'detached' });
    const { items } = await stage.api().imports.list({ query: { pageSize: 200 } });
    expect(items.filter(({ fileName }) => fileName === 'slow.zip')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});

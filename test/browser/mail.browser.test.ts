// The mail of a connector in the dashboard, from a real IMAP server: read, searched, saved, answered and tested.
import { readFileSync } from 'node:fs';
import { ImapFlow } from 'imapflow';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';
import { type Dovecot, noDovecot, startDovecot } from '../support/dovecot.ts';

const reason = noDovecot();
if (reason) console.warn(`the mail page is not tested here: ${reason}`);

const mail = (subject: string, type: string, body: string) =>
  [
    ...['From: Eve Wren <eve@example.com>', 'To: amy@example.org', `Subject: ${subject}`],
    ...[`Message-ID: <${subject.replaceAll(' ', '-')}@example.com>`, 'MIME-Version: 1.0', `Content-Type: ${type}`],
    ...['', body],
  ].join('\r\n');
const hostile = `<h1>Minutes</h1><p>See <a href="https://example.com/a">the site</a> and <a href="javascript:window.hurt=1">this</a>.</p>
<script>window.hurt=1</script><img src="https://spy.invalid/p.gif" alt="a pixel"><table><tr><td colspan="2">One</td></tr></table>`;
const withFile = [
  '--zz\r\nContent-Type: text/plain\r\n\r\nThe list is attached.',
  '--zz\r\nContent-Type: text/html\r\nContent-Disposition: attachment; filename="list.html"\r\n\r\n<script>alert(1)</script>\r\n--zz--',
].join('\r\n');

describe.skipIf(chromiumPath === null || reason !== null)('the mail of a connector', () => {
  const stage = useStage(() => ({ RIVULET_PRIVATE_CONNECTORS: 'operator' }));
  let imap: Dovecot;
  let credentials: string;
  const sent: { to: string[]; text: string }[] = [];
  const smtp = new SMTPServer({
    ...{ authOptional: false, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] },
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData: (stream, { envelope }, done) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        sent.push({ to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  beforeAll(async () => {
    imap = await startDovecot();
    const smtpPort = await new Promise<number>((resolve) => {
      const server = smtp.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    credentials = JSON.stringify({
      ...{ imapHost: '127.0.0.1', imapPort: String(imap.port), imapSecurity: 'none' },
      ...{ smtpHost: '127.0.0.1', smtpPort: String(smtpPort), smtpSecurity: 'none' },
      ...{ username: 'amy', password: 'secret', from: 'amy@example.org' },
    });
  });
  afterAll(async () => {
    await new Promise<void>((resolve) => smtp.close(() => resolve()));
    await imap?.close();
  });

  /** Mails of a user of their own, in two folders. */
  async function fill(user: string): Promise<void> {
    const box = new ImapFlow({
      ...{ host: '127.0.0.1', port: imap.port, secure: false, doSTARTTLS: false, logger: false },
      auth: { user, pass: 'secret' },
    });
    await box.connect();
    await box.append('INBOX', mail('Plain words', 'text/plain; charset=utf-8', 'The harbour is closed on Monday.'));
    await box.append('INBOX', mail('With a file', 'multipart/mixed; boundary=zz', withFile));
    await box.append('INBOX', mail('A page', 'text/html; charset=utf-8', hostile));
    await box.mailboxCreate('Archive');
    await box.append('Archive', mail('Long ago', 'text/plain', 'Old words.'));
    await box.logout();
  }

  it.each(screens)('is read, searched, answered and tested, $colorScheme', async (screen) => {
    const shot = async (name: string) => {
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/mail-${name}-${screen.colorScheme}.png`, fullPage: true });
    };
    const user = `amy-${screen.colorScheme}`;
    await fill(user);
    const { id } = await stage.api().connectors.create({
      body: {
        name: `Post ${user}`,
        type: 'Email',
        authMethod: 'Basic',
        credentials: credentials.replace('"amy"', `"${user}"`),
      },
    });
    const { page, complaints, close } = await stage.open(`/connectors/${id}`, screen);
    await expectWellMade(page);
    await page.getByRole('link', { name: 'Open the mail' }).click();
    const list = page.getByRole('navigation', { name: 'Mails' });
    await list.getByRole('link', { name: /A page/ }).waitFor();
    await expectWellMade(page);
    await shot('list');
    await list.getByRole('link', { name: /A page/ }).click();
    const open = page.getByRole('region', { name: 'A page' });
    await open.getByText('Minutes').waitFor();
    expect(await open.locator('script, img, style, iframe, a:not([href])').count()).toBe(0);
    expect(await open.locator('a[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      'https://example.com/a',
    ]);
    expect(await page.evaluate(() => (globalThis as unknown as { hurt?: number }).hurt)).toBeUndefined();
    await expectWellMade(page);
    await shot('page');
    await open.getByRole('button', { name: 'As plain text' }).click();
    await open.getByText(/See the site/).waitFor();
    await open.getByRole('button', { name: 'Close' }).click();
    // What was opened is read, on the server too.
    await page.getByRole('button', { name: 'Unread' }).click();
    await list.getByRole('link', { name: /With a file/ }).waitFor();
    await expect.poll(() => list.getByRole('link', { name: /A page/ }).count()).toBe(0);
    await list.getByRole('link', { name: /With a file/ }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save list.html' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('list.html');
    expect(readFileSync(await saved.path(), 'utf8')).toContain('alert(1)');
    await page.getByRole('button', { name: 'Reply' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('To').inputValue()).toBe('eve@example.com');
    expect(await dialog.getByLabel('Subject').inputValue()).toBe('Re: With a file');
    await dialog.getByLabel('Text').fill('Thank you.');
    await dialog.getByLabel('Cc').fill('eve');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('“eve” is no address').waitFor();
    await dialog.getByLabel('Cc').fill('');
    await expectWellMade(page);
    await shot('reply');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Sent to eve@example.com').waitFor();
    expect(sent.at(-1)).toMatchObject({
      to: ['eve@example.com'],
      text: expect.stringContaining('In-Reply-To: <With-a-file@'),
    });
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByLabel('Search mail').fill('harbour');
    await list.getByRole('link', { name: /Plain words/ }).waitFor();
    await expect.poll(() => list.getByRole('link').count()).toBe(1);
    await page.getByLabel('Search mail').fill('');
    await page.getByLabel('Folder').selectOption('Archive');
    await list.getByRole('link', { name: /Long ago/ }).waitFor();
    await page.getByRole('button', { name: 'Test' }).click();
    await dialog.getByLabel('Send a test mail to').fill('you@example.org');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await expect.poll(() => dialog.getByText('Works').count()).toBe(2);
    await expectWellMade(page);
    await shot('test');
    expect(sent.at(-1)?.to).toEqual(['you@example.org']);
    expect(complaints).toEqual([]);
    await close();
  });
});

// The two mailers: files that hold whole mails, and a real SMTP server that takes them.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { expect, it, onTestFinished } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createOutbox } from './outbox.ts';
import { createSmtpMailer } from './smtp.ts';

const from = 'Rivulet <rivulet@example.com>';
const mail = { to: 'ada@example.com', subject: 'Hello', text: 'First line\nSecond line' };

/** An SMTP server that notes what it takes; `refuse` has it turn recipients away. */
async function startSmtp(refuse = false) {
  const taken: { to: string[]; data: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, callback) => callback(refuse ? new Error('nobody here') : null),
    onData: (stream, session, callback) => {
      let data = '';
      stream.on('data', (chunk: Buffer) => (data += chunk));
      stream.on('end', () => {
        taken.push({ to: session.envelope.rcptTo.map(({ address }) => address), data });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from });
  onTestFinished(() => mailer.close());
  return { mailer, taken };
}

it('writes whole mails into files that only the operator reads, with headers of one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outbox = createOutbox({ folder: join(folder, 'outbox'), from, clock: new SimulatedClock() });
  await outbox.send({ ...mail, subject: 'Hello\r\nBcc: eve@example.com' });
  const [name = ''] = await readdir(outbox.where);
  expect(name).toMatch(/\.eml$/);
  const text = await readFile(join(outbox.where, name), 'utf8');
  expect(text).toContain('Subject: Hello Bcc: eve@example.com\n');
  expect(text).toContain('\n\nFirst line\nSecond line\n');
  expect((await stat(join(outbox.where, name))).mode & 0o777).toBe(0o600);
});

it('hands mails to an SMTP server, to the one address that was given', async () => {
  const { mailer, taken } = await startSmtp();
  await mailer.send(mail);
  await mailer.send({ ...mail, to: 'ada@example.com, eve@example.com' }).catch(() => undefined);
  expect(taken[0]).toMatchObject({ to: ['ada@example.com'], data: expect.stringContaining('Second line') });
  expect(taken.flatMap(({ to }) => to)).not.toContain('eve@example.com');
});

it('rejects where the server turns a mail away, or is not there', async () => {
  const { mailer } = await startSmtp(true);
  await expect(mailer.send(mail)).rejects.toThrow(/nobody here/);
  const gone = createSmtpMailer({ url: 'smtp://127.0.0.1:9', from });
  await expect(gone.send(mail)).rejects.toThrow();
});

// Mails of connectors over SMTP, by nodemailer.
import type { Transporter } from 'nodemailer';
import { Fault } from '../../kernel/fault.ts';
import type { Door } from '../door.ts';
import { failed } from './imap.ts';
import type { MailSettings } from './settings.ts';

export interface OutgoingMail {
  to: string[];
  cc: string[];
  subject: string;
  text: string;
  /** Message-ID of the mail that this one answers. */
  inReplyTo: string | null;
  /** The same mail when it is sent again. */
  messageId?: string;
}

export interface Sender {
  /** Connects and signs in. @throws Fault */
  verify(): Promise<void>;
  /** Returns the Message-ID. @throws Fault NOT_CONFIGURED, CONNECTOR_ERROR */
  send(mail: OutgoingMail): Promise<string>;
}

const timeoutMs = 15_000;

export function createSender(door: Pick<Door, 'addressOf'>, tenantId: number, settings: MailSettings): Sender {
  const work = async <T>(run: (transport: Transporter) => Promise<T>): Promise<T> => {
    if (!settings.smtp)
      throw new Fault('NOT_CONFIGURED', 'This connector has no SMTP server.', {
        hint: 'Give smtpHost in its credentials.',
      });
    const { host, port, security } = settings.smtp;
    const address = await door.addressOf(tenantId, host, port);
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      ...{ host: address, port, secure: security === 'tls', requireTLS: security === 'starttls' },
      ...{ ignoreTLS: security === 'none', tls: { servername: host } },
      ...(settings.password !== '' && { auth: { user: settings.username, pass: settings.password } }),
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      // Nothing of a mail's content is a file or an address to fetch.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    try {
      return await run(transport);
    } catch (error) {
      throw failed(host, error);
    } finally {
      transport.close();
    }
  };
  const named = (address: string) => ({ name: '', address });
  return {
    verify: () => work(async (transport) => void (await transport.verify())),
    send: ({ to, cc, subject, text, inReplyTo, messageId }) =>
      work(async (transport) => {
        const sent = await transport.sendMail({
          ...{ from: settings.from, to: to.map(named), cc: cc.map(named), subject, text },
          ...(inReplyTo !== null && { inReplyTo, references: inReplyTo }),
          ...(messageId !== undefined && { messageId }),
        });
        return sent.messageId as string;
      }),
  };
}

// Mails over SMTP, by nodemailer.
import { createTransport } from 'nodemailer';
import type { Mailer } from '../../ports/mail.ts';

/** Timeout of a mail server's answer in ms. */
const timeoutMs = 15_000;

/** @param url - `smtp://user:password@host:587` or `smtps://…`, as of RIVULET_SMTP_URL */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const { hostname, host } = new URL(url);
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A mail cannot make the server read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    where: host || hostname,
    async send({ to, subject, text, messageId, inReplyTo }) {
      const thread = { ...(messageId && { messageId }), ...(inReplyTo && { inReplyTo, references: inReplyTo }) };
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, ...thread });
    },
    close: async () => transport.close(),
  };
}

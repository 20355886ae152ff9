// Mails as files in a folder, for servers without a configured SMTP server: the operator reads them there.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Mailer } from '../../ports/mail.ts';

/** Removes line breaks from a header, so that a subject or an address cannot add headers. */
const headerText = (text: string) => text.replaceAll(/[\r\n]+/g, ' ');

/**
 * Writes each mail as `<time>-<random>.eml` (RFC 5322), readable by the operator alone. They hold links that sign in:
 * whoever reads the folder is trusted as the operator is.
 */
export function createOutbox({ folder, from, clock }: { folder: string; from: string; clock: Clock }): Mailer {
  return {
    where: folder,
    async send({ to, subject, text, messageId, inReplyTo }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const now = new Date(clock.now());
      const name = `${now.toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.eml`;
      const lines = [
        `Date: ${now.toUTCString()}`,
        `From: ${headerText(from)}`,
        `To: ${headerText(to)}`,
        `Subject: ${headerText(subject)}`,
        ...(messageId ? [`Message-ID: ${headerText(messageId)}`] : []),
        ...(inReplyTo ? [`In-Reply-To: ${headerText(inReplyTo)}`] : []),
        'Content-Type: text/plain; charset=utf-8',
        '',
        text,
        '',
      ];
      // The file is renamed into place, so that readers of the folder see whole mails only.
      const part = join(folder, `.${name}.part`);
      await writeFile(part, lines.join('\n'), { mode: 0o600, flag: 'wx', flush: true });
      await rename(part, join(folder, name));
    },
    close: async () => {},
  };
}

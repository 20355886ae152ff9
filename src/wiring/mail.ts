// The mailer that the settings ask for: an SMTP server, else files in the data folder.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Mailer } from '../ports/mail.ts';
import { createOutbox } from '../stores/mail/outbox.ts';

export async function openMail({ config, clock }: { config: Config; clock: Clock }): Promise<Mailer> {
  const { smtpUrl, mailFrom: from, dataDir } = config;
  if (smtpUrl === null) return createOutbox({ folder: join(dataDir, 'outbox'), from, clock });
  const { createSmtpMailer } = await import('../stores/mail/smtp.ts');
  return createSmtpMailer({ url: smtpUrl, from });
}

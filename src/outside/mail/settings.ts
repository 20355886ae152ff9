// Where a mail connector leads, read from its credentials.
import { Fault } from '../../kernel/fault.ts';
import type { Credentials } from '../credentials.ts';

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte, TLS after a greeting, or none. */
  security: 'tls' | 'starttls' | 'none';
}

export interface MailSettings {
  imap: MailServer | null;
  smtp: MailServer | null;
  username: string;
  password: string;
  /** Address that mails are sent from. */
  from: string;
}

const ports = {
  imap: { tls: 993, starttls: 143, none: 143 },
  smtp: { tls: 465, starttls: 587, none: 25 },
} as const;
const securities: ReadonlySet<string> = new Set(['tls', 'starttls', 'none']);

/**
 * @param parts - `imapHost`, `smtpHost` (or one of them), `username`, `password`, and where they are not the usual ones
 *   `imapPort`, `imapSecurity` (`tls`, `starttls`, `none`), `smtpPort`, `smtpSecurity`, `from`
 * @throws Fault NOT_CONFIGURED, which names what is lacking
 */
export function mailSettings(parts: Credentials): MailSettings {
  const { username, password, from = username } = parts;
  const [imap, smtp] = [serverOf('imap', parts), serverOf('smtp', parts)];
  if (!imap && !smtp) throw incomplete('imapHost or smtpHost');
  if (!username || password === undefined || !from) throw incomplete('username and password');
  return { imap, smtp, username, password, from };
}

function serverOf(kind: 'imap' | 'smtp', parts: Credentials): MailServer | null {
  const host = parts[`${kind}Host`];
  if (!host) return null;
  const security = parts[`${kind}Security`] ?? 'tls';
  if (!securities.has(security)) throw incomplete(`${kind}Security, one of tls, starttls and none`);
  const usual = ports[kind][security as MailServer['security']];
  const port = Number(parts[`${kind}Port`] ?? usual);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw incomplete(`${kind}Port, a number up to 65535`);
  return { host, port, security: security as MailServer['security'] };
}

const incomplete = (what: string) =>
  new Fault('NOT_CONFIGURED', `The credentials of this mail connector lack ${what}.`, {
    hint: 'Give credentials as a JSON object of texts: imapHost, smtpHost, username, password, and where needed imapPort, imapSecurity, smtpPort, smtpSecurity, from.',
  });

// Texts of mails that contain a token.
import type { Mail } from '../ports/mail.ts';
import type { MailTokenDoc } from './documents.ts';

interface Facts {
  raw: string;
  email: string;
  expiresAt: Date;
  /** Name of the recipient; the field below names the inviter. */
  name: string;
  by: string;
  url: string;
}

/** A user's text in a mail: one line without links, so that it cannot pass for text of the server. */
const plain = (text: string, most = 100) =>
  text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll(/https?:\/\//gi, '')
    .slice(0, most);

const written = ({ name, expiresAt }: Facts, lines: string[]) =>
  [`Hello ${plain(name)},`, '', ...lines, '', `It works once, until ${expiresAt.toUTCString()}.`].join('\n');

const link = ({ url, raw }: Facts, kind: string) => `  ${url}/#/signin?${kind}=${raw}`;

export const mails: Record<MailTokenDoc['kind'], (facts: Facts) => Mail> = {
  confirm: (facts) => ({
    to: facts.email,
    subject: 'Confirm your e-mail address',
    text: written(facts, [
      'open this link to confirm that this address is yours:',
      '',
      link(facts, 'confirm'),
      '',
      'If you did not ask for it, do nothing.',
    ]),
  }),
  reset: (facts) => ({
    to: facts.email,
    subject: 'Set a new password',
    text: written(facts, [
      'open this link to set a new password:',
      '',
      link(facts, 'reset'),
      '',
      'If you did not ask for it, do nothing: your password stays as it is.',
    ]),
  }),
  invite: (facts) => ({
    to: facts.email,
    subject: 'You are invited to Rivulet',
    text: written(facts, [
      `${plain(facts.by)} invites you. Open this link to choose a name and a password:`,
      '',
      link(facts, 'invite'),
    ]),
  }),
};

/** An invitation to an organisation unit, which an account that there is may accept as well. */
export const unitInvitation = ({
  email,
  expiresAt,
  by,
  unit,
  url,
  message,
}: Pick<Facts, 'email' | 'expiresAt' | 'by' | 'url'> & { unit: string; message: string | null }): Mail => ({
  to: email,
  subject: `You are invited to ${plain(unit)}`,
  text: [
    'Hello,',
    '',
    `${plain(by)} invites you to join ${plain(unit)}. Open this link to join:`,
    '',
    `  ${url}`,
    ...(message ? ['', 'What they say:', '', `  ${plain(message, 1000)}`] : []),
    '',
    `It works once, until ${expiresAt.toUTCString()}.`,
  ].join('\n'),
});

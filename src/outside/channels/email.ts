// E-mail: plain text out, by the server's mailer; in by whatever turns mails into signed requests.
import { cut } from './texts.ts';
import type { OutMessage, Service, Setup } from './types.ts';
import { receiveSigned } from './webhook.ts';

export interface MailDraft {
  to: string;
  subject: string;
  text: string;
  messageId: string;
  inReplyTo: string | null;
}

export const email: Service = {
  secrets: ['signingSecret'],
  threadsBegin: true,
  cannotSend: ({ target }) =>
    /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(target ?? '') ? null : 'targetAddress is one mail address.',
  cannotReceive: ({ secrets }) =>
    secrets.signingSecret === undefined ? 'Callbacks take a secret, whsec_ and base64, that both sides know.' : null,
  // A mail shows no buttons: people answer it.
  hasButtons: () => false,
  call: () => {
    throw new Error('mails are no requests');
  },
  said: () => ({ externalId: null, error: null }),
  receive: receiveSigned,
};

/** The mail of a message; at each attempt it has the same Message-ID, by which receivers drop what they have. */
export function mailOf({ target }: Setup, { id, title, text, linkUrl, threadKey }: OutMessage): MailDraft {
  const [first = ''] = text.trim().split('\n');
  return {
    to: target ?? '',
    subject: `${threadKey === null ? '' : 'Re: '}${cut(title ?? first, 150)}`,
    text: linkUrl === null ? text : `${text}\n\n${linkUrl}`,
    messageId: `<${id}@rivulet>`,
    inReplyTo: threadKey,
  };
}

// Buttons of questions: each bears a token that this server has signed for its channel, short enough for every service.
import type { Button } from '../../outside/channels/types.ts';
import { same } from '../../outside/channels/verify.ts';
import type { ChannelBook } from './book.ts';
import type { Asked, ChannelDoc, Incoming } from './record.ts';

type Signing = Pick<ChannelBook, 'signatureOf'>;
type Of = Pick<ChannelDoc, '_id' | 'tenantId'>;

/** `7.0.2.9f3K…`: question, round, option, signature; under the 64 bytes that Telegram allows. */
export function buttonsOf(book: Signing, channel: Of, { escalationId, round, options, isApproval }: Asked): Button[] {
  return options.map((label, option) => ({
    label,
    token: tokenOf(book, channel, `${escalationId}.${round}.${option}`),
    tone: isApproval ? (label === 'approve' ? 'good' : 'bad') : 'plain',
  }));
}

/** What a token is for; null where its signature does not hold in this channel. */
export function pressedOf(book: Signing, channel: Of, token: string): NonNullable<Incoming['pressed']> | null {
  const match = /^(\d{1,15})\.(\d{1,4})\.(\d{1,3})\.[\w-]{16}$/.exec(token);
  if (!match || !same(tokenOf(book, channel, token.slice(0, token.lastIndexOf('.'))), token)) return null;
  const [escalationId = 0, round = 0, option = 0] = match.slice(1).map(Number);
  return { escalationId, round, option };
}

const tokenOf = (book: Signing, { _id, tenantId }: Of, what: string): string =>
  `${what}.${book.signatureOf(tenantId, `decide/${_id}/${what}`)}`;

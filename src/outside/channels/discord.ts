// Discord: a webhook or a bot's message out; interactions in (commands and buttons), signed with ed25519.
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { cut, withoutCalls } from './texts.ts';
import type { Button, Callback, OutMessage, Received, Service, Setup } from './types.ts';
import { at, forged, jsonOf, jsonOr, requireRecent, secretOf, textAt } from './verify.ts';

const api = 'https://discord.com/api/v10';
/** Characters of a message. */
const longest = 2000;
/** Only the one who pressed or asked sees the answer. */
const ephemeral = 64;
const spki = Buffer.from('302a300506032b6570032100', 'hex');

export const discord: Service = {
  secrets: ['publicKey', 'botToken'],
  threadsBegin: false,
  cannotSend: ({ url, secrets, target }) => {
    if (secrets.botToken !== undefined)
      return target === null ? 'targetAddress is the id of the Discord channel.' : null;
    return url === null ? 'Give the url of a webhook, or a botToken with a targetAddress.' : null;
  },
  cannotReceive: ({ secrets }) =>
    /^[0-9a-f]{64}$/i.test(secrets.publicKey ?? '')
      ? null
      : 'Callbacks of Discord take the application’s publicKey, 64 hex digits.',
  // Messages of plain webhooks have no buttons that come back.
  hasButtons: ({ secrets }) => secrets.publicKey !== undefined && secrets.botToken !== undefined,
  call: ({ url, secrets, target }: Setup, { title, text, linkUrl, threadKey, buttons, id }: OutMessage) => {
    const head = title === null ? '' : `**${cut(title, 200)}**\n`;
    const link = linkUrl === null ? '' : `\n<${linkUrl}>`;
    const body = {
      content: `${head}${cut(withoutCalls(text), longest - head.length - link.length)}${link}`,
      // Texts of events and agents mention nobody.
      allowed_mentions: { parse: [] },
      ...(buttons.length > 0 && { components: rowsOf(buttons) }),
    };
    if (secrets.botToken !== undefined) {
      const headers = { authorization: `Bot ${secrets.botToken}` };
      // The same nonce within some minutes is one message.
      const nonce = { nonce: id.slice(-25), enforce_nonce: true };
      return {
        url: `${url ?? api}/channels/${encodeURIComponent(threadKey ?? target ?? '')}/messages`,
        headers,
        body: { ...body, ...nonce },
      };
    }
    const to = new URL(url ?? '');
    to.searchParams.set('wait', 'true');
    if (threadKey !== null) to.searchParams.set('thread_id', threadKey);
    return { url: to.href, headers: {}, body };
  },
  said: (text) => ({ externalId: textAt(jsonOr(text), 'id'), error: null }),
  receive: (setup, callback) => {
    verify(setup, callback);
    const sent = jsonOf(callback.bytes);
    const type = at(sent, 'type');
    if (type === 1) return { kind: 'handshake', answer: { type: 1 }, challenge: null };
    const user = at(sent, 'member.user') ?? at(sent, 'user');
    const [id, userId] = [textAt(sent, 'id'), textAt(user, 'id')];
    if (id === null || userId === null || at(user, 'bot') === true) return { kind: 'ignored', why: 'It is of nobody.' };
    const from = { id: userId, name: textAt(user, 'global_name') ?? textAt(user, 'username') ?? userId };
    const event = { id, from, threadKey: textAt(sent, 'channel_id'), about: textAt(sent, 'message.id') };
    const token = textAt(sent, 'data.custom_id');
    if (type === 3 && token !== null) return { ...event, kind: 'pressed', token };
    const text = wordsOf(at(sent, 'data.options'));
    return type === 2 && text !== ''
      ? { ...event, kind: 'said', text }
      : { kind: 'ignored', why: 'It is no command with a text.' };
  },
  answer: (_received: Received, text: string) => ({ type: 4, data: { content: cut(text, longest), flags: ephemeral } }),
};

/** Ed25519 over timestamp and body, by the key of the application. */
function verify({ secrets }: Setup, { header, bytes, now }: Callback): void {
  const timestamp = header('x-signature-timestamp') ?? '';
  const signature = Buffer.from(header('x-signature-ed25519') ?? '', 'hex');
  const raw = Buffer.from(secretOf(secrets, 'publicKey'), 'hex');
  const key = createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' });
  const signed = Buffer.concat([Buffer.from(timestamp), bytes]);
  if (signature.length !== 64 || !verifySignature(null, signed, key, signature)) throw forged();
  requireRecent(timestamp, now);
}

/** The texts of a command's options. */
function wordsOf(options: unknown): string {
  if (!Array.isArray(options)) return '';
  const words = options.map((one) => [textAt(one, 'value'), wordsOf(at(one, 'options'))].filter(Boolean).join(' '));
  return words.join(' ').trim();
}

const styles = { plain: 2, good: 3, bad: 4 } as const;

/** Five rows of five buttons at most. */
function rowsOf(buttons: readonly Button[]): object[] {
  const shown = buttons.slice(0, 25);
  const rows: object[] = [];
  for (let first = 0; first < shown.length; first += 5) {
    const components = shown.slice(first, first + 5).map(({ label, token, tone }) => ({
      ...{ type: 2, style: styles[tone], label: cut(label, 80), custom_id: token },
    }));
    rows.push({ type: 1, components });
  }
  return rows;
}

// Slack: an incoming webhook or chat.postMessage out; the Events API and buttons in, signed with v0.
import { createHmac } from 'node:crypto';
import { cut, toMrkdwn } from './texts.ts';
import type { Button, Callback, OutMessage, Received, Service, Setup } from './types.ts';
import { at, fieldsOf, forged, jsonOf, jsonOr, requireRecent, same, secretOf, textAt } from './verify.ts';

const api = 'https://slack.com/api';
/** Characters that a section of a message takes. */
const longest = 3000;

export const slack: Service = {
  secrets: ['signingSecret', 'botToken'],
  threadsBegin: true,
  cannotSend: ({ url, secrets, target }) => {
    if (secrets.botToken !== undefined)
      return target === null ? 'targetAddress names the Slack channel, e.g. C0123456789.' : null;
    return url === null ? 'Give the url of an incoming webhook, or a botToken with a targetAddress.' : null;
  },
  cannotReceive: ({ secrets }) =>
    secrets.signingSecret === undefined ? 'Callbacks of Slack take its signingSecret.' : null,
  hasButtons: ({ secrets }) => secrets.signingSecret !== undefined,
  call: ({ url, secrets, target }: Setup, message: OutMessage) => {
    const blocks = blocksOf(message);
    // What notifications and screen readers say.
    const text = cut([message.title, message.text].filter(Boolean).join(': '), longest);
    const [room, thread] = placeOf(message.threadKey);
    const body = { text, blocks, unfurl_links: false, ...(thread !== null && { thread_ts: thread }) };
    if (secrets.botToken === undefined) return { url: url ?? '', headers: {}, body };
    return {
      url: `${url ?? api}/chat.postMessage`,
      headers: { authorization: `Bearer ${secrets.botToken}` },
      body: { channel: room ?? target, ...body },
    };
  },
  said: (text) => {
    // Incoming webhooks answer with the word alone.
    if (text.trim() === 'ok') return { externalId: null, error: null };
    const answer = jsonOr(text);
    if (at(answer, 'ok') === true)
      return { externalId: idOf(textAt(answer, 'channel'), textAt(answer, 'ts')), error: null };
    return { externalId: null, error: `Slack refused it: ${textAt(answer, 'error') ?? 'no reason was given'}.` };
  },
  receive: (setup, callback) => {
    verify(setup, callback);
    const sent = fieldsOf(callback);
    const payload = textAt(sent, 'payload');
    return payload === null ? eventOf(sent) : pressOf(jsonOf(Buffer.from(payload)));
  },
};

/** HMAC-SHA256 over `v0:<timestamp>:<body>`. */
function verify({ secrets }: Setup, { header, bytes, now }: Callback): void {
  const timestamp = header('x-slack-request-timestamp');
  const signature = header('x-slack-signature') ?? '';
  const signed = createHmac('sha256', secretOf(secrets, 'signingSecret')).update(`v0:${timestamp}:`).update(bytes);
  if (!same(`v0=${signed.digest('hex')}`, signature)) throw forged();
  requireRecent(timestamp, now);
}

function eventOf(sent: unknown): Received {
  const challenge = textAt(sent, 'challenge');
  if (textAt(sent, 'type') === 'url_verification' && challenge !== null)
    return { kind: 'handshake', answer: { challenge }, challenge };
  const id = textAt(sent, 'event_id');
  const event = at(sent, 'event');
  const text = textAt(event, 'text');
  const user = textAt(event, 'user');
  if (!['message', 'app_mention'].includes(textAt(event, 'type') ?? '')) return ignored('It is no message.');
  if (at(event, 'bot_id') !== undefined || at(event, 'subtype') !== undefined)
    return ignored('It is of a bot, or not what a person wrote.');
  if (id === null || user === null || text === null) return ignored('It is no message.');
  const [channel, ts] = [textAt(event, 'channel'), textAt(event, 'ts')];
  const thread = idOf(channel, textAt(event, 'thread_ts'));
  const message = idOf(channel, ts);
  return {
    ...{ kind: 'said', text: plainOf(text), threadKey: thread ?? message, about: thread },
    // Where the app is mentioned, Slack tells of one message twice, under two ids.
    id: message ?? id,
    from: { id: user, name: user },
  };
}

function pressOf(payload: unknown): Received {
  const action = (at(payload, 'actions') as unknown[] | undefined)?.[0];
  const [user, token] = [textAt(payload, 'user.id'), textAt(action, 'value')];
  if (textAt(payload, 'type') !== 'block_actions' || user === null || token === null)
    return ignored('It is no button of a message.');
  const channel = textAt(payload, 'container.channel_id') ?? textAt(payload, 'channel.id');
  const message = idOf(channel, textAt(payload, 'container.message_ts') ?? textAt(payload, 'message.ts'));
  return {
    ...{ kind: 'pressed', token, about: message },
    id: `press:${textAt(payload, 'trigger_id') ?? `${user}:${textAt(action, 'action_ts')}`}`,
    from: { id: user, name: textAt(payload, 'user.name') ?? textAt(payload, 'user.username') ?? user },
    threadKey: idOf(channel, textAt(payload, 'message.thread_ts')) ?? message,
  };
}

/** A message of a room: `C0123456789:1531420618.000100`. */
const idOf = (room: string | null, ts: string | null): string | null =>
  room === null || ts === null ? null : `${room}:${ts}`;

/** Room and thread of a key; a thread alone is of the channel's own room. */
function placeOf(threadKey: string | null): [string | null, string | null] {
  if (threadKey === null) return [null, null];
  const colon = threadKey.indexOf(':');
  return colon < 0 ? [null, threadKey] : [threadKey.slice(0, colon), threadKey.slice(colon + 1)];
}

const ignored = (why: string): Received => ({ kind: 'ignored', why });

/** Words of a person, without Slack's signs for who is mentioned and what is linked. */
const plainOf = (text: string): string =>
  text
    .replaceAll(/<@[A-Z0-9]+(\|[^>]*)?>\s*/g, '')
    .replaceAll(/<(https?:[^|>]+|mailto:[^|>]+)(\|[^>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();

const tones = { plain: {}, good: { style: 'primary' }, bad: { style: 'danger' } } as const;

function blocksOf({ title, text, linkUrl, buttons }: OutMessage): object[] {
  const section = (mrkdwn: string) => ({ type: 'section', text: { type: 'mrkdwn', text: mrkdwn } });
  const button = ({ label, token, tone }: Button, index: number) => ({
    ...{ type: 'button', action_id: `decide-${index}`, value: token, ...tones[tone] },
    text: { type: 'plain_text', text: cut(label, 75) },
  });
  const link = linkUrl === null ? '' : `\n${toMrkdwn(`[Open](${linkUrl})`)}`;
  const head = title === null ? '' : `${toMrkdwn(`**${cut(title, 200)}**`)}\n`;
  return [
    // Signs take room, too.
    section(cut(`${head}${toMrkdwn(cut(text, longest - 600))}`, longest - link.length) + link),
    ...(buttons.length > 0 ? [{ type: 'actions', elements: buttons.slice(0, 25).map(button) }] : []),
  ];
}

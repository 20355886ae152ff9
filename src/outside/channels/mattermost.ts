// Mattermost: an incoming webhook or a bot's post out; outgoing webhooks and buttons in, known by their tokens.
import { cut, withoutCalls } from './texts.ts';
import type { OutMessage, Received, Service, Setup } from './types.ts';
import { at, fieldsOf, forged, jsonOr, requireRecent, same, secretOf, textAt } from './verify.ts';

/** Characters of a post. */
const longest = 16_383;

export const mattermost: Service = {
  secrets: ['token', 'botToken'],
  threadsBegin: true,
  cannotSend: ({ url, secrets, target }) => {
    if (url === null)
      return 'Give the url of an incoming webhook, or of the server with a botToken and a targetAddress.';
    return secrets.botToken !== undefined && target === null
      ? 'targetAddress is the id of the Mattermost channel.'
      : null;
  },
  cannotReceive: ({ secrets }) =>
    secrets.token === undefined ? 'Callbacks of Mattermost take the token of its outgoing webhook.' : null,
  hasButtons: ({ inboundUrl }) => inboundUrl !== null,
  call: ({ url, secrets, target, inboundUrl }: Setup, message: OutMessage) => {
    const { title, text, linkUrl, threadKey, buttons } = message;
    const head = title === null ? '' : `**${cut(title, 200)}**\n`;
    const link = linkUrl === null ? '' : `\n[Open](${linkUrl})`;
    const words = `${head}${cut(withoutCalls(text), longest - head.length - link.length)}${link}`;
    const actions = buttons.map(({ label, token, tone }, index) => ({
      ...{ id: `decide${index}`, type: 'button', name: cut(label, 80) },
      style: tone === 'plain' ? 'default' : tone === 'good' ? 'good' : 'danger',
      integration: { url: inboundUrl, context: { token } },
    }));
    const props = actions.length > 0 ? { props: { attachments: [{ fallback: title ?? 'Decide', actions }] } } : {};
    if (secrets.botToken === undefined) return { url: url ?? '', headers: {}, body: { text: words, ...props } };
    return {
      url: `${url}/api/v4/posts`,
      headers: { authorization: `Bearer ${secrets.botToken}` },
      body: { channel_id: target, message: words, ...props, ...(threadKey !== null && { root_id: threadKey }) },
    };
  },
  // Incoming webhooks answer with a word.
  said: (text) => ({ externalId: textAt(jsonOr(text), 'id'), error: null }),
  receive: ({ secrets }, callback) => {
    const sent = fieldsOf(callback);
    const token = textAt(sent, 'context.token');
    const user = textAt(sent, 'user_id');
    const post = textAt(sent, 'post_id');
    if (user === null || post === null) throw forged();
    const from = { id: user, name: textAt(sent, 'user_name') ?? user };
    const event = { from, threadKey: textAt(sent, 'root_id') || post, about: textAt(sent, 'root_id') || null };
    // A button is known by its own token, which the server alone has: it signs nothing else.
    if (token !== null) return { ...event, kind: 'pressed', token, about: post, id: `press:${post}:${user}:${token}` };
    if (!same(secretOf(secrets, 'token'), textAt(sent, 'token') ?? '')) throw forged();
    const time = textAt(sent, 'timestamp');
    // Seconds in forms, milliseconds in JSON.
    requireRecent(time !== null && time.length > 11 ? time.slice(0, -3) : (time ?? undefined), callback.now);
    if (at(sent, 'bot_id') !== undefined) return { kind: 'ignored', why: 'It is of a bot.' };
    const word = textAt(sent, 'trigger_word') ?? '';
    const text = (textAt(sent, 'text') ?? '').slice(word.length).trim();
    return text === ''
      ? { kind: 'ignored', why: 'It has no text.' }
      : { ...event, kind: 'said', id: `post:${post}`, text };
  },
  answer: (received: Received, text: string) => (received.kind === 'pressed' ? { ephemeral_text: text } : {}),
};

// Telegram: sendMessage of a bot out; updates in, known by the secret token that the webhook was set with.
import { cut, toTelegramHtml } from './texts.ts';
import type { OutMessage, Received, Service, Setup } from './types.ts';
import { at, forged, jsonOf, jsonOr, late, same, secretOf, textAt } from './verify.ts';

const api = 'https://api.telegram.org';
/** Characters of a message. */
const longest = 4096;
/** Telegram keeps updates for a day; an older one is no update of Telegram's. */
const keptMs = 86_400_000;

export const telegram: Service = {
  secrets: ['botToken', 'secretToken'],
  threadsBegin: false,
  cannotSend: ({ secrets, target }) => {
    if (secrets.botToken === undefined) return 'Telegram takes the botToken that BotFather gave.';
    return target === null ? 'targetAddress is the id of the chat, or @name of a channel.' : null;
  },
  cannotReceive: ({ secrets }) =>
    secrets.secretToken === undefined
      ? 'Callbacks of Telegram take the secretToken that setWebhook was called with.'
      : null,
  hasButtons: ({ secrets }) => secrets.secretToken !== undefined,
  call: ({ url, secrets, target }: Setup, { title, text, linkUrl, threadKey, buttons }: OutMessage) => {
    const head = title === null ? '' : `**${cut(title, 200)}**\n\n`;
    const link = linkUrl === null ? '' : `\n\n[Open](${linkUrl})`;
    const [chat, thread] = (threadKey ?? target ?? '').split(':');
    return {
      url: `${url ?? api}/bot${secrets.botToken}/sendMessage`,
      headers: {},
      body: {
        ...{ chat_id: chat, parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
        text: toTelegramHtml(`${head}${cut(text, longest - head.length - link.length)}${link}`),
        ...(thread !== undefined && { message_thread_id: Number(thread) }),
        ...(buttons.length > 0 && {
          reply_markup: {
            inline_keyboard: buttons.map((one) => [{ text: cut(one.label, 60), callback_data: one.token }]),
          },
        }),
      },
    };
  },
  said: (text) => {
    const answer = jsonOr(text);
    if (at(answer, 'ok') !== true)
      return {
        externalId: null,
        error: `Telegram refused it: ${textAt(answer, 'description') ?? 'no reason was given'}.`,
      };
    return { externalId: messageOf(at(answer, 'result')), error: null };
  },
  receive: ({ secrets }, { header, bytes, now }) => {
    const sent = header('x-telegram-bot-api-secret-token') ?? '';
    if (!same(secretOf(secrets, 'secretToken'), sent)) throw forged();
    return readUpdate(jsonOf(bytes), now);
  },
  answer: (received, text) => {
    // The button stops waiting, and says how it was taken.
    if (received.kind !== 'pressed') return null;
    return {
      method: 'answerCallbackQuery',
      callback_query_id: received.id.slice(pressed.length),
      text: cut(text, 200),
    };
  },
};

const pressed = 'press:';

function readUpdate(update: unknown, now: number): Received {
  const press = at(update, 'callback_query');
  const message = at(update, 'message') ?? at(press, 'message');
  const from = at(press, 'from') ?? at(message, 'from');
  const user = textAt(from, 'id');
  if (user === null || at(from, 'is_bot') === true) return { kind: 'ignored', why: 'It is of a bot, or of nobody.' };
  const names = [textAt(from, 'first_name'), textAt(from, 'last_name')].filter(Boolean).join(' ');
  const chat = textAt(message, 'chat.id');
  const topic = at(message, 'is_topic_message') === true ? textAt(message, 'message_thread_id') : null;
  const event = {
    from: { id: user, name: names || user },
    threadKey: chat === null ? null : [chat, topic].filter(Boolean).join(':'),
  };
  const [queryId, token] = [textAt(press, 'id'), textAt(press, 'data')];
  if (queryId !== null && token !== null)
    return { ...event, kind: 'pressed', id: `${pressed}${queryId}`, token, about: messageOf(message) };
  const [id, text, date] = [textAt(update, 'update_id'), textAt(message, 'text'), at(message, 'date')];
  if (id === null || text === null || typeof date !== 'number')
    return { kind: 'ignored', why: 'It is no message with a text.' };
  if (now - date * 1000 > keptMs) throw late();
  return { ...event, kind: 'said', id: `update:${id}`, text, about: messageOf(at(message, 'reply_to_message')) };
}

/** A message of a chat: `-1001234:56`. */
function messageOf(message: unknown): string | null {
  const [chat, id] = [textAt(message, 'chat.id'), textAt(message, 'message_id')];
  return chat === null || id === null ? null : `${chat}:${id}`;
}

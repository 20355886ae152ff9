// What the form of a channel holds, as text, and the settings that it stands for.
import type { ChannelDto } from '../../../client/index.ts';

export type Kind = ChannelDto['kind'];

export const writtenOf = (channel?: ChannelDto) => ({
  name: channel?.name ?? '',
  kind: channel?.kind ?? ('Slack' as Kind),
  direction: channel?.direction ?? ('Outbound' as ChannelDto['direction']),
  /** Never shown again: what is written replaces it. */
  url: '',
  secret: '',
  target: '',
  patterns: (channel?.eventTypes ?? []).join('\n'),
  minPriority: channel?.minPriority ?? ('Low' as ChannelDto['minPriority']),
  identity: String(channel?.identityId ?? ''),
  project: String(channel?.projectId ?? ''),
  settings: channel?.settingsJson ?? '',
});
export type Written = ReturnType<typeof writtenOf>;

const textOr = (text: string) => (text.trim() === '' ? null : text.trim());
const idOr = (text: string) => (text === '' ? null : Number(text));

export const settingsOf = (written: Written) => ({
  name: written.name,
  direction: written.direction,
  eventTypes: written.patterns.split(/[\s,]+/).filter(Boolean),
  minPriority: written.minPriority,
  identityId: idOr(written.identity),
  projectId: idOr(written.project),
  settingsJson: textOr(written.settings),
  // What is left empty stays as it is.
  ...(textOr(written.url) && { url: written.url.trim() }),
  ...(textOr(written.secret) && { secret: written.secret.trim() }),
  ...(textOr(written.target) && { targetAddress: written.target.trim() }),
});

/** What each service calls its parts. */
export const asked: Record<Kind, { url: string; target: string | null; secret: string }> = {
  Slack: {
    url: 'Of an incoming webhook. With a bot token leave it empty.',
    target: 'With a bot token: the room, e.g. C0123456789.',
    secret: 'The signing secret, or {"signingSecret":"…","botToken":"xoxb-…"}.',
  },
  Discord: {
    url: 'Of a webhook. With a bot token leave it empty.',
    target: 'With a bot token: the id of the room.',
    secret: 'The public key, or {"publicKey":"…","botToken":"…"}.',
  },
  Telegram: {
    url: 'Leave it empty, unless you run an API server of your own.',
    target: 'The id of the chat, or @name of a channel.',
    secret: 'The token of the bot, or {"botToken":"…","secretToken":"…"} to listen, too.',
  },
  Mattermost: {
    url: 'Of an incoming webhook; with a bot token, of the server.',
    target: 'With a bot token: the id of the room.',
    secret: 'The token of the outgoing webhook, or {"token":"…","botToken":"…"}.',
  },
  Ntfy: {
    url: 'Of the server, e.g. https://ntfy.sh.',
    target: 'The topic.',
    secret: 'An access token, if the topic takes one.',
  },
  Email: {
    url: 'Leave it empty: mails go by the mail server of this installation.',
    target: 'One mail address.',
    secret: 'To listen: whsec_… that your mail gateway signs with.',
  },
  Webhook: { url: 'Messages are sent here by POST.', target: null, secret: 'whsec_… that both sides sign with.' },
};

// What the form of a channel holds, as text, and the settings that it stands for.
import type { ChannelDto } from '../../../client/index.ts';

export type Kind = ChannelDto['kind'];
/** Parts of a secret, by name. */
export type Secrets = Readonly<Record<string, string>>;

export const writtenOf = (channel?: ChannelDto) => ({
  name: channel?.name ?? '',
  kind: channel?.kind ?? ('Slack' as Kind),
  direction: channel?.direction ?? ('Outbound' as ChannelDto['direction']),
  /** Never shown again: what is written replaces it. */
  url: '',
  secrets: {} as Secrets,
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

/** The text that stands for the parts of a secret: plain where a service has one part. Null where none was written. */
export function secretOf(kind: Kind, secrets: Secrets): string | null {
  const parts = asked[kind].secrets;
  const given = parts.flatMap(({ name }): [string, string][] => {
    const text = secrets[name]?.trim();
    return text ? [[name, text]] : [];
  });
  if (given.length === 0) return null;
  return parts.length === 1 ? (given[0]?.[1] ?? null) : JSON.stringify(Object.fromEntries(given));
}

const secretIn = ({ kind, secrets }: Written) => {
  const secret = secretOf(kind, secrets);
  return secret === null ? {} : { secret };
};

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
  ...secretIn(written),
  ...(textOr(written.target) && { targetAddress: written.target.trim() }),
});

/** A part of a secret: its name in the interface, and what people call it. */
interface SecretPart {
  name: string;
  label: string;
  hint: string;
}

/** What each service calls its parts. */
export const asked: Record<Kind, { url: string; target: string | null; secrets: readonly SecretPart[] }> = {
  Slack: {
    url: 'Of an incoming webhook. With a bot token leave it empty.',
    target: 'With a bot token: the room, e.g. C0123456789.',
    secrets: [
      { name: 'signingSecret', label: 'Signing secret', hint: 'To listen: the one of the app.' },
      { name: 'botToken', label: 'Bot token', hint: 'xoxb-…, unless messages go by a webhook.' },
    ],
  },
  Discord: {
    url: 'Of a webhook. With a bot token leave it empty.',
    target: 'With a bot token: the id of the room.',
    secrets: [
      { name: 'publicKey', label: 'Public key', hint: 'To listen: the one of the application.' },
      { name: 'botToken', label: 'Bot token', hint: 'Unless messages go by a webhook.' },
    ],
  },
  Telegram: {
    url: 'Leave it empty, unless you run an API server of your own.',
    target: 'The id of the chat, or @name of a channel.',
    secrets: [
      { name: 'botToken', label: 'Bot token', hint: 'The one that BotFather gave.' },
      { name: 'secretToken', label: 'Secret token', hint: 'To listen: the one that setWebhook was called with.' },
    ],
  },
  Mattermost: {
    url: 'Of an incoming webhook; with a bot token, of the server.',
    target: 'With a bot token: the id of the room.',
    secrets: [
      { name: 'token', label: 'Webhook token', hint: 'To listen: the one of the outgoing webhook.' },
      { name: 'botToken', label: 'Bot token', hint: 'Unless messages go by a webhook.' },
    ],
  },
  Ntfy: {
    url: 'Of the server, e.g. https://ntfy.sh.',
    target: 'The topic.',
    secrets: [{ name: 'accessToken', label: 'Access token', hint: 'If the topic takes one.' }],
  },
  Email: {
    url: 'Leave it empty: mails go by the mail server of this installation.',
    target: 'One mail address.',
    secrets: [
      { name: 'signingSecret', label: 'Secret', hint: 'To listen: whsec_… that your mail gateway signs with.' },
    ],
  },
  Webhook: {
    url: 'Messages are sent here by POST.',
    target: null,
    secrets: [{ name: 'signingSecret', label: 'Secret', hint: 'whsec_… that both sides sign with.' }],
  },
};

// The services that channels lead to, by their kind, and how a channel is set up with them.
import type { ChannelKind } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { mattermost } from './mattermost.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import type { Service } from './types.ts';
import { webhook } from './webhook.ts';

export const services: Readonly<Record<ChannelKind, Service>> = {
  Webhook: webhook,
  Slack: slack,
  Discord: discord,
  Telegram: telegram,
  Email: email,
  Mattermost: mattermost,
  Ntfy: ntfy,
};

/**
 * The secrets of a channel by name: a text is the first one of its service, a JSON object has several.
 *
 * @throws Fault VALIDATION_FAILED, which names no value
 */
export function secretsOf(kind: ChannelKind, secret: string | null): Record<string, string> {
  if (secret === null) return {};
  const names = services[kind].secrets;
  const first = names[0] as string;
  if (!secret.trim().startsWith('{')) return checked(kind, { [first]: secret.trim() });
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    throw refused(kind, 'secret begins as JSON and is none.');
  }
  const entries = Object.entries(value as object);
  if (entries.some(([name, text]) => !names.includes(name) || typeof text !== 'string' || text.trim() === ''))
    throw refused(kind, 'secret has a name that this service does not know, or one without a text.');
  return checked(kind, Object.fromEntries(entries.map(([name, text]) => [name, (text as string).trim()])));
}

function checked(kind: ChannelKind, secrets: Record<string, string>): Record<string, string> {
  // A header or a path could not hold them, and an error would then show them.
  if (Object.values(secrets).some((one) => !/^[\x21-\x7e]+$/.test(one)))
    throw refused(kind, 'A secret holds blanks or signs beyond ASCII.');
  const { signingSecret } = secrets;
  if ((kind === 'Webhook' || kind === 'Email') && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(signingSecret ?? ''))
    throw refused(kind, 'The secret is not whsec_ with at least 24 bytes of base64.');
  return secrets;
}

const refused = (kind: ChannelKind, message: string) =>
  new Fault('VALIDATION_FAILED', message, {
    hint: `${kind} takes ${services[kind].secrets.join(', ')}: the first as plain text, or several as a JSON object.`,
    field: 'secret',
  });

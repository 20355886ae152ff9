// What every service has to hold: a callback that is forged or late is refused, and the same one again bears the same id.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { ChannelKind } from '../../contract/enums.ts';
import { services } from './services.ts';
import type { Callback, Setup } from './types.ts';

const now = 1_614_265_330_000;
const minutes = 60_000;
const pair = generateKeyPairSync('ed25519');
const standard = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8=';
const person = { id: 5, is_bot: false, first_name: 'Ada' };

type Sent = { body: string; headers: Record<string, string> };
interface Case {
  secrets: Setup['secrets'];
  /** As the service sends it at a time. */
  genuine(at: number): Sent;
  /** What of it somebody changes who does not know the secret. */
  forgeries: readonly ((sent: Sent) => Partial<Sent>)[];
  /** ms after which it is too old; null where the service says no time, and what it opens ends with its question. */
  lateAfter: number | null;
}

const altered = ({ body }: Sent) => ({ body: body.replace('North', 'South') });
const unsigned = () => ({ headers: {} });
const renamed = (name: string, value: string) => (sent: Sent) => ({ headers: { ...sent.headers, [name]: value } });

const signedByStandard: Case = {
  secrets: { signingSecret: standard },
  genuine: (at) => {
    const body = '{"text":"North?"}';
    const signature = new Webhook(standard).sign('m1', new Date(at), body);
    const headers = { 'webhook-id': 'm1', 'webhook-timestamp': String(at / 1000), 'webhook-signature': signature };
    return { body, headers };
  },
  forgeries: [altered, unsigned, renamed('webhook-id', 'm2'), renamed('webhook-timestamp', String(now / 1000 + 1))],
  lateAfter: 5 * minutes,
};

const cases: Record<ChannelKind, Case> = {
  Slack: {
    secrets: { signingSecret: 's' },
    genuine: (at) => {
      const event = { type: 'message', user: 'U1', text: 'North?', channel: 'C1', ts: '1.2' };
      const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev1', event });
      const mac = createHmac('sha256', 's')
        .update(`v0:${at / 1000}:${body}`)
        .digest('hex');
      return { body, headers: { 'x-slack-request-timestamp': String(at / 1000), 'x-slack-signature': `v0=${mac}` } };
    },
    forgeries: [altered, unsigned, renamed('x-slack-request-timestamp', String(now / 1000 + 1))],
    lateAfter: 5 * minutes,
  },
  Discord: {
    secrets: { publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex') },
    genuine: (at) => {
      const data = { name: 'ask', options: [{ name: 'text', value: 'North?' }] };
      const member = { user: { id: 'u1', username: 'ada' } };
      const body = JSON.stringify({ id: '2', type: 2, channel_id: '77', member, data });
      const signature = sign(null, Buffer.from(at / 1000 + body), pair.privateKey).toString('hex');
      return { body, headers: { 'x-signature-ed25519': signature, 'x-signature-timestamp': String(at / 1000) } };
    },
    forgeries: [altered, unsigned, renamed('x-signature-timestamp', String(now / 1000 + 1))],
    lateAfter: 5 * minutes,
  },
  Telegram: {
    secrets: { botToken: '12:AB', secretToken: 'hush' },
    genuine: (at) => {
      const message = { message_id: 3, from: person, chat: { id: -100 }, date: at / 1000, text: 'North?' };
      const headers = { 'x-telegram-bot-api-secret-token': 'hush' };
      return { body: JSON.stringify({ update_id: 10, message }), headers };
    },
    forgeries: [unsigned, renamed('x-telegram-bot-api-secret-token', 'hus')],
    // It repeats what was not taken for a day, and signs nothing.
    lateAfter: 24 * 60 * minutes,
  },
  Mattermost: {
    secrets: { token: 'tok' },
    genuine: (at) => {
      const hook = {
        token: 'tok',
        user_id: 'u1',
        user_name: 'ada',
        post_id: 'p1',
        trigger_word: '#',
        text: '# North?',
      };
      return { body: JSON.stringify({ ...hook, timestamp: at }), headers: {} };
    },
    forgeries: [
      ({ body }) => ({ body: body.replace('"tok"', '"tak"') }),
      ({ body }) => ({ body: body.replace('tok', '') }),
    ],
    lateAfter: 5 * minutes,
  },
  Ntfy: {
    secrets: {},
    genuine: () => ({ body: '{"token":"7.0.0.abc"}', headers: {} }),
    // Whether a token is one of this server is asked by who takes it.
    forgeries: [() => ({ body: '{"text":"North"}' }), () => ({ body: '{"token":{}}' })],
    lateAfter: null,
  },
  Email: signedByStandard,
  Webhook: signedByStandard,
};

const receive = (kind: ChannelKind, { body, headers }: Sent, at: number) => {
  const { secrets } = cases[kind];
  const channel: Setup = { kind, url: null, secrets, target: 't', settings: {}, inboundUrl: null };
  const callback: Callback = { header: (name) => headers[name.toLowerCase()], bytes: Buffer.from(body), now: at };
  return services[kind].receive(channel, callback);
};

it.each(ChannelKind.options)('%s refuses what is forged or late, and knows a repeat', (kind) => {
  const { genuine, forgeries, lateAfter } = cases[kind];
  const sent = genuine(now);
  const [first, again] = [receive(kind, sent, now), receive(kind, sent, now + minutes)] as {
    kind: string;
    id: string;
  }[];
  expect(first).toMatchObject({ kind: expect.stringMatching(/said|pressed/), id: expect.stringMatching(/./) });
  expect(again?.id).toBe(first?.id);
  const refusal = expect.objectContaining({ code: 'SIGNATURE_INVALID' });
  for (const forge of forgeries)
    expect(() => receive(kind, { ...sent, ...forge(sent) }, now), String(forge)).toThrow(refusal);
  if (lateAfter !== null) expect(() => receive(kind, sent, now + lateAfter + minutes)).toThrow(refusal);
});

// Signatures and payloads of each service, as its public documentation has them; forged, late and altered callbacks are refused.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { ChannelKind } from '../../contract/enums.ts';
import { mailOf } from './email.ts';
import { secretsOf, services } from './services.ts';
import { toMrkdwn, toTelegramHtml, withoutCalls } from './texts.ts';
import type { OutMessage, Setup } from './types.ts';

const now = 1_614_265_330_000;
const setup = (kind: ChannelKind, more: Partial<Setup> = {}): Setup => ({
  ...{ kind, url: null, secrets: {}, target: null, settings: {}, inboundUrl: 'https://rivulet.example/in' },
  ...more,
});
const callback = (body: string | object, headers: Record<string, string> = {}, at = now) => ({
  header: (name: string) => headers[name.toLowerCase()],
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  now: at,
});
const message: OutMessage = {
  ...{
    id: 'msg_1',
    title: 'Run 7: Failed',
    text: 'Go **north** & [see](https://x.y/?a=1&b=2) @here',
    priority: 'High',
  },
  ...{ linkUrl: 'https://rivulet.example/#/runs/7', threadKey: null },
  buttons: [
    { label: 'approve', token: '7.0.0.abc', tone: 'good' },
    { label: 'reject', token: '7.0.1.def', tone: 'bad' },
  ],
};

describe('Slack', () => {
  // The example of docs.slack.dev, "Verifying requests from Slack".
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  const at = 1_531_420_618_000;
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const channel = setup('Slack', { secrets: { signingSecret: secret } });
  const signed = (text: string, time = at) => ({
    'x-slack-request-timestamp': String(time / 1000),
    'x-slack-signature': `v0=${createHmac('sha256', secret)
      .update(`v0:${time / 1000}:${text}`)
      .digest('hex')}`,
  });
  const receive = (sent: object | string, time = at, current = at) => {
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
    const form = typeof sent === 'string' ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    return services.Slack.receive(channel, callback(text, { ...signed(text, time), ...form }, current));
  };

  it('verifies its documented example, and refuses it altered, unsigned or after five minutes', () => {
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      'content-type': 'application/x-www-form-urlencoded',
    };
    expect(services.Slack.receive(channel, callback(body, headers, at)).kind).toBe('ignored');
    const code = { code: 'SIGNATURE_INVALID' };
    const refused = (sent: string, more: Record<string, string>, time = at) =>
      expect(() => services.Slack.receive(channel, callback(sent, { ...headers, ...more }, time))).toThrow(
        expect.objectContaining(code),
      );
    refused(`${body}&admin=1`, {});
    refused(body, { 'x-slack-signature': '' });
    refused(body, { 'x-slack-request-timestamp': '1531420619' });
    refused(body, {}, at + 301_000);
    refused(body, {}, at - 301_000);
  });

  it('answers the handshake, reads messages with their thread, and leaves bots alone', () => {
    expect(receive({ type: 'url_verification', challenge: '3eZbrw1aB' })).toMatchObject({
      answer: { challenge: '3eZbrw1aB' },
    });
    const event = {
      type: 'message',
      channel: 'C1',
      user: 'U1',
      text: '<@UBOT> go &amp; <https://x.y|see>',
      ts: '1.2',
      thread_ts: '1.1',
    };
    const sent = { type: 'event_callback', event_id: 'Ev1', event };
    const said = { kind: 'said', id: 'C1:1.2', text: 'go & https://x.y', threadKey: 'C1:1.1', about: 'C1:1.1' };
    expect(receive(sent)).toMatchObject(said);
    // The same message, told of as a mention, too.
    expect(receive({ ...sent, event_id: 'Ev2', event: { ...event, type: 'app_mention' } })).toMatchObject({
      id: 'C1:1.2',
    });
    expect(receive({ ...sent, event: { ...event, bot_id: 'B1' } }).kind).toBe('ignored');
    expect(receive({ ...sent, event: { ...event, subtype: 'message_changed' } }).kind).toBe('ignored');
  });

  it('reads a pressed button from its form', () => {
    const payload = {
      ...{ type: 'block_actions', user: { id: 'U1', username: 'ada' }, trigger_id: '9.8.7' },
      ...{ container: { type: 'message', message_ts: '5.6', channel_id: 'C1' }, actions: [{ value: '7.0.0.abc' }] },
    };
    const pressed = receive(`payload=${encodeURIComponent(JSON.stringify(payload))}`);
    expect(pressed).toMatchObject({
      kind: 'pressed',
      token: '7.0.0.abc',
      about: 'C1:5.6',
      from: { id: 'U1', name: 'ada' },
    });
  });

  it('is sent mrkdwn in blocks, into its thread, and says what Slack refuses', () => {
    const bot = setup('Slack', { secrets: { signingSecret: secret, botToken: 'xoxb-1' }, target: 'C1' });
    const call = services.Slack.call(bot, { ...message, threadKey: 'C2:1.1' }, now);
    expect(call).toMatchObject({
      url: 'https://slack.com/api/chat.postMessage',
      headers: { authorization: 'Bearer xoxb-1' },
    });
    expect(call.body).toMatchObject({ channel: 'C2', thread_ts: '1.1' });
    const text = JSON.stringify(call.body);
    expect(text).toContain('Go *north* &amp; <https://x.y/?a=1&amp;b=2|see>');
    expect(text).toContain('"value":"7.0.0.abc","style":"primary"');
    expect(services.Slack.said('ok')).toEqual({ externalId: null, error: null });
    expect(services.Slack.said('{"ok":true,"channel":"C1","ts":"1.5"}')).toEqual({ externalId: 'C1:1.5', error: null });
    expect(services.Slack.said('{"ok":false,"error":"invalid_auth"}').error).toContain('invalid_auth');
  });
});

describe('Discord', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  const channel = setup('Discord', { secrets: { publicKey: raw, botToken: 'b.o.t' }, target: '77' });
  const receive = (sent: object, { time = now, current = now, body = JSON.stringify(sent) } = {}) => {
    const timestamp = String(time / 1000);
    const signature = sign(null, Buffer.from(timestamp + JSON.stringify(sent)), privateKey).toString('hex');
    const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp };
    return services.Discord.receive(channel, callback(body, headers, current));
  };
  const ping = { id: '1', type: 1 };

  it('answers PING, and refuses what is altered, unsigned or late', () => {
    expect(receive(ping)).toMatchObject({ kind: 'handshake', answer: { type: 1 } });
    for (const how of [{ body: '{"type":1}' }, { current: now + 301_000 }])
      expect(() => receive(ping, how)).toThrow(expect.objectContaining({ code: 'SIGNATURE_INVALID' }));
    expect(() => services.Discord.receive(channel, callback(ping))).toThrow(/signature/);
  });

  it('reads commands and buttons', () => {
    const member = { user: { id: 'u1', username: 'ada', global_name: 'Ada' } };
    const command = {
      id: '2',
      type: 2,
      channel_id: '77',
      member,
      data: { name: 'ask', options: [{ name: 'text', value: 'North?' }] },
    };
    expect(receive(command)).toMatchObject({
      kind: 'said',
      id: '2',
      text: 'North?',
      from: { id: 'u1', name: 'Ada' },
      threadKey: '77',
    });
    const press = {
      id: '3',
      type: 3,
      channel_id: '77',
      member,
      message: { id: '55' },
      data: { custom_id: '7.0.0.abc' },
    };
    expect(receive(press)).toMatchObject({ kind: 'pressed', token: '7.0.0.abc', about: '55' });
    const only = { type: 4, data: { content: 'Taken.', flags: 64 } };
    expect(services.Discord.answer?.({ kind: 'ignored', why: '' }, 'Taken.')).toEqual(only);
  });

  it('is sent Markdown that calls nobody, within 2000 characters', () => {
    const { body, headers, url } = services.Discord.call(channel, { ...message, text: 'x'.repeat(5000) }, now);
    expect([url, headers.authorization]).toEqual(['https://discord.com/api/v10/channels/77/messages', 'Bot b.o.t']);
    expect(body).toMatchObject({ allowed_mentions: { parse: [] }, components: [{ type: 1 }] });
    expect((body as { content: string }).content).toHaveLength(2000);
    const hook = setup('Discord', { url: 'https://discord.com/api/webhooks/1/secret' });
    expect(services.Discord.call(hook, { ...message, threadKey: '9', buttons: [] }, now).url).toContain(
      '?wait=true&thread_id=9',
    );
  });
});

describe('Telegram', () => {
  const channel = setup('Telegram', { secrets: { botToken: '12:AB', secretToken: 'hush' }, target: '-100' });
  const from = { id: 5, is_bot: false, first_name: 'Ada', last_name: 'L' };
  const said = {
    update_id: 10,
    message: {
      message_id: 3,
      from,
      chat: { id: -100 },
      date: now / 1000,
      text: 'South',
      reply_to_message: { message_id: 2, chat: { id: -100 } },
    },
  };
  const receive = (sent: object, token = 'hush', at = now) =>
    services.Telegram.receive(channel, callback(sent, { 'x-telegram-bot-api-secret-token': token }, at));

  it('takes updates with its token alone, none of yesterday, none of bots', () => {
    expect(receive(said)).toMatchObject({
      kind: 'said',
      id: 'update:10',
      text: 'South',
      threadKey: '-100',
      about: '-100:2',
    });
    expect(() => receive(said, 'hus')).toThrow(/signature/);
    expect(() => receive(said, 'hush', now + 86_500_000)).toThrow(/too old/);
    expect(receive({ ...said, message: { ...said.message, from: { ...from, is_bot: true } } }).kind).toBe('ignored');
  });

  it('reads buttons and says how they were taken', () => {
    const press = receive({
      update_id: 11,
      callback_query: { id: 'q1', from, message: said.message, data: '7.0.0.abc' },
    });
    expect(press).toMatchObject({
      kind: 'pressed',
      token: '7.0.0.abc',
      about: '-100:3',
      from: { id: '5', name: 'Ada L' },
    });
    expect(services.Telegram.answer?.(press, 'Taken.')).toEqual({
      method: 'answerCallbackQuery',
      callback_query_id: 'q1',
      text: 'Taken.',
    });
  });

  it('is sent HTML of its few tags', () => {
    const { url, body } = services.Telegram.call(channel, { ...message, threadKey: '-100:4' }, now);
    expect(url).toBe('https://api.telegram.org/bot12:AB/sendMessage');
    expect(body).toMatchObject({ chat_id: '-100', message_thread_id: 4, parse_mode: 'HTML' });
    expect((body as { text: string }).text).toContain(
      'Go <b>north</b> &amp; <a href="https://x.y/?a=1&amp;b=2">see</a>',
    );
    expect(services.Telegram.said('{"ok":true,"result":{"message_id":8,"chat":{"id":-100}}}').externalId).toBe(
      '-100:8',
    );
  });
});

describe('Mattermost', () => {
  const channel = setup('Mattermost', {
    url: 'https://mm.example',
    secrets: { token: 'tok', botToken: 'bot' },
    target: 'c1',
  });
  const hook = {
    token: 'tok',
    user_id: 'u1',
    user_name: 'ada',
    post_id: 'p1',
    trigger_word: '#ask',
    text: '#ask North?',
  };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('takes outgoing webhooks as JSON and as forms, by their token, within five minutes', () => {
    const sent = { ...hook, timestamp: now };
    expect(services.Mattermost.receive(channel, callback(sent))).toMatchObject({
      kind: 'said',
      id: 'post:p1',
      text: 'North?',
      threadKey: 'p1',
    });
    const text = new URLSearchParams({ ...hook, timestamp: String(now / 1000) }).toString();
    expect(services.Mattermost.receive(channel, callback(text, form)).kind).toBe('said');
    expect(() => services.Mattermost.receive(channel, callback({ ...sent, token: 'tak' }))).toThrow(/signature/);
    expect(() => services.Mattermost.receive(channel, callback(sent, {}, now + 301_000))).toThrow(/too old/);
  });

  it('has buttons that come back with their token, and calls nobody', () => {
    const { url, body } = services.Mattermost.call(channel, message, now);
    expect(url).toBe('https://mm.example/api/v4/posts');
    const text = JSON.stringify(body);
    expect(text).toContain('"integration":{"url":"https://rivulet.example/in","context":{"token":"7.0.0.abc"}}');
    expect(text).not.toContain('@here');
    const press = services.Mattermost.receive(
      channel,
      callback({ user_id: 'u1', post_id: 'p2', context: { token: '7.0.0.abc' } }),
    );
    expect(press).toMatchObject({ kind: 'pressed', token: '7.0.0.abc', about: 'p2' });
  });
});

describe('ntfy', () => {
  it('is sent JSON with a priority and three buttons at most, which call this server', () => {
    const channel = setup('Ntfy', { url: 'https://ntfy.sh', secrets: { accessToken: 'tk_1' }, target: 'tides' });
    const { headers, body } = services.Ntfy.call(
      channel,
      { ...message, text: 'ü'.repeat(4000), buttons: Array(5).fill(message.buttons[0]) },
      now,
    );
    expect(headers.authorization).toBe('Bearer tk_1');
    expect(body).toMatchObject({ topic: 'tides', priority: 4, markdown: true, click: message.linkUrl });
    expect(Buffer.byteLength((body as { message: string }).message)).toBeLessThanOrEqual(4096);
    const { actions } = body as { actions: { body: string; url: string }[] };
    expect(actions).toHaveLength(3);
    expect(services.Ntfy.receive(channel, callback(actions[0]?.body ?? ''))).toMatchObject({
      kind: 'pressed',
      token: '7.0.0.abc',
    });
  });
});

describe('a webhook of one’s own', () => {
  // The example of the standard's libraries.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8=';
  const channel = setup('Webhook', { url: 'https://there.example', secrets: { signingSecret: secret } });

  it('is signed so that the library of the standard verifies it, and takes what the library signs', () => {
    const current = Date.now();
    const { headers, body } = services.Webhook.call(channel, message, current);
    expect(new Webhook(secret).verify(JSON.stringify(body), headers)).toMatchObject({ type: 'channel.message' });
    const sent = JSON.stringify({ text: 'North?', threadKey: 't1', from: { id: 'u1', name: 'Ada' } });
    const signature = new Webhook(secret).sign('m1', new Date(current), sent);
    const signed = {
      'webhook-id': 'm1',
      'webhook-timestamp': String(Math.floor(current / 1000)),
      'webhook-signature': `v1,other ${signature}`,
    };
    const said = services.Webhook.receive(channel, callback(sent, signed, current));
    expect(said).toMatchObject({
      kind: 'said',
      id: 'm1',
      text: 'North?',
      threadKey: 't1',
      from: { id: 'u1', name: 'Ada' },
    });
    const refused = (headers: object, text = sent, at = current) =>
      expect(() => services.Webhook.receive(channel, callback(text, { ...signed, ...headers }, at))).toThrow(
        expect.objectContaining({ code: 'SIGNATURE_INVALID' }),
      );
    refused({ 'webhook-id': 'm2' });
    refused({ 'webhook-signature': 'v1,other' });
    refused({}, `${sent} `);
    refused({}, sent, current + 301_000);
  });

  it('takes a strong secret alone, and names no value that it refuses', () => {
    expect(secretsOf('Webhook', secret)).toEqual({ signingSecret: secret });
    expect(secretsOf('Slack', '{"signingSecret":"a","botToken":"b"}')).toEqual({ signingSecret: 'a', botToken: 'b' });
    for (const [kind, wrong] of [
      ['Webhook', 'hunter2'],
      ['Slack', '{"hunter2":"x"}'],
      ['Telegram', 'hunter2 blank'],
      ['Slack', '{"hunter2'],
    ] as const)
      expect(() => secretsOf(kind, wrong)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      );
  });
});

describe('texts', () => {
  it('become what each service shows', () => {
    const markdown = '# Head\n\n- one\n- [x] two\n\n> said\n\n```js\na < b\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |';
    expect(toMrkdwn(markdown)).toBe('*Head*\n\n• one\n☑ two\n\n> said\n\n```\na &lt; b\n```\n\n```\na | b\n1 | 2\n```');
    expect(toTelegramHtml(markdown)).toContain('<b>Head</b>\n\n• one\n☑ two\n\n<blockquote>said</blockquote>');
    expect(toMrkdwn('<!channel> & *x*')).toBe('&lt;!channel&gt; &amp; _x_');
    expect(toTelegramHtml('[x](javascript:alert(1)) <b>y</b>')).not.toContain('<a');
    expect(withoutCalls('@all and @ada')).toBe('@\u200ball and @ada');
  });

  it('are mails with the same id at each attempt, in one thread', () => {
    const mail = mailOf(setup('Email', { target: 'ada@example.com' }), { ...message, threadKey: '<msg_0@rivulet>' });
    expect(mail).toMatchObject({
      to: 'ada@example.com',
      subject: 'Re: Run 7: Failed',
      messageId: '<msg_1@rivulet>',
      inReplyTo: '<msg_0@rivulet>',
    });
  });
});

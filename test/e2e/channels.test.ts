// Channels over the whole server: events go out, callbacks come in, and questions are decided once.
import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChannelDeliveryDto } from '../../src/client/index.ts';
import { type ChannelService, startChannelService, whsec } from '../support/channel-service.ts';
import { openStage, type Stage } from '../support/stage.ts';

const patience = { timeout: 20_000, interval: 20 };
const signingSecret = 'slack-signing-hush';
const botToken = 'xoxb-hush-hush';

let service: ChannelService;
let stage: Stage;
beforeAll(async () => {
  [service, stage] = await Promise.all([startChannelService(), openStage()]);
});
afterAll(async () => {
  await stage.close();
  await service.close();
});

const api = () => stage.server.client.channels;
const deliveries = async (id: number): Promise<ChannelDeliveryDto[]> =>
  (await api().listDeliveries({ params: { id }, query: {} })).items;
const callback = async (id: number, body: string, headers: Record<string, string>) => {
  const answer = await fetch(`${stage.server.url}/api/channels/${id}/inbound`, { method: 'POST', body, headers });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  return { status: answer.status, body: (await answer.json()) as any };
};
const signed = (body: string, at = Date.now()) => {
  const time = Math.floor(at / 1000);
  const mac = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(time), 'x-slack-signature': `v0=${mac}` };
};
const press = (id: number, token: string, user: string, trigger: string = randomUUID()) => {
  const payload = {
    ...{ type: 'block_actions', user: { id: user, username: user.toLowerCase() }, trigger_id: trigger },
    ...{ container: { message_ts: '1000.1', channel_id: 'C1' }, actions: [{ value: token }] },
  };
  const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
  return callback(id, body, { ...signed(body), 'content-type': 'application/x-www-form-urlencoded' });
};
const say = (id: number, text: string, more: object = {}) => {
  const event = { type: 'message', channel: 'C1', user: 'U1', text, ts: `${Date.now()}.${Math.random()}`, ...more };
  const body = JSON.stringify({ type: 'event_callback', event_id: randomUUID(), event });
  return callback(id, body, { ...signed(body), 'content-type': 'application/json' });
};
const own = (id: number, sent: object, messageId: string = randomUUID(), at = new Date()) => {
  const body = JSON.stringify(sent);
  const headers = {
    ...{ 'webhook-id': messageId, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) },
    ...{ 'webhook-signature': new Webhook(whsec).sign(messageId, at, body), 'content-type': 'application/json' },
  };
  return callback(id, body, headers);
};
const slack = (name: string, more: object = {}) =>
  api().create({
    body: {
      ...{ name, kind: 'Slack', direction: 'Both', url: `${service.at}/${name}`, targetAddress: 'C1' },
      ...{ secret: JSON.stringify({ signingSecret, botToken }), settingsJson: '{"deciders":["U1"]}', ...more },
    },
  });
const hook = (name: string, more: object = {}) =>
  api().create({
    body: { name, kind: 'Webhook', direction: 'Both', url: `${service.at}/${name}`, secret: whsec, ...more },
  });
const ask = async (word: string) => {
  stage.cast({
    [word.toLowerCase()]: [
      { calls: [['run_escalate', { situation: `${word}?`, options: ['North', 'South'] }]] },
      { text: ['done'] },
    ],
  });
  const run = await stage.start(`${word} asks`);
  return { run, question: await stage.question(run.id) };
};

describe('a question of a run', () => {
  it('is put with buttons, and decided by the first who may, once', async () => {
    const { id } = await slack('buttons', { eventTypes: ['escalation.*'] });
    const { run, question } = await ask('Where');
    await expect.poll(() => service.of('/buttons').length, patience).toBe(1);
    const [sent] = service.of('/buttons');
    expect(sent?.headers.authorization).toBe(`Bearer ${botToken}`);
    const elements: { value: string }[] = sent?.body.blocks[1].elements ?? [];
    const [north = '', south = ''] = elements.map((one) => one.value);
    const forged = await press(id, `${north.slice(0, -1)}${north.endsWith('A') ? 'B' : 'A'}`, 'U1');
    expect(forged).toMatchObject({ status: 401, body: { errorCode: 'SIGNATURE_INVALID' } });
    expect((await press(id, north, 'U9')).body.data).toMatchObject({ accepted: true });
    await expect
      .poll(async () => (await deliveries(id)).map(({ error }) => error))
      .toContain('U9 is not among the deciders.');
    const trigger = randomUUID();
    const answers = await Promise.all([
      press(id, south, 'U1', trigger),
      press(id, south, 'U1', trigger),
      press(id, north, 'U1'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.filter(({ body }) => body.data.duplicate)).toHaveLength(1);
    const { items } = await stage.server.client.agentEscalations.list({ query: { runId: run.id } });
    expect(items).toMatchObject([{ id: question.id, status: 'Resolved', decidedBy: 'u1 (Slack, buttons)' }]);
    expect(['North', 'South']).toContain(items[0]?.decision);
    await stage.end(run.id);
    // Who was second is told who was first; the end itself is told once, beneath the question.
    await expect
      .poll(() => service.of('/buttons').filter(({ body }) => /decided already/.test(body.text)).length, patience)
      .toBe(1);
    const ends = service.of('/buttons').filter(({ body }) => /decided by|Question \d+ is decided/.test(body.text));
    expect(ends).toHaveLength(1);
    expect(ends[0]?.body.thread_ts).toBe('1000.1');
  });

  it('is decided by an answer beneath it, by number or name', async () => {
    const { id } = await slack('answers', { eventTypes: ['escalation.raised'] });
    const { run } = await ask('Whither');
    await expect.poll(async () => (await deliveries(id))[0]?.externalId ?? null, patience).not.toBeNull();
    const [asked] = await deliveries(id);
    const taken = await say(id, '2', { thread_ts: asked?.externalId?.split(':')[1] });
    expect(taken.body.data).toMatchObject({ accepted: true, duplicate: false });
    const { items } = await stage.server.client.agentEscalations.list({ query: { runId: run.id } });
    expect(items).toMatchObject([{ status: 'Resolved', decision: 'South', decidedBy: 'U1 (Slack, answers)' }]);
    await stage.end(run.id);
  });
});

describe('what comes in', () => {
  it('is refused unless its signature holds and it is of now, and a repeat is entered once', async () => {
    const { id } = await slack('strict');
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c1' });
    expect(await callback(id, body, signed(body))).toEqual({ status: 200, body: { challenge: 'c1' } });
    expect((await callback(id, body, {})).status).toBe(401);
    expect((await callback(id, body, signed(body, Date.now() - 600_000))).status).toBe(401);
    expect((await callback(id, `${body} `, signed(body))).status).toBe(401);
    const out = await hook('outward', { direction: 'Outbound' });
    expect((await own(out.id, { text: 'Hello' })).status).toBe(404);
    const { id: mine } = await hook('repeated');
    const first = await own(mine, { text: 'Hello', from: { id: 'a', name: 'Ada' } }, 'once');
    const again = await own(mine, { text: 'Hello', from: { id: 'a', name: 'Ada' } }, 'once');
    expect(first.body.data).toMatchObject({ accepted: true, duplicate: false, messageId: expect.any(Number) });
    expect(again.body.data).toMatchObject({ accepted: false, duplicate: true, deliveryId: first.body.data.deliveryId });
    expect(await deliveries(mine)).toHaveLength(1);
  });

  it('goes into the inbox with its thread, and what is answered there goes back, but no echo', async () => {
    const { id } = await hook('inbox', { eventTypes: ['message.*'] });
    const taken = await own(id, { text: 'North or south?', threadKey: 't1', from: { id: 'a', name: 'Ada' } });
    const { messageId } = taken.body.data;
    const inbox = (await stage.server.call('GET', '/api/messages/inbox')).body.data.items;
    const got = inbox.find((one: { id: number }) => one.id === messageId);
    expect(got.content).toBe('**Ada** (Webhook, inbox):\n\nNorth or south?');
    const second = await own(id, { text: 'Well?', threadKey: 't1', from: { id: 'a', name: 'Ada' } });
    const next = (await stage.server.call('GET', '/api/messages/inbox')).body.data.items.find(
      (one: { id: number }) => one.id === second.body.data.messageId,
    );
    expect(next.threadId).toBe(got.threadId);
    const reply = await stage.server.call('POST', `/api/messages/${messageId}/reply`, { content: 'South.' });
    expect(reply.status).toBe(200);
    const out = () => service.of('/inbox').map(({ body }) => [body.data.threadKey, body.data.text]);
    await expect.poll(out, patience).toContainEqual(['t1', expect.stringContaining('South.')]);
    expect(JSON.stringify(out())).not.toContain('North or south?');
  });

  it('is answered by an agent in the chat of its thread', async () => {
    const agent = (await stage.server.call('POST', '/api/identities', { name: 'Helmsman', type: 'AI' })).body.data;
    const { id } = await hook('agent', { identityId: agent.id });
    const one = await own(id, { text: 'Which way?', threadKey: 't1', from: 'Ada' });
    expect(one.body.data).toMatchObject({ accepted: true, chatSessionId: expect.any(Number) });
    await expect.poll(() => service.of('/agent').length, patience).toBe(1);
    expect(service.of('/agent')[0]?.body.data).toMatchObject({ threadKey: 't1', text: expect.stringMatching(/./) });
    const two = await own(id, { text: 'And now?', threadKey: 't1', from: 'Ada' });
    const other = await own(id, { text: 'And here?', threadKey: 't2', from: 'Ada' });
    expect(two.body.data.chatSessionId).toBe(one.body.data.chatSessionId);
    expect(other.body.data.chatSessionId).not.toBe(one.body.data.chatSessionId);
    await expect.poll(() => service.of('/agent').length, patience).toBe(3);
  });

  it('is answered twenty times in a thread within ten minutes, so that two which answer each other fall silent', async () => {
    const agent = (await stage.server.call('POST', '/api/identities', { name: 'Echo', type: 'AI' })).body.data;
    const { id } = await hook('loop', { identityId: agent.id });
    const told = (threadKey: string) => own(id, { text: 'You said that.', threadKey, from: 'Other bot' });
    for (let turn = 1; turn <= 20; turn++) {
      await told('t1');
      await expect.poll(() => service.of('/loop').length, patience).toBe(turn);
    }
    const { deliveryId } = (await told('t1')).body.data;
    expect((await deliveries(id)).find((one) => one.id === deliveryId)).toMatchObject({
      status: 'Failed',
      chatSessionId: null,
      error: expect.stringMatching(/^More than 20 messages were answered in this thread/),
    });
    await told('t2');
    await expect.poll(() => service.of('/loop').at(-1)?.body.data.threadKey, patience).toBe('t2');
    expect(service.of('/loop')).toHaveLength(21);
  });
});

describe('a channel', () => {
  it('sends a test and messages, shows no secret, and keeps its secret for its address', async () => {
    const { id, ...shown } = await slack('shown');
    expect(shown).toMatchObject({
      hasUrl: true,
      hasSecret: true,
      inboundPath: `/api/channels/${id}/inbound`,
      enabled: true,
    });
    expect(await api().test({ params: { id }, body: {} })).toMatchObject({
      status: 'Delivered',
      attempt: 1,
      responseStatus: 200,
    });
    const sent = await api().send({
      params: { id },
      body: { text: 'See **here**', title: 'News', linkUrl: 'https://x.y/' },
    });
    await expect
      .poll(async () => (await deliveries(id)).find((one) => one.id === sent.id)?.status, patience)
      .toBe('Delivered');
    const lost = api().send({ params: { id }, body: { text: 'x', threadKey: 'C9:1.1' } });
    await expect(lost).rejects.toMatchObject({ status: 404 });
    const moved = api().patch({ params: { id }, body: { url: `${service.at}/elsewhere` } });
    await expect(moved).rejects.toMatchObject({ status: 400, message: expect.stringContaining('secret') });
    const all = JSON.stringify([await stage.server.call('GET', '/api/channels'), await deliveries(id)]);
    for (const secret of [signingSecret, botToken, '/shown"']) expect(all).not.toContain(secret);
    const metadata = api().create({ body: { name: 'x', kind: 'Webhook', url: 'http://169.254.169.254/' } });
    await expect(metadata).rejects.toMatchObject({ status: 400 });
  });

  it('sends a delivery again that failed, once, under its id, and no other', async () => {
    const { id } = await hook('again');
    const again = (deliveryId: number, key?: string) =>
      stage.server.call(
        ...(['POST', `/api/channels/${id}/deliveries`, { deliveryId }] as const),
        key === undefined ? {} : { 'idempotency-key': key },
      );
    const conflict = (message: RegExp) => ({
      status: 409,
      body: { errorCode: 'CONFLICT', error: expect.stringMatching(message), hint: expect.any(String) },
    });
    service.refuse('/again');
    const { id: failed, status } = await api().test({ params: { id }, body: { text: 'Hello' } });
    expect(status).toBe('Failed');
    service.hold('/again');
    const [first, repeat] = [await again(failed, 'k'), await again(failed, 'k')];
    expect(first).toMatchObject({ status: 200, body: { data: { id: failed, attempt: 0, error: null } } });
    expect(repeat.body.data).toEqual(first.body.data);
    await expect.poll(() => service.of('/again').length, patience).toBe(2);
    expect(await again(failed)).toMatchObject(conflict(/has not ended/));
    const [one, two] = service.of('/again');
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(two?.body.data).toEqual(one?.body.data);
    const { id: arrived } = await api().test({ params: { id }, body: {} });
    expect(await again(arrived)).toMatchObject(conflict(/has arrived/));
    const { deliveryId } = (await own(id, { text: 'Hello' })).body.data;
    await expect
      .poll(async () => (await deliveries(id)).find((one) => one.id === deliveryId)?.status, patience)
      .toBe('Received');
    expect(await again(deliveryId)).toMatchObject(conflict(/came in/));
    const other = await hook('another');
    const elsewhere = { deliveryId: (await api().test({ params: { id: other.id }, body: {} })).id };
    expect((await again(elsewhere.deliveryId)).status).toBe(404);
  });

  it('is silent where the tenant’s policy allows none', async () => {
    const { id } = await hook('forbidden', { eventTypes: ['project.*'] });
    const {
      version: _,
      updatedByName: __,
      updatedAtUtc: ___,
      ...policy
    } = (await stage.server.call('GET', '/api/tenant-policy')).body.data;
    const allow = (allowExternalChannels: boolean) =>
      stage.server.call('PUT', '/api/tenant-policy', { ...policy, allowExternalChannels });
    expect((await allow(false)).status).toBe(200);
    const refused = { status: 403, body: { errorCode: 'POLICY_VIOLATION' } };
    expect(await stage.server.call('POST', `/api/channels/${id}/send`, { text: 'x' })).toMatchObject(refused);
    expect(
      await stage.server.call('POST', '/api/channels', { name: 'y', kind: 'Webhook', url: 'https://x.y/' }),
    ).toMatchObject(refused);
    expect(await own(id, { text: 'x' })).toMatchObject(refused);
    await stage.server.call('POST', '/api/projects', { name: 'Hidden from channels' });
    await expect.poll(async () => (await deliveries(id)).map(({ status }) => status), patience).toEqual(['Dropped']);
    expect((await deliveries(id))[0]?.error).toContain('policy');
    expect(service.of('/forbidden')).toEqual([]);
    await allow(true);
  });
});

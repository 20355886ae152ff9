// Webhooks over the whole server: signed, kept through anything a receiver or a kill does, and for the eyes of their maker alone.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type WebhookDeliveryDto } from '../../src/client/index.ts';
import { createChildServer } from '../support/child-server.ts';
import { startWithPeople } from '../support/people.ts';
import type { TestServer } from '../support/test-server.ts';

const patience = { timeout: 20_000, interval: 20 };

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Reply = (response: ServerResponse, count: number) => void;

/** A receiver that does as each path says. */
async function startReceiver() {
  const seen: Seen[] = [];
  const replies = new Map<string, Reply>();
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers, body: Buffer.concat(parts).toString() });
    const reply = replies.get(path) ?? ((answer) => answer.end('thanks'));
    reply(response, seen.filter((one) => one.path === path).length);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    at,
    of: (path: string) => seen.filter((one) => one.path === path),
    reply: (path: string, how: Reply) => replies.set(path, how),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let stand: Awaited<ReturnType<typeof startWithPeople>>;
let server: TestServer;
/** A project that Bob and the administrator may see. */
let open: number;
beforeAll(async () => {
  [receiver, stand] = await Promise.all([startReceiver(), startWithPeople([], { bob: 'Operator' })]);
  server = stand.server;
  open = (await stand.as('bob', 'POST', '/api/projects', { name: 'Open things' })).body.data.id;
});
afterAll(async () => {
  await stand.close();
  await receiver.close();
});

const api = () => server.client.webhooks;
const make = (path: string, more: object = {}) =>
  api().create({ body: { name: path, url: receiver.at + path, eventTypes: ['fact.written'], ...more } });
const deliveries = async (id: number): Promise<WebhookDeliveryDto[]> =>
  (await api().listDeliveries({ params: { id }, query: {} })).items;
const ping = (id: number) => api().send({ params: { id }, body: {} });
const write = (key: string, value = 'rain') => server.call('POST', `/api/projects/${open}/facts`, { key, value });
/** The delivery when it is no longer on its way. */
const settled = async (id: number, statuses: readonly string[]) => {
  await expect.poll(async () => (await deliveries(id)).map(({ status }) => status), patience).toEqual(statuses);
  return deliveries(id);
};

describe('an event', () => {
  it('reaches each webhook whose pattern and filter take it, signed, under one id', async () => {
    const { webhook, rawSecret } = await make('/facts', {
      filterJson: '{"key":"weather"}',
      headersJson: '{"x-own":"o1"}',
    });
    expect(webhook).toMatchObject({ enabled: true, headerNames: ['x-own'], secretPrefix: rawSecret?.slice(0, 10) });
    await write('other');
    await write('weather');
    const [delivery] = await settled(webhook.id, ['Delivered']);
    const [got] = receiver.of('/facts');
    const verified = new Webhook(rawSecret as string).verify(got?.body ?? '', got?.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'fact.written', data: { key: 'weather' } });
    expect(got?.headers).toMatchObject({ 'webhook-id': delivery?.messageId, 'x-own': 'o1' });
    expect(delivery).toMatchObject({
      attempt: 1,
      responseStatus: 200,
      responseExcerpt: 'thanks',
      requestBody: got?.body,
    });
    await expect
      .poll(() => api().get({ params: { id: webhook.id } }), patience)
      .toMatchObject({ successCount: 1, lastStatus: 'Delivered' });
    const shown = JSON.stringify(await server.call('GET', `/api/webhooks/${webhook.id}`));
    expect(shown).not.toContain((rawSecret as string).slice(12));
  });

  it('is signed with both secrets while one is rotated, and the new one is told once', async () => {
    const { webhook, rawSecret: old } = await make('/rotated');
    const params = { id: webhook.id };
    const turned = await api().patch({ params, body: { rotateSecret: true, overlapHours: 1 } });
    expect(turned.rawSecret).not.toBe(old);
    expect(Date.parse(turned.previousSecretExpiresAtUtc ?? '')).toBeGreaterThan(Date.now());
    expect((await api().patch({ params, body: { description: 'x' } })).rawSecret).toBeNull();
    await ping(webhook.id);
    await settled(webhook.id, ['Delivered']);
    const [got] = receiver.of('/rotated');
    for (const secret of [old, turned.rawSecret])
      expect(
        new Webhook(secret as string).verify(got?.body ?? '', got?.headers as Record<string, string>),
      ).toBeTruthy();
    await api().patch({ params, body: { rotateSecret: true, overlapHours: 0 } });
    await ping(webhook.id);
    await settled(webhook.id, ['Delivered', 'Delivered']);
    const last = receiver.of('/rotated').at(-1);
    const check = () => new Webhook(old as string).verify(last?.body ?? '', last?.headers as Record<string, string>);
    // Without an overlap the new one signs alone, though the first rotation had given the oldest an hour.
    expect(check).toThrow();
    expect(String(last?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('that its maker may not see is not sent, nor shown to others who list deliveries', async () => {
    const project = (await server.call('POST', '/api/projects', { name: 'Hidden things' })).body.data;
    const asBob = createClient({ baseUrl: server.url, token: stand.person('bob').key });
    const body = { name: 'bob', url: `${receiver.at}/bob`, eventTypes: ['fact.*'] };
    const { webhook: his } = await asBob.webhooks.create({ body });
    const { webhook: mine } = await make('/mine', { eventTypes: ['fact.*'] });
    await server.call('POST', `/api/projects/${project.id}/facts`, { key: 'hush', value: 'secret' });
    await settled(mine.id, ['Delivered']);
    const list = await asBob.webhooks.listDeliveries({ params: { id: mine.id }, query: {} });
    expect(list.items[0]).toMatchObject({ requestBody: null, responseExcerpt: null });
    // Who turns another's webhook to an address of their own gets what they may see themselves.
    await asBob.webhooks.patch({ params: { id: mine.id }, body: { url: `${receiver.at}/turned` } });
    await server.call('POST', `/api/projects/${project.id}/facts`, { key: 'hush2', value: 'secret' });
    await write('open', 'known');
    await settled(his.id, ['Delivered']);
    await settled(mine.id, ['Delivered', 'Delivered']);
    expect([...receiver.of('/bob'), ...receiver.of('/turned')].map((one) => one.body).join()).not.toContain('hush');
  });
});

describe('a receiver', () => {
  it('that wants no more, or fails again and again, is switched off, and its owner is told', async () => {
    receiver.reply('/gone', (answer) => answer.writeHead(410).end());
    receiver.reply('/broken', (answer) => answer.writeHead(500).end());
    const { webhook: gone } = await make('/gone');
    await ping(gone.id);
    await settled(gone.id, ['Failed']);
    const { webhook: broken } = await make('/broken', { maxAttempts: 1 });
    for (let at = 1; at <= 5; at++) {
      await ping(broken.id);
      await settled(broken.id, Array(at).fill('Failed'));
    }
    for (const { id, name } of [gone, broken]) {
      await expect.poll(async () => (await api().get({ params: { id } })).enabled).toBe(false);
      expect((await api().get({ params: { id } })).disabledReason).toBeTruthy();
      const { body } = await server.call('GET', '/api/messages/inbox');
      expect(body.data.items.filter((one: { content: string }) => one.content.includes(`${name} is`))).toHaveLength(1);
    }
    expect((await server.call('POST', `/api/webhooks/${broken.id}/deliveries`, {})).status).toBe(409);
    // On again, what failed is sent again under its id.
    receiver.reply('/broken', (answer) => answer.end());
    await api().patch({ params: { id: broken.id }, body: { enabled: true } });
    const [first] = await deliveries(broken.id);
    await api().send({ params: { id: broken.id }, body: { deliveryId: first?.id as number } });
    await expect.poll(async () => (await deliveries(broken.id))[0]?.status).toBe('Delivered');
    expect(receiver.of('/broken').at(-1)?.headers['webhook-id']).toBe(first?.messageId);
    expect(await api().get({ params: { id: broken.id } })).toMatchObject({ enabled: true, consecutiveFailures: 0 });
  });
});

describe('a server that is killed', () => {
  it('between an attempt and its answer says so, and sends the delivery again under its id', async () => {
    const child = await createChildServer();
    try {
      await child.start();
      const client = () => createClient({ baseUrl: child.baseUrl, token: child.key }).webhooks;
      receiver.reply('/killed', (answer, count) => void (count > 1 && answer.end('ok')));
      const body = { name: 'killed', url: `${receiver.at}/killed`, eventTypes: ['identity.*', 'routine.*'] };
      const { webhook } = await client().create({ body });
      const sent = await client().send({ params: { id: webhook.id }, body: {} });
      await expect.poll(() => receiver.of('/killed').length).toBe(1);
      await child.kill();
      await child.start();
      await expect.poll(() => receiver.of('/killed').length).toBe(2);
      const [one, two] = receiver.of('/killed');
      expect([one, two].map((got) => got?.headers['webhook-id'])).toEqual([sent.messageId, sent.messageId]);
      expect(one?.body).toBe(two?.body);
      const list = () => client().listDeliveries({ params: { id: webhook.id }, query: {} });
      await expect.poll(async () => (await list()).items.map(({ status }) => status)).toEqual(['Delivered']);
      expect((await list()).items).toMatchObject([
        { mayBeRepeated: true, error: expect.stringMatching(/may have arrived more than once/) },
      ]);
    } finally {
      await child.close();
    }
  });
});

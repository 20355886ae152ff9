// What other systems tell by themselves: verified, taken once, told as an event, and a routine wakes by it.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';

const standardSecret = `whsec_${Buffer.from('planted-standard-secret-01').toString('base64')}`;
const plainSecret = 'planted-plain-secret-0123456789';
let world: TestServer;

const call = (method: string, path: string, body?: object) => world.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const listening = async (name: string, credentials: object, more: object = {}) => {
  const { id } = await data(
    call('POST', '/connectors', {
      ...{ name, type: 'Webhook', authMethod: 'HmacSignature', credentials: JSON.stringify(credentials), ...more },
    }),
  );
  const endpoint = { name: 'orders', webhookEventType: 'order.created' };
  const { id: endpointId, inboundPath } = await data(call('POST', `/connectors/${id}/endpoints`, endpoint));
  return { id, endpointId, inboundPath };
};
const post = async (path: string, body: string, headers: Record<string, string>) => {
  const sent = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(world.url + path, sent);
  return { status: answer.status, ...((await answer.json()) as { data: { duplicate: boolean; deliveryId: number } }) };
};
const signed = (body: string, { id = 'msg_1', at = new Date(), secret = standardSecret } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign(id, at, body),
});

beforeAll(async () => {
  world = await startTestServer();
});
afterAll(() => world.close());

it('takes what is signed by Standard Webhooks once, and wakes the routine whose trigger matches', async () => {
  const { id, endpointId, inboundPath } = await listening('Shop', { secret: standardSecret });
  expect(inboundPath).toBe(`/api/connectors/endpoints/${endpointId}/inbound`);
  const paid = await data(
    call('POST', `/connectors/endpoints/${endpointId}/field-mappings`, {
      ...{ externalFieldName: 'cents', externalFieldPath: '$.order.cents', internalFieldName: 'euros' },
      ...{ direction: 'Inbound', transformExpression: '$ / 100' },
    }),
  );
  expect(paid.internalFieldName).toBe('euros');
  const [admin] = (await data(call('GET', '/identities'))).items;
  const routine = await data(
    call('POST', '/agent/routines', {
      ...{ name: 'Look at orders', briefMarkdown: 'Look.', identityId: admin.id, cronExpression: '0 0 1 1 *' },
    }),
  );
  const filterJson = JSON.stringify({ eventType: 'order.created', 'payload.euros': { gt: 10 } });
  const trigger = { eventPattern: 'connectors/connector.webhook', filterJson, minSecondsBetweenWakes: 0 };
  await data(call('POST', `/agent/routines/${routine.id}/triggers`, trigger));
  const runs = async () => (await data(call('GET', `/agent/routines/${routine.id}/runs`))).items.length;

  const small = JSON.stringify({ order: { cents: 900 } });
  expect((await post(inboundPath, small, signed(small))).status).toBe(200);
  const large = JSON.stringify({ order: { cents: 2500 } });
  const headers = signed(large, { id: 'msg_2' });
  const first = await post(inboundPath, large, headers);
  expect(first).toMatchObject({ status: 200, data: { accepted: true, duplicate: false } });
  await expect.poll(runs).toBe(1);
  // The same again, as a sender repeats it or somebody replays it.
  expect((await post(inboundPath, large, headers)).data).toMatchObject({
    duplicate: true,
    deliveryId: first.data.deliveryId,
  });
  const { items } = await data(call('GET', `/connectors/${id}/deliveries?endpointId=${endpointId}`));
  expect(items.map((one: { eventType: string; bytes: number }) => [one.eventType, one.bytes])).toEqual([
    ['order.created', large.length],
    ['order.created', small.length],
  ]);
  expect(items.every((one: { publishedAtUtc: string | null }) => one.publishedAtUtc !== null)).toBe(true);
  expect(await runs()).toBe(1);
});

it('refuses what is forged, late, too large, of another kind, or for an endpoint that does not listen', async () => {
  const { id, endpointId, inboundPath } = await listening('Careful', { secret: standardSecret });
  const body = '{"a":1}';
  const late = new Date(Date.now() - 400_000);
  const early = new Date(Date.now() + 400_000);
  const other = `whsec_${Buffer.from('another-secret-of-24-bytes').toString('base64')}`;
  for (const [what, headers, text] of [
    ['late', signed(body, { at: late }), body],
    ['early', signed(body, { at: early }), body],
    ['forged', signed(body, { secret: other }), body],
    ['changed', signed(body), '{"a":2}'],
    ['renamed', { ...signed(body), 'webhook-id': 'msg_9' }, body],
    ['unsigned', {}, body],
  ] as const)
    expect((await post(inboundPath, text, headers)).status, what).toBe(401);
  const big = JSON.stringify({ a: 'x'.repeat(256 * 1024) });
  expect((await post(inboundPath, big, signed(big))).status).toBe(413);
  expect((await post(inboundPath, 'no json', signed('no json'))).status).toBe(400);
  expect((await data(call('GET', `/connectors/${id}/deliveries`))).totalCount).toBe(0);
  await data(call('PATCH', `/connectors/${id}`, { enabled: false }));
  expect((await post(inboundPath, body, signed(body))).status).toBe(404);
  expect((await post('/api/connectors/endpoints/999999/inbound', body, signed(body))).status).toBe(404);
  const wrong = async (path: string, fields: object) => (await call('POST', path, fields)).body;
  expect((await wrong('/connectors', { name: 'Open', type: 'Webhook' })).error).toMatch(/has to verify/);
  expect((await wrong(`/connectors/${id}/endpoints`, { name: 'x' })).error).toMatch(/listens for one kind/);
  const rest = await data(call('POST', '/connectors', { name: 'Rest', type: 'RestApi', baseUrl: 'https://a.example' }));
  const deaf = { name: 'x', path: '/x', webhookEventType: 'order.created' };
  expect((await wrong(`/connectors/${rest.id}/endpoints`, deaf)).hint).toMatch(/type Webhook/);
  for (const type of ['Soap', 'MessageQueue', 'Custom'])
    expect(await wrong('/connectors', { name: type, type }), type).toMatchObject({ errorCode: 'VALIDATION_FAILED' });
  expect((await call('POST', `/connectors/endpoints/${endpointId}/call`, {})).body.data.content).toMatch(
    /switched off/,
  );
});

it('verifies digests in headers and shared secrets, and knows a repeat by what they prove', async () => {
  const github = await listening('GitHub', { secret: plainSecret, header: 'X-Hub-Signature-256', prefix: 'sha256=' });
  const body = '{"action":"opened"}';
  const digest = `sha256=${createHmac('sha256', plainSecret).update(body).digest('hex')}`;
  const sent = (id: string) =>
    post(github.inboundPath, body, { 'X-Hub-Signature-256': digest, 'X-GitHub-Delivery': id });
  expect((await sent('1')).data.duplicate).toBe(false);
  // The id is not signed: whoever replays the body could write another one.
  expect((await sent('2')).data.duplicate).toBe(true);

  const stamped = await listening('Stamped', { secret: plainSecret, timestampHeader: 'X-Time' });
  const at = (ms: number) => {
    const stamp = String(Math.floor((Date.now() + ms) / 1000));
    const mac = createHmac('sha256', plainSecret).update(`${stamp}.${body}`).digest('hex');
    return post(stamped.inboundPath, body, { 'X-Signature': mac, 'X-Time': stamp });
  };
  expect([(await at(0)).status, (await at(-400_000)).status, (await at(-5000)).data.duplicate]).toEqual([
    200,
    401,
    false,
  ]);

  const gitlab = { key: plainSecret, name: 'X-Gitlab-Token', idHeader: 'X-Gitlab-Event-UUID' };
  const token = await listening('GitLab', gitlab, { authMethod: 'ApiKey' });
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'X-Gitlab-Event-UUID': 'u1' };
  expect((await post(token.inboundPath, 'a=1', { ...form, 'X-Gitlab-Token': 'wrong' })).status).toBe(401);
  expect((await post(token.inboundPath, 'a=1', { ...form, 'X-Gitlab-Token': plainSecret })).data.duplicate).toBe(false);
  expect((await post(token.inboundPath, 'a=2', { ...form, 'X-Gitlab-Token': plainSecret })).data.duplicate).toBe(true);
});

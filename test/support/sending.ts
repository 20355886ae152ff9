// Has a webhook and a channel send, each request with a key of its own.
import type { Answer, TestServer } from './test-server.ts';

type Ask = (id: string, path: string, body?: unknown) => Promise<unknown>;

/** A channel with a delivery that was dropped after its first attempt. */
export async function droppedDelivery(
  ask: (method: string, path: string, body: object) => Promise<Answer>,
): Promise<{ id: number; deliveryId: number }> {
  const joined = { name: 'Dropped', kind: 'Webhook', url: 'https://receiver.invalid/hook' };
  const { id } = (await ask('POST', '/api/channels', joined)).body.data;
  const { id: deliveryId } = (await ask('POST', `/api/channels/${id}/test`, {})).body.data;
  for (const enabled of [false, true]) await ask('PATCH', `/api/channels/${id}`, { enabled });
  return { id, deliveryId };
}

export async function askSending(server: TestServer, ask: Ask): Promise<void> {
  const told = { name: 'There', url: 'http://127.0.0.1:9/', eventTypes: ['none.*'] };
  const { webhook } = (await server.call('POST', '/api/webhooks', told)).body.data;
  await ask('Webhooks_send', `/api/webhooks/${webhook.id}/deliveries`, {});
  const joined = { name: 'There', kind: 'Webhook', url: 'http://127.0.0.1:9/' };
  const channel = (await server.call('POST', '/api/channels', joined)).body.data;
  await ask('Channels_send', `/api/channels/${channel.id}/send`, { text: 'Hello' });
  await ask('Channels_test', `/api/channels/${channel.id}/test`, {});
  const { id, deliveryId } = await droppedDelivery((...call) => server.call(...call));
  await ask('Channels_resend', `/api/channels/${id}/deliveries`, { deliveryId });
}

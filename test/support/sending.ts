// Has a webhook and a channel send, each request with a key of its own.
import type { TestServer } from './test-server.ts';

type Ask = (id: string, path: string, body?: unknown) => Promise<unknown>;

export async function askSending(server: TestServer, ask: Ask): Promise<void> {
  const told = { name: 'There', url: 'http://127.0.0.1:9/', eventTypes: ['none.*'] };
  const { webhook } = (await server.call('POST', '/api/webhooks', told)).body.data;
  await ask('Webhooks_send', `/api/webhooks/${webhook.id}/deliveries`, {});
  const joined = { name: 'There', kind: 'Webhook', url: 'http://127.0.0.1:9/' };
  const channel = (await server.call('POST', '/api/channels', joined)).body.data;
  await ask('Channels_send', `/api/channels/${channel.id}/send`, { text: 'Hello' });
  await ask('Channels_test', `/api/channels/${channel.id}/test`, {});
}

// Mail servers that say one line without end: the work ends as failed, and what was said is not kept.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startFlood } from '../support/flood.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const mebibyte = 1 << 20;
/** What systems hold of a connection that nobody reads any more. */
const onItsWay = 16 * mebibyte;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ RIVULET_PRIVATE_CONNECTORS: 'all' });
});
afterAll(() => server.close());

it.each([
  ['imap', '* OK hello\r\n* '],
  ['smtp', '220 hello\r\n250-'],
])('%s', async (kind, greeting) => {
  const flood = await startFlood(greeting);
  onTestFinished(flood.close);
  const about = { [`${kind}Host`]: '127.0.0.1', [`${kind}Port`]: String(flood.port), [`${kind}Security`]: 'none' };
  const credentials = JSON.stringify({ ...about, username: 'amy', password: 'secret', from: 'amy@example.com' });
  const body = { name: `Flood of ${kind}`, type: 'Email' as const, authMethod: 'Basic' as const, credentials };
  const { id } = await server.client.connectors.create({ body });
  const tested = await server.client.email.test({ params: { connectorId: id }, body: {} });
  expect(tested[kind === 'imap' ? 'imapError' : 'smtpError']).toContain('could not be used');
  expect(flood.sent()).toBeLessThan(16 * mebibyte + onItsWay);
});

// Mail servers that say one line without end: the work ends as failed, and what was said is not kept.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const mebibyte = 1 << 20;
/** What the flood would be without an end of its own. */
const whole = 256 * mebibyte;
/** What systems hold of a connection that nobody reads any more. */
const onItsWay = 16 * mebibyte;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ RIVULET_PRIVATE_CONNECTORS: 'all' });
});
afterAll(() => server.close());

/** A server that greets and goes on with one line; tells how much of it was taken. */
async function flood(greeting: string) {
  let sent = 0;
  const program = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(greeting);
    const more = () => {
      let goesOn = true;
      while (goesOn && sent < whole && !socket.destroyed) {
        sent += mebibyte;
        goesOn = socket.write('x'.repeat(mebibyte));
      }
      if (!goesOn) socket.once('drain', more);
    };
    more();
  }).listen(0, '127.0.0.1');
  await once(program, 'listening');
  onTestFinished(() => void program.close());
  return { port: String((program.address() as AddressInfo).port), sent: () => sent };
}

it.each([
  ['imap', '* OK hello\r\n* '],
  ['smtp', '220 hello\r\n250-'],
])('%s', async (kind, greeting) => {
  const { port, sent } = await flood(greeting);
  const about = { [`${kind}Host`]: '127.0.0.1', [`${kind}Port`]: port, [`${kind}Security`]: 'none' };
  const credentials = JSON.stringify({ ...about, username: 'amy', password: 'secret', from: 'amy@example.com' });
  const body = { name: `Flood of ${kind}`, type: 'Email' as const, authMethod: 'Basic' as const, credentials };
  const { id } = await server.client.connectors.create({ body });
  const tested = await server.client.email.test({ params: { connectorId: id }, body: {} });
  expect(tested[kind === 'imap' ? 'imapError' : 'smtpError']).toContain('could not be used');
  expect(sent()).toBeLessThan(16 * mebibyte + onItsWay);
});

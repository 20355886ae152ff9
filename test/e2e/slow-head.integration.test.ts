// Heads that never end: their connections are closed when a head may take no longer, half a minute at most.
import { it, type TestContext } from 'vitest';
import { openRaw, statusOf } from '../support/raw-socket.ts';
import { startTestServer, transports } from '../support/test-server.ts';

/** Status of the answer to a head, once the server has closed the connection; more is sent twice a second until then. */
async function endOf(transport: string, head: string, more: string, { onTestFinished }: TestContext): Promise<number> {
  const server = await startTestServer({ RIVULET_TRANSPORT: transport });
  onTestFinished(() => server.close());
  const raw = await openRaw(server.port);
  raw.write(head);
  const drip = setInterval(() => raw.write(more), 500);
  const answer = await raw.closed;
  clearInterval(drip);
  return statusOf(answer);
}

const line = 'GET /api/system/info HTTP/1.1\r\n';

it.concurrent.for(transports)('a slow head gets no more than its time on %s', async (transport, test) => {
  test.expect([0, 408]).toContain(await endOf(transport, line, 'a: b\r\n', test));
});

// node:http answers at once. uWebSockets.js takes a CR for the beginning of a line's end, and waits for the rest.
it.concurrent.for(transports)(
  'no more does a CR without LF in a head on %s, whatever follows',
  async (transport, test) => {
    const status = await endOf(transport, `${line}host: x\r\nx-a: b\rc: d\r\n\r\n`, `${line}host: x\r\n\r\n`, test);
    test.expect(status).toBe(transport === 'node' ? 400 : 0);
  },
);

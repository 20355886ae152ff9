// A head that comes in drops: its connection is closed when a head may take no longer, half a minute at most.
import { expect, it, onTestFinished } from 'vitest';
import { openRaw, statusOf } from '../support/raw-socket.ts';
import { startTestServer, transports } from '../support/test-server.ts';

it.concurrent.each(transports)('a slow head gets no more than its time on %s', async (transport) => {
  const server = await startTestServer({ RIVULET_TRANSPORT: transport });
  onTestFinished(() => server.close());
  const raw = await openRaw(server.port);
  raw.write('GET /api/system/info HTTP/1.1\r\n');
  const drip = setInterval(() => raw.write('a: b\r\n'), 500);
  const answer = await raw.closed;
  clearInterval(drip);
  expect([0, 408]).toContain(statusOf(answer));
});

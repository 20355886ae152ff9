// A server on uWebSockets.js that answers out of setImmediate, as what waits for the store does; says what it takes.
import { setImmediate } from 'node:timers/promises';
import { uwsAdapter } from '../../src/http/adapters/uws/server.ts';

const server = await uwsAdapter({
  host: '127.0.0.1',
  port: 0,
  handle: async (exchange) => {
    await setImmediate();
    exchange.send(200, [['content-type', 'text/plain']], 'done');
  },
});
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage.rss());
});
process.on('disconnect', () => process.exit());
process.send?.(server.port);

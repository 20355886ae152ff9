// The HTTP adapters that can be tested here: uWebSockets.js has no binary for every platform.
import type { HttpAdapter } from '../../http/adapter.ts';
import { nodeAdapter } from '../../http/adapters/node/server.ts';
import { uwsAdapter } from '../../http/adapters/uws/server.ts';

const loads = await import('uWebSockets.js').then(
  () => true,
  () => false,
);

export const adapters: readonly { name: string; adapter: HttpAdapter }[] = [
  { name: 'node', adapter: nodeAdapter },
  ...(loads ? [{ name: 'uws', adapter: uwsAdapter }] : []),
];

// The HTTP adapters of the transports that work here, for suites that hold on each of them.
import { transports } from '../../../test/support/transports.ts';
import type { HttpAdapter } from '../../http/adapter.ts';
import { nodeAdapter } from '../../http/adapters/node/server.ts';
import { uwsAdapter } from '../../http/adapters/uws/server.ts';

const all = { uws: uwsAdapter, node: nodeAdapter };

export const adapters: readonly { name: string; adapter: HttpAdapter }[] = transports.map((name) => ({
  name,
  adapter: all[name],
}));

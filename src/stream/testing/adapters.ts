// The HTTP adapters that can be tested here.
import { transports } from '../../../test/support/transports.ts';
import type { HttpAdapter } from '../../http/adapter.ts';
import { nodeAdapter } from '../../http/adapters/node/server.ts';
import { uwsAdapter } from '../../http/adapters/uws/server.ts';

const byName: Record<(typeof transports)[number], HttpAdapter> = { node: nodeAdapter, uws: uwsAdapter };

export const adapters = transports.map((name) => ({ name, adapter: byName[name] }));

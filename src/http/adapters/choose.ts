// Picks the HTTP adapter: uWebSockets.js where its binary loads, else node:http.
import { Fault } from '../../kernel/fault.ts';
import type { HttpAdapter } from '../adapter.ts';
import { nodeAdapter } from './node/server.ts';
import { loadUws, type Uws } from './uws/load.ts';
import { uwsAdapter } from './uws/server.ts';

export interface Choice {
  name: 'uws' | 'node';
  adapter: HttpAdapter;
  /** For the boot log. */
  reason: string;
}

/**
 * The adapter for a setting; `auto` prefers uWebSockets.js.
 *
 * @throws Fault NOT_CONFIGURED when `uws` is demanded and does not load
 */
export async function chooseAdapter(
  setting: 'auto' | 'uws' | 'node',
  load: () => Promise<Uws> = loadUws,
): Promise<Choice> {
  if (setting === 'node') return { name: 'node', adapter: nodeAdapter, reason: 'RIVULET_TRANSPORT asks for it' };
  try {
    const uws = await load();
    const reason = setting === 'uws' ? 'RIVULET_TRANSPORT asks for it' : 'uWebSockets.js loads on this platform';
    return { name: 'uws', adapter: (options) => uwsAdapter(options, uws), reason };
  } catch (cause) {
    const why = reasonOf(cause as Error);
    if (setting === 'uws')
      throw new Fault('NOT_CONFIGURED', `RIVULET_TRANSPORT=uws, but uWebSockets.js does not load: ${why}.`, {
        hint: 'Leave it unset, and the server takes what loads, or set it to node.',
        cause,
      });
    return { name: 'node', adapter: nodeAdapter, reason: `uWebSockets.js does not load: ${why}` };
  }
}

/** The package says the same of every binary that does not load. */
function reasonOf({ message }: Error): string {
  if (!/^This version of uWS\.js\b.* supports only/.test(message)) return message.split('\n', 1)[0] ?? 'unknown';
  return `no binary for Node ${process.versions.node} loads on this system; there are binaries for Node 20, 22, 24 and 25 on Linux (glibc 2.36 or newer), macOS and Windows`;
}

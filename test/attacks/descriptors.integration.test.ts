// More connections than the system lets a process have open: others are refused, and the server works on.
import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { asOneFile } from '../support/child/build.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { openRaw, type RawSocket } from '../support/raw-socket.ts';
import { transports } from '../support/transports.ts';

const limit = 160;
const missing = spawnSync('prlimit', ['--version']).error !== undefined;
if (missing) console.warn('A server out of file descriptors is not tried: prlimit is not installed.');

describe.skipIf(missing)('a server whose file descriptors are used up', () => {
  let server: ChildServer;
  afterEach(() => server.close());

  it.each(transports)(
    'runs agents on %s, and takes connections again',
    async (transport) => {
      server = await createChildServer({ RIVULET_TRANSPORT: transport }, asOneFile, ['prlimit', `--nofile=${limit}`]);
      await server.start();
      const { agentRuns } = createClient({ baseUrl: server.baseUrl, token: server.key });
      const create = (goal: string) => agentRuns.create({ body: { goal, autoStart: true } });
      const open: RawSocket[] = [];
      let refused = 0;
      for (let n = 0; n < 2 * limit; n++) {
        const raw = await openRaw(server.port);
        void raw.closed.then(() => refused++);
        open.push(raw);
      }
      await vi.waitFor(() => expect(server.output).toContain('connections are refused: the file descriptors'), 30_000);
      // The oldest are among those that stay.
      for (const raw of open.slice(0, 30)) raw.destroy();
      const { id } = await vi.waitFor(() => create('While it is nearly full.'), 30_000);
      expect((await agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } })).status).toBe('Completed');
      expect(refused).toBeGreaterThan(limit);
      for (const raw of open) raw.destroy();
      await vi.waitFor(async () => expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200), 30_000);
    },
    120_000,
  );
});

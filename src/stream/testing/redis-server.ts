// A real redis-server of the test's own, on a free port, that can be stopped, killed and started again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { defineScripts } from '../brokers/redis/broker.ts';
import { redisOptions } from '../brokers/redis/link.ts';

/** Reason to skip tests that need Redis, or null when a redis-server is installed. */
export function redisMissing(): string | null {
  try {
    execFileSync('redis-server', ['--version']);
    return null;
  } catch {
    return 'no redis-server on the path (Debian: apt-get install redis-server)';
  }
}

export interface RedisServer {
  url: string;
  /** A connection with the broker's options, through a proxy's port if one is given. */
  connect(through?: number): Redis;
  /** An ordinary connection for the test's own commands. */
  admin: Redis;
  /**
   * Restarts the server: `lose` drops its data, as without persistence. It stays down until
   * `back` resolves.
   */
  restart(how: { lose: boolean; back?: Promise<unknown> }): Promise<void>;
  /** Freezes the server, as on a machine that swaps, or resumes it. */
  freeze(is: boolean): void;
  stop(): Promise<void>;
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Starts redis-server with an empty folder. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-redis-'));
  let child: ChildProcess;
  const start = () => {
    const settings = ['--port', String(port), '--dir', folder, '--bind', '127.0.0.1', '--save', '3600 1'];
    child = spawn('redis-server', settings, { stdio: 'ignore' });
  };
  const gone = () => new Promise((resolve) => child.once('exit', resolve));
  start();
  const admin = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, retryStrategy: () => 20 });
  admin.on('error', () => undefined);
  await admin.ping();
  return {
    url: `redis://127.0.0.1:${port}`,
    admin,
    connect: (through = port) => defineScripts(new Redis({ ...redisOptions, port: through, host: '127.0.0.1' })),
    freeze: (is) => void child.kill(is ? 'SIGSTOP' : 'SIGCONT'),
    async restart({ lose, back }) {
      const exited = gone();
      child.kill(lose ? 'SIGKILL' : 'SIGTERM');
      await exited;
      await back;
      start();
      await admin.ping();
    },
    async stop() {
      admin.disconnect();
      const exited = gone();
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

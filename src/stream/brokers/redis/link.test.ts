// What operators are told of a Redis that does not answer.
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import type { Logger } from '../../../kernel/logger.ts';
import { openRedisLink, redisOptions } from './link.ts';

/** A port on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

it('names the setting where Redis cannot be reached', async () => {
  const port = await deadPort();
  const told: string[] = [];
  const log = { warn: (_: object, text: string) => told.push(text) } as unknown as Logger;
  const connect = () => new Redis({ ...redisOptions, host: '127.0.0.1', port });
  const link = openRedisLink({ connect, log, waitMs: 10, onMessage: () => {}, onReconnect: () => {} });
  onTestFinished(() => link.close());
  await expect(link.ready()).rejects.toMatchObject({ hint: expect.stringContaining('REDIS_URL') });
  await expect.poll(() => told[0]).toContain('REDIS_URL');
});

// The promise of the stream layer over several nodes: trouble at clients' connections, the link to Redis, Redis and the nodes.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { adapters } from './testing/adapters.ts';
import { runThroughTrouble } from './testing/every-layer.ts';
import { type RedisServer, redisMissing, startRedis } from './testing/redis-server.ts';
import { openRedisWorld } from './testing/redis-world.ts';

const missing = redisMissing();
if (missing) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)('on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test.each(adapters)(
    'every client of $name has each event once and in order, and no gap',
    async ({ name, adapter }) => {
      const seed = name.length;
      const world = await openRedisWorld(redis, adapter, seed);
      onTestFinished(world.close);
      const { gaps } = await runThroughTrouble(world, { seed, events: 1500, readers: 90 });
      // Redis has the deltas too, whichever node dies.
      expect(gaps).toBe(0);
    },
    600_000,
  );
});

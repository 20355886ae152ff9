// The promise of the stream layer at length: thousands of events to hundreds of clients, other troubles each time.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { seed as first } from '../../test/support/seed.ts';
import { adapters } from './testing/adapters.ts';
import { runThroughTrouble } from './testing/every-layer.ts';
import { openMemoryWorld } from './testing/memory-world.ts';
import { type RedisServer, redisMissing, startRedis } from './testing/redis-server.ts';
import { openRedisWorld } from './testing/redis-world.ts';

test.each(adapters.map((one, n) => ({ ...one, seed: first + n })))(
  'hundreds of clients of $name have each event once and in order, or are told of a gap (seed $seed)',
  async ({ adapter, seed }) => {
    const world = await openMemoryWorld(adapter, seed);
    onTestFinished(world.close);
    const { gaps } = await runThroughTrouble(world, { seed, events: 4000, readers: 200 });
    console.info(`${gaps} gaps told`);
  },
);

const missing = redisMissing();
if (missing) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== null)('on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test.each(adapters)(`hundreds of clients of $name miss nothing (seed ${first})`, async ({ adapter, name }) => {
    const world = await openRedisWorld(redis, adapter, first + name.length);
    onTestFinished(world.close);
    const { gaps } = await runThroughTrouble(world, { seed: first, events: 4000, readers: 200 });
    expect(gaps).toBe(0);
  });
});

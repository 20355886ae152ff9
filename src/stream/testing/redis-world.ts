// Three nodes on one real Redis over a link that is cut and delayed, with lost, repeated and reordered messages.
import type { Redis } from 'ioredis';
import { createCuttingProxy } from '../../../test/support/cutting-proxy.ts';
import type { HttpAdapter } from '../../http/adapter.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { RedisBroker } from '../brokers/redis/broker.ts';
import { createMemoryEventStore } from '../log/memory-event-store.ts';
import { hesitant, seeded, type World } from './every-layer.ts';
import { mortalClock } from './memory-world.ts';
import type { RedisServer } from './redis-server.ts';
import { startTestServer, type TestServer } from './server.ts';

interface Node {
  server: TestServer;
  die(cut: () => void): Promise<void>;
}

/** Loses, repeats or delays messages of a connection's subscriptions. */
function scramble(redis: Redis, random: () => number): Redis {
  const on = redis.on.bind(redis);
  redis.on = ((name: string, listener: (...args: unknown[]) => void) => {
    if (name !== 'message') return on(name, listener);
    return on(name, (...args: unknown[]) => {
      const chance = random();
      if (chance < 0.05) return;
      if (chance < 0.1) listener(...args);
      if (chance < 0.2) setTimeout(() => listener(...args), random() * 20);
      else listener(...args);
    });
  }) as typeof redis.on;
  return redis;
}

/** Starts the nodes; readers are spread over them, and the writer moves between them. */
export async function openRedisWorld(
  redis: RedisServer,
  adapter: HttpAdapter,
  seed: number,
): Promise<World & { close(): Promise<void> }> {
  const random = seeded(seed);
  const kept = createMemoryEventStore();
  const link = await createCuttingProxy({ port: Number(new URL(redis.url).port) });
  let booted = 0;
  const boot = async (): Promise<Node> => {
    const nodeId = `node${seed}-${booted++}`;
    const { clock, stop } = mortalClock();
    const store = hesitant(kept, random);
    const connections: Redis[] = [];
    const connect = () => {
      const connection = scramble(redis.connect(link.port), random);
      connections.push(connection);
      return connection;
    };
    const log = silentLogger;
    const broker = new RedisBroker({ connect, store, clock, log, nodeId, prefix: `world${seed}`, waitMs: 30_000 });
    const server = await startTestServer(adapter, { store, clock, broker, nodeId });
    const die = async (cut: () => void) => {
      stop();
      for (const connection of connections) connection.disconnect();
      await server.die(cut);
    };
    return { server, die };
  };
  const nodes = [await boot(), await boot(), await boot()];
  let writes = 0;
  const replaceWriter = async (cut: () => void) => {
    const doomed = nodes.splice(writes, 1)[0];
    await doomed?.die(cut);
    nodes.push(await boot());
  };
  return {
    ports: () => nodes.map(({ server }) => Number(new URL(server.url).port)),
    publisher: () => (nodes[writes] as Node).server.streams.publisher,
    troubles: {
      now: [
        () => link.cutSome(random(), random),
        () => link.hold(random(), random() * 100, random),
        () => redis.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub'),
      ],
      settled: [
        replaceWriter,
        async () => {
          writes = (writes + 1) % nodes.length;
        },
        () => redis.restart({ lose: false }),
      ],
    },
    close: async () => {
      for (const { server } of nodes) await server.close();
      await link.close();
    },
  };
}

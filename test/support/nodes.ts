// Several whole servers as processes of their own, on one MongoDB-compatible server and one Redis.
import { type RedisServer, redisMissing, startRedis } from '../../src/stream/testing/redis-server.ts';
import { type ChildServer, createChildServer } from './child-server.ts';
import { configured, mongoJavaServer, type RunningServer, type ServerKind } from './servers/mongo.ts';

export interface Nodes {
  redis: RedisServer;
  /** The database, which can be frozen where it was started here. */
  store: Pick<RunningServer, 'freeze'>;
  servers: ChildServer[];
  close(): Promise<void>;
}

/** The first MongoDB-compatible server that can be started here, or why there is none; FerretDB 1 has no TTL indexes. */
async function findStore(): Promise<ServerKind | string> {
  const reasons: string[] = [];
  for (const kind of [configured, mongoJavaServer]) {
    const reason = await kind.missing();
    if (reason === null) return kind;
    reasons.push(`${kind.name}: ${reason}`);
  }
  return reasons.join('; ');
}

/** Why several nodes can't be tested here; null when they can. */
export async function nodesMissing(): Promise<string | null> {
  const store = await findStore();
  return redisMissing() ?? (typeof store === 'string' ? store : null);
}

/** Starts `count` servers with the same settings. */
export async function startNodes(count: number, environment: Record<string, string> = {}): Promise<Nodes> {
  const kind = await findStore();
  if (typeof kind === 'string') throw new Error(kind);
  const redis = await startRedis();
  const store: RunningServer = await kind.start();
  const uri = new URL(store.uri);
  uri.pathname = `/nodes_${Date.now()}`;
  const shared = {
    MONGODB_URI: uri.href,
    REDIS_URL: redis.url,
    RIVULET_SECRET: 'a secret that all nodes of a test share 0123456789',
    ...environment,
  };
  const servers: ChildServer[] = [];
  for (let at = 0; at < count; at++) {
    const server = await createChildServer(shared);
    await server.start();
    servers.push(server);
  }
  return {
    redis,
    store,
    servers,
    close: async () => {
      for (const server of servers) await server.close();
      await store.stop();
      await redis.stop();
    },
  };
}

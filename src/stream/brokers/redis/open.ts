// Redis parts of the stream layer when there are several nodes.
import { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { EventStore } from '../../../ports/event-store.ts';
import type { TicketStore } from '../../../ports/tickets.ts';
import type { StreamMemory } from '../../log/memory-budget.ts';
import type { Broker } from '../broker.ts';
import { defineScripts, RedisBroker } from './broker.ts';
import { redisOptions } from './link.ts';

export interface RedisFigures {
  version: string | null;
  usedBytes: number | null;
  connections: number | null;
  keys: number;
}

export interface RedisParts {
  broker: Broker;
  tickets: TicketStore;
  /** What Redis says of itself. Rejects when it does not answer. */
  figures(): Promise<RedisFigures>;
  /** Closes the connections; call it after the broker was closed. */
  close(): void;
}

/** Opens the shared broker and tickets at a Redis URL; connections are made and re-made in the background. */
export function openRedis(deps: {
  url: string;
  /** Origin of the store: Redis data of another origin, e.g. of a replaced database, is ignored. */
  origin: string;
  store: EventStore;
  clock: Clock;
  log: Logger;
  nodeId: string;
  memory: StreamMemory;
}): RedisParts {
  const { url, log, origin } = deps;
  const prefix = `rivulet:${origin}`;
  const connect = () => defineScripts(new Redis(url, redisOptions));
  const redis = new Redis(url, { maxRetriesPerRequest: 2 });
  redis.on('error', (error) => log.debug({ err: error }, 'redis'));
  return {
    broker: new RedisBroker({ ...deps, connect, prefix }),
    tickets: createRedisTicketStore(redis, prefix),
    figures: async () => {
      const [info, keys] = await Promise.all([redis.info(), redis.dbsize()]);
      const said = (name: string) => new RegExp(`^${name}:(.+)$`, 'm').exec(info)?.[1]?.trim() ?? null;
      const number = (name: string) => (said(name) === null ? null : Number(said(name)));
      return {
        version: said('redis_version'),
        usedBytes: number('used_memory'),
        connections: number('connected_clients'),
        keys,
      };
    },
    close: () => redis.disconnect(),
  };
}

/** Tickets that every node can redeem. */
export function createRedisTicketStore(redis: Redis, prefix = 'rivulet'): TicketStore {
  return {
    put: async (name, value, ttlMs) => void (await redis.set(`${prefix}:ticket:${name}`, value, 'PX', ttlMs)),
    take: (name) => redis.getdel(`${prefix}:ticket:${name}`),
  };
}

// Connections to Redis: one for commands, one for subscriptions, and the run id of the server.
import type { Redis } from 'ioredis';
import { Fault } from '../../../kernel/fault.ts';
import type { Logger } from '../../../kernel/logger.ts';

export interface RedisLink {
  readonly commands: Redis;
  /** Resolves with the server's run id when commands can be sent. @throws Fault STORE_UNAVAILABLE after `waitMs` */
  ready(): Promise<string>;
  /** Subscribes to a channel; resolves when Redis has confirmed. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): void;
  close(): void;
}

export interface RedisLinkOptions {
  /** Opens a connection that reconnects by itself and neither queues nor resends commands; see `redisOptions`. */
  connect: () => Redis;
  log: Logger;
  waitMs: number;
  onMessage: (channel: string, text: string) => void;
  /** Called when all channels are subscribed again after a disconnect; messages sent meanwhile were missed. */
  onReconnect: () => void;
}

/** Options of the broker's connections: lost commands are resent by the broker, with the same nonce. */
export const redisOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  // With 0, commands fail with their connection; otherwise those in flight would never be answered.
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt: number) => Math.min(25 * 2 ** attempt, 1000) * (0.5 + Math.random() / 2),
};

/** Opens the connections. */
export function openRedisLink(options: RedisLinkOptions): RedisLink {
  const { connect, log, waitMs, onMessage, onReconnect } = options;
  const commands = connect();
  const listener = connect();
  const channels = new Set<string>();
  const run = createGate<string>(waitMs);
  const listening = createGate<true>(waitMs);
  let everListened = false;

  commands.on('ready', () => {
    commands.info('server').then(
      (info) => run.open(/run_id:(\w+)/.exec(info)?.[1] ?? 'unknown'),
      () => commands.disconnect(true),
    );
  });
  commands.on('close', () => run.shut());
  listener.on('ready', () => {
    const again = channels.size > 0 ? listener.subscribe(...channels) : Promise.resolve();
    again.then(
      () => {
        listening.open(true);
        if (everListened) onReconnect();
        everListened = true;
      },
      () => listener.disconnect(true),
    );
  });
  listener.on('close', () => listening.shut());
  listener.on('message', onMessage);
  for (const connection of [commands, listener]) {
    connection.on('error', (error) =>
      log.warn({ err: error }, 'Redis cannot be reached: check REDIS_URL and that it is up; it is tried again'),
    );
  }

  return {
    commands,
    ready: () => run.wait(),
    async subscribe(channel) {
      // The channel is listed first: if the connection is lost now, the next one subscribes to it too.
      channels.add(channel);
      await listening.wait();
      await listener.subscribe(channel).catch(() => listening.wait());
    },
    unsubscribe(channel) {
      channels.delete(channel);
      listener.unsubscribe(channel).catch(() => undefined);
    },
    close() {
      commands.disconnect();
      listener.disconnect();
    },
  };
}

/** A resource that may be absent: waiters get it when it is back, or a Fault after `waitMs`. */
function createGate<T>(waitMs: number) {
  let value: T | null = null;
  let waiting = withResolvers<T>();
  return {
    open(it: T): void {
      value = it;
      waiting.resolve(it);
    },
    shut(): void {
      if (value === null) return;
      value = null;
      waiting = withResolvers<T>();
    },
    async wait(): Promise<T> {
      if (value !== null) return value;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(unavailable()), waitMs);
      });
      return Promise.race([waiting.promise, late]).finally(() => clearTimeout(timer));
    },
  };
}

const unavailable = () =>
  new Fault('STORE_UNAVAILABLE', 'Redis does not answer.', {
    hint: 'Check REDIS_URL; the server reconnects by itself.',
  });

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

// Broker of several nodes: Redis Streams order the events, pub/sub wakes readers, and the store keeps durable events.
import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { createLru } from '../../../kernel/lru.ts';
import type { EventStore, Position } from '../../../ports/event-store.ts';
import { StreamMemory } from '../../log/memory-budget.ts';
import { follows } from '../../log/memory-event-store.ts';
import { defaultWindowLimits, Window, type WindowLimits } from '../../log/window.ts';
import type { Broker, NewEvent } from '../broker.ts';
import { createSignals, type Signal } from '../signals.ts';
import { metaMs } from './call.ts';
import { createDurableWriter, type DurableWriter } from './durable.ts';
import { openRedisLink, type RedisLink } from './link.ts';
import { keyOfChannel, namesOf, signalChannel, tenantOf, unstoredName } from './names.ts';
import { readNumbering } from './numbering.ts';
import { completeTopic, completeUnstored } from './repair.ts';
import { appendScript, startScript } from './scripts.ts';
import { Sender } from './sender.ts';
import { RedisTopic } from './topic.ts';
import { readMessage } from './wire.ts';

export interface RedisBrokerOptions {
  /** Opens a connection with `redisOptions`. */
  connect: () => Redis;
  store: EventStore;
  clock: Clock;
  log: Logger;
  /** Name of this node, unique among the nodes. */
  nodeId: string;
  prefix?: string;
  limits?: WindowLimits;
  /** Memory limit of all open topics together. */
  memory?: StreamMemory;
  /** Timeout in ms of a wait for Redis. */
  waitMs?: number;
}

/** Time in ms that a topic without readers stays open, for clients that reconnect. */
const lingerMs = 10_000;
/** Open topics compared with Redis per second, in case a message was lost unnoticed. */
const checkedTopics = 256;
/** Age in ms of an unstored durable event after which its node counts as dead. */
export const abandonedMs = 10_000;

export class RedisBroker implements Broker {
  readonly shared = true;
  readonly #options: RedisBrokerOptions;
  readonly #prefix: string;
  readonly #link: RedisLink;
  readonly #writer: DurableWriter;
  readonly #senders = new Map<string, Sender>();
  readonly #waitMs: number;
  readonly #memory: StreamMemory;
  #nonce = 0;
  readonly #topics = new Map<string, Promise<RedisTopic>>();
  readonly #open = new Map<string, RedisTopic>();
  /** Topics that this node publishes in: their last place by it, and the run of Redis that numbers them ('' for none). */
  readonly #known = createLru<string, Position & { run: string }>(50_000);
  readonly #admitting = new Map<string, Promise<void>>();
  readonly #tenants = new Set<string>();
  readonly #signals = createSignals();
  readonly onSignal = this.#signals.listen;
  #origin: string | null = null;
  #run = '';
  #checkAt = 0;
  #sweeps = 0;
  #repairing = false;
  #closed = false;

  constructor(options: RedisBrokerOptions) {
    this.#options = options;
    this.#prefix = options.prefix ?? 'rivulet';
    this.#writer = createDurableWriter(options);
    this.#waitMs = options.waitMs ?? 10_000;
    this.#memory = options.memory ?? new StreamMemory();
    this.#link = openRedisLink({
      connect: options.connect,
      log: options.log,
      waitMs: this.#waitMs,
      onMessage: (channel, text) => this.#receive(channel, text),
      onReconnect: () => {
        this.#refillAll();
        this.#signals.send({ kind: 'reconnected' });
      },
    });
    this.#link.subscribe(signalChannel(this.#prefix)).catch((error: unknown) => {
      options.log.error({ err: error }, 'Redis could not be reached: check REDIS_URL and that it is up');
    });
  }

  async append(event: NewEvent): Promise<void> {
    if (this.#closed) throw new Fault('SHUTTING_DOWN', 'The server is stopping.', { retryAfterSeconds: 5 });
    const places = await this.#senderOf(event.keys[0] ?? '').send(event);
    for (const [at, place] of places.entries()) this.#publishedAt(event.keys[at] as string, place);
    // An earlier attempt published the event, and stores it.
    if (!event.durable || places.length === 0) return;
    const { type, at, body } = event;
    const rows = event.keys.map((key, topic) => ({ key, ...(places[topic] as Position) }));
    const [home, ...also] = rows;
    if (!home) return;
    await this.#writer.write([{ ...home, type, at, body, also }]).catch((error: unknown) => {
      throw new Fault('STORE_UNAVAILABLE', 'The event could not be kept.', { cause: error, hint: 'Try again.' });
    });
    this.#stored(rows);
  }

  async open(key: string): Promise<Window> {
    let opening = this.#topics.get(key);
    if (!opening) {
      opening = this.#openTopic(key);
      this.#topics.set(key, opening);
    }
    try {
      const topic = await opening;
      topic.pins++;
      return topic.window;
    } catch (error) {
      if (this.#topics.get(key) === opening) this.#topics.delete(key);
      throw error;
    }
  }

  release(key: string): void {
    const topic = this.#open.get(key);
    if (!topic) return;
    topic.pins--;
    topic.releasedAt = this.#options.clock.steady();
  }

  async refresh(key: string): Promise<void> {
    await this.#open.get(key)?.fill();
  }

  async settle(key: string): Promise<void> {
    await this.#ready();
    await completeTopic({ commands: this.#link.commands, prefix: this.#prefix, writer: this.#writer }, key);
  }

  signal(message: Signal): void {
    this.#link.commands.publish(signalChannel(this.#prefix), JSON.stringify(message)).catch(() => {
      // Without Redis the signal still reaches this node.
      this.#signals.send(message);
    });
  }

  sweep(): void {
    const now = this.#options.clock.steady();
    for (const [key, topic] of this.#open) {
      topic.window.trim();
      topic.window.forgetBatches();
      const lingers = now - topic.releasedAt < lingerMs && topic.window.size.entries > 0 && !this.#memory.isFull;
      if (topic.pins > 0 || lingers) continue;
      this.#topics.delete(key);
      this.#forget(topic);
    }
    this.#memory.lookAgain();
    this.#makeRoom();
    void this.#check();
    if (this.#sweeps++ % 5 === 0) void this.#repair();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const sender of this.#senders.values()) await sender.stop();
    await this.#writer.idle();
    this.#link.close();
  }

  async #prepare(events: readonly NewEvent[]): Promise<string> {
    for (const { after } of events) if (after) await after;
    const run = await this.#ready();
    for (const { keys } of events) {
      for (const key of keys) if (this.#known.get(key)?.run !== run) await this.#admit(key);
    }
    return run;
  }

  #senderOf(key: string): Sender {
    const tenant = tenantOf(key);
    const known = this.#senders.get(tenant);
    if (known) return known;
    const commands = this.#link.commands as RedisWithScripts;
    const sender = new Sender({
      clock: this.#options.clock,
      prefix: this.#prefix,
      waitMs: this.#waitMs,
      nonce: () => `${this.#options.nodeId}:${(this.#nonce++).toString(36)}`,
      prepare: (events) => this.#prepare(events),
      call: ({ keys, values }) => commands.rivuletAppend(keys.length, ...keys, ...values),
      forget: (topic) => this.#numberedIn(topic, ''),
    });
    this.#senders.set(tenant, sender);
    return sender;
  }

  #publishedAt(key: string, { gen, seq }: Position): void {
    const known = this.#known.get(key);
    if (!known) this.#known.set(key, { run: '', gen, seq });
    else if (follows({ gen, seq }, known)) Object.assign(known, { gen, seq });
  }

  #numberedIn(key: string, run: string): void {
    const known = this.#known.get(key);
    if (known) known.run = run;
    else this.#known.set(key, { run, gen: 0, seq: 0 });
  }

  /** The last place of a topic that this node has published at or has in its window. */
  #lastPlace(key: string): Position {
    const published = this.#known.get(key) ?? { gen: 0, seq: 0 };
    const window = this.#open.get(key)?.window;
    const shown = window ? { gen: window.gen, seq: window.head } : published;
    return follows(shown, published) ? shown : published;
  }

  /**
   * Ensures that a topic is numbered in this run of Redis: on from where it was, or in another generation where this
   * Redis knows less than the store or this node, or where what it knows `isWrong`.
   */
  #admit(key: string, isWrong = false): Promise<void> {
    const running = this.#admitting.get(key);
    if (running) return running;
    const admitting = this.#start(key, isWrong).finally(() => this.#admitting.delete(key));
    this.#admitting.set(key, admitting);
    return admitting;
  }

  async #start(key: string, isWrong: boolean): Promise<void> {
    const { store } = this.#options;
    const { meta, stream, channel } = namesOf(this.#prefix, key);
    const commands = this.#link.commands as RedisWithScripts;
    const run = await this.#ready();
    // Taken before the read: later places may be newer than what is read.
    const lastPlace = this.#lastPlace(key);
    const { run: known, gen, place } = await readNumbering(commands, meta);
    const isBehind = isWrong || follows(lastPlace, place);
    if (known === run && !isBehind) return this.#numberedIn(key, run);
    const [last] = await store.tail(key, 1);
    const isIntact = known !== null && !isBehind && !(last && follows(last, place));
    const next = isIntact ? '' : String(await store.advance(key));
    await commands.rivuletStart(2, meta, stream, run, known ?? '', gen, next, metaMs, 'PUBLISH', channel);
    this.#numberedIn(key, run);
  }

  async #openTopic(key: string): Promise<RedisTopic> {
    const { store, clock, limits } = this.#options;
    this.#tenants.add(tenantOf(key));
    this.#origin ??= await store.origin();
    const origin = this.#origin;
    const place = { gen: 0, head: 0, now: clock.now() };
    const window = new Window(key, origin, place, limits ?? defaultWindowLimits, this.#memory);
    const topic = new RedisTopic(window, namesOf(this.#prefix, key), {
      commands: this.#link.commands,
      ready: () => this.#ready(),
      lastPlace: (name) => this.#lastPlace(name),
      admit: (name, isWrong) => this.#admit(name, isWrong),
    });
    topic.releasedAt = clock.steady();
    // The opener pins the topic, so that no sweep takes it for unread.
    topic.pins++;
    this.#open.set(key, topic);
    this.#memory.countTopics(1);
    try {
      await this.#link.subscribe(topic.names.channel);
      await topic.fill();
      topic.pins--;
      return topic;
    } catch (error) {
      this.#forget(topic);
      throw error;
    }
  }

  #forget({ window, names }: RedisTopic): void {
    this.#open.delete(window.key);
    this.#link.unsubscribe(names.channel);
    window.shrink(0);
    this.#memory.countTopics(-1);
  }

  /** Trims the windows of all open topics evenly; cursors that need dropped events read the store. */
  #makeRoom(): void {
    if (!this.#memory.isFull) return;
    this.#memory.shareOut(Array.from(this.#open.values(), ({ window }) => window));
    this.#memory.relieved();
  }

  async #ready(): Promise<string> {
    const run = await this.#link.ready();
    this.#run = run;
    return run;
  }

  #receive(channel: string, text: string): void {
    if (channel === signalChannel(this.#prefix)) this.#signals.send(JSON.parse(text) as Signal);
    else {
      this.#open.get(keyOfChannel(channel))?.receive(readMessage(text));
      this.#makeRoom();
    }
  }

  #refillAll(): void {
    for (const topic of this.#open.values()) topic.fill().catch(this.#complain);
  }

  /** Compares some open topics with Redis, in turn. */
  async #check(): Promise<void> {
    const topics = [...this.#open.values()].filter((topic) => topic.pins > 0);
    if (topics.length === 0) return;
    const from = this.#checkAt % topics.length;
    const chosen = [...topics.slice(from), ...topics.slice(0, from)].slice(0, checkedTopics);
    this.#checkAt = from + chosen.length;
    await Promise.all(
      chosen.map(async (topic) => {
        const { run, place } = await readNumbering(this.#link.commands, topic.names.meta);
        const { window } = topic;
        if (run !== this.#run || place.gen !== window.gen || place.seq !== window.head) await topic.fill();
      }),
    ).catch(this.#complain);
  }

  /** Stores events that dead nodes had appended but not stored. */
  async #repair(): Promise<void> {
    if (this.#repairing || this.#closed) return;
    this.#repairing = true;
    const { clock } = this.#options;
    const before = clock.now() - abandonedMs;
    for (const key of new Set([...this.#tenants, ...this.#senders.keys()])) {
      const deps = { commands: this.#link.commands, prefix: this.#prefix, writer: this.#writer };
      await completeUnstored(deps, key, before).catch(this.#complain);
    }
    this.#repairing = false;
  }

  #stored(rows: readonly ({ key: string } & Position)[]): void {
    const [first] = rows;
    if (!first) return;
    const names = rows.map(({ key, gen, seq }) => `${key}|${gen}|${seq}`);
    this.#link.commands.zrem(unstoredName(this.#prefix, first.key), ...names).catch(() => undefined);
  }

  readonly #complain = (error: unknown): void => {
    if (!this.#closed)
      this.#options.log.warn(
        { err: error },
        'the upkeep of streams in Redis (REDIS_URL) failed; it will be tried again',
      );
  };
}

/** Gives a connection the broker's scripts. */
export function defineScripts(redis: Redis): Redis {
  redis.defineCommand('rivuletAppend', { lua: appendScript });
  redis.defineCommand('rivuletStart', { lua: startScript });
  return redis;
}

type RedisWithScripts = Redis & {
  rivuletAppend(...args: (string | number)[]): Promise<string[]>;
  rivuletStart(...args: (string | number)[]): Promise<number>;
};

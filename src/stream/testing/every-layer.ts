// One writer, hundreds of readers, and faults at every layer between them; at the end each reader's events are checked.
import { expect } from 'vitest';
import { type CuttingProxy, createCuttingProxy } from '../../../test/support/cutting-proxy.ts';
import type { EventStore } from '../../ports/event-store.ts';
import type { AnyPublisher } from '../brokers/publisher.ts';
import { check, checkNumbers, type Published } from './check.ts';
import { type Reader, readerKinds } from './readers.ts';

const topic = 'run:1';
/** Number of faults that need everything acknowledged. */
const strikes = 6;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The system between the writer and its readers. */
export interface World {
  /** Ports of the nodes that serve readers. */
  ports(): number[];
  /** Current publisher; it changes only after all events are acknowledged. */
  publisher(): AnyPublisher;
  /**
   * Further trouble: `now` may strike at any time, `settled` when everything written is acknowledged; it may cut all
   * connections.
   */
  troubles: { now: (() => unknown)[]; settled: ((cut: () => void) => Promise<unknown>)[] };
}

interface Options {
  seed: number;
  events: number;
  readers: number;
}

/** A generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A store with random delays. */
export function hesitant(store: EventStore, random: () => number): EventStore {
  const late = async <T>(answer: () => Promise<T>) => {
    if (random() < 0.3) await pause(random() * 8);
    return answer();
  };
  return {
    ...store,
    append: (...args) => late(() => store.append(...args)),
    read: (...args) => late(() => store.read(...args)),
    tail: (...args) => late(() => store.tail(...args)),
  };
}

class Writer {
  readonly published: Published[] = [];
  readonly #world: World;
  #pending: Promise<void>[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  write(durable: boolean): void {
    const n = this.published.length;
    const text = `${n};`;
    this.published.push({ durable, n, text });
    const data = durable ? { n } : { runId: 1, iteration: 0, kind: 'Content', toolCallId: null, delta: text };
    const type = durable ? 'run.event' : 'run.delta';
    this.#pending.push(this.#world.publisher().publish({ tenantId: 1, topics: [topic, 'runs'], type, data }));
  }

  async settle(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
  }
}

const has = ({ seen }: Reader, n: number) => seen.at(-1)?.data.n === n;

/** Runs until everything is written and read. Throws the failures of `check`. */
export async function runThroughTrouble(world: World, { seed, events, readers }: Options): Promise<{ gaps: number }> {
  const random = seeded(seed);
  const proxies = await Promise.all(world.ports().map((port) => createCuttingProxy({ port })));
  const started = Array.from({ length: readers }, (_, at) => {
    const { port } = proxies[at % proxies.length] as CuttingProxy;
    const kind = readerKinds[at % readerKinds.length] as (typeof readerKinds)[number];
    return kind({ url: `http://127.0.0.1:${port}`, key: 'key-1', topic, random });
  });
  const writer = new Writer(world);
  const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const cutAll = () => {
    for (const proxy of proxies) proxy.cut();
  };
  const troubles = [
    () => any(proxies).cutSome(0.1 + random() * 0.4, random),
    () => any(proxies).hold(random(), random() * 60, random),
    ...world.troubles.now,
  ];
  // A reader without any event asks for all kept events, which are fewer than all published.
  writer.write(true);
  await expect.poll(() => started.filter(({ seen }) => seen.length === 0).length, { timeout: 120_000 }).toBe(0);
  let struck = 0;
  while (writer.published.length < events) {
    const burst = random() < 0.1 ? 120 : 1 + Math.floor(random() * 12);
    for (let n = 0; n < burst; n++) writer.write(random() < 0.2);
    if (random() < 0.3) any(troubles)();
    if (random() < 0.3) await writer.settle();
    if (writer.published.length > ((struck + 1) * events) / (strikes + 1)) {
      await writer.settle();
      await world.troubles.settled[struck++ % world.troubles.settled.length]?.(cutAll);
      for (const [at, proxy] of proxies.entries()) proxy.retarget(world.ports()[at] ?? 0);
      cutAll();
    }
    await pause(random() * 4);
  }
  writer.write(true);
  await writer.settle();
  const last = writer.published.length - 1;
  await expect.poll(() => started.filter((reader) => !has(reader, last)).length, { timeout: 120_000 }).toBe(0);
  for (const reader of started) reader.stop();
  for (const proxy of proxies) await proxy.close();
  for (const reader of started) {
    check(reader, writer.published);
    checkNumbers(reader.seen);
  }
  return { gaps: started.flatMap(({ seen }) => seen.filter(({ type }) => type === 'stream.gap')).length };
}

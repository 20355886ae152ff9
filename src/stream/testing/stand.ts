// A stream layer on memory for tests, whose process can stop cleanly or die while its store stays.
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { MemoryBroker } from '../brokers/one-process.ts';
import type { AnyPublisher } from '../brokers/publisher.ts';
import { createPublisher } from '../brokers/publisher.ts';
import { Hub } from '../hub/hub.ts';
import type { Outlet, Place } from '../hub/outlet.ts';
import type { Subscription } from '../hub/subscription.ts';
import type { Viewer } from '../hub/viewer.ts';
import type { Batch } from '../log/batch.ts';
import { parseCursor } from '../log/cursor.ts';
import { StreamMemory } from '../log/memory-budget.ts';
import { createMemoryEventStore } from '../log/memory-event-store.ts';
import { createStreamMetrics } from '../log/metrics.ts';
import { topicKey } from '../log/topics.ts';
import type { WindowLimits } from '../log/window.ts';

export interface Stand {
  clock: SimulatedClock;
  store: EventStore;
  origin: string;
  broker: MemoryBroker;
  memory: StreamMemory;
  hub: Hub;
  publisher: AnyPublisher;
  /** Starts a new process on the same store; the old one stops cleanly or is dropped. */
  restart(clean: boolean): Promise<void>;
}

/** A stream layer in memory, with a limit of `bytes`. */
export async function createStand(limits?: WindowLimits, idleMs?: number, bytes?: number): Promise<Stand> {
  const clock = new SimulatedClock();
  const store = createMemoryEventStore();
  const origin = await store.origin();
  const boot = () => {
    const metrics = createStreamMetrics();
    const memory = new StreamMemory(bytes);
    const broker = new MemoryBroker({
      store,
      clock,
      memory,
      ...(limits ? { limits } : {}),
      ...(idleMs ? { idleMs } : {}),
    });
    const hub = new Hub({ broker, store, clock, log: silentLogger, metrics, origin, memory });
    return { broker, memory, hub, publisher: createPublisher({ broker, clock, metrics }) };
  };
  const stand: Stand = {
    clock,
    store,
    origin,
    ...boot(),
    restart: async (clean) => {
      if (clean) await stand.broker.close();
      Object.assign(stand, boot());
    },
  };
  return stand;
}

export interface SeenEvent {
  epoch: string;
  seq: number;
  topic: string;
  type: string;
  data: Record<string, unknown>;
}

/** A client in the test's own process: reads until it is full, resumes with the id of its last event. */
export class TestClient implements Outlet {
  readonly seen: SeenEvent[] = [];
  /** Number of events seen before each connection. */
  readonly connections: number[] = [];
  writable = true;
  failed: unknown = null;
  /** Its subscription to the topic. */
  subscription: Subscription | null = null;
  #viewer: Viewer | null = null;
  /** Number of batches after which it becomes unwritable; 0 for never. */
  patience = 0;
  #taken = 0;

  /** Id to resume from; null before its first event. */
  get lastEventId(): string | null {
    const last = this.seen.at(-1);
    return last ? `${last.epoch}.${last.seq}` : this.#start;
  }

  #start: string | null = null;

  async connect(
    stand: Pick<Stand, 'hub' | 'origin'>,
    topic: string,
    cursor: string | null = this.lastEventId,
    untilEnd = false,
  ): Promise<Subscription> {
    this.cut();
    this.writable = true;
    this.#taken = 0;
    const viewer = stand.hub.attach(this);
    this.#viewer = viewer;
    this.connections.push(this.seen.length);
    const parsed = cursor === null ? null : parseCursor(cursor, stand.origin);
    this.subscription = await viewer.subscribe({ key: topicKey(1, topic), cursor: parsed, untilEnd });
    this.#start ??= this.subscription.cursor;
    viewer.start();
    return this.subscription;
  }

  cut(): void {
    this.#viewer?.close();
    this.#viewer = null;
  }

  /** Empties the buffer, so that more may come. */
  drain(): void {
    this.writable = true;
    this.#taken = 0;
    this.#viewer?.resume();
  }

  send(_place: Place, batch: Batch): void {
    for (const entry of batch.entries) this.seen.push(JSON.parse(entry.json));
    this.#taken++;
    if (this.patience > 0 && this.#taken >= this.patience) this.writable = false;
  }

  cork(run: () => void): void {
    run();
  }

  fail(error: unknown): void {
    this.failed = error;
  }
}

/** Turns the event loop until nothing is in flight. */
export async function settle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

// Sends a tenant's events to Redis in the order of publication, and retries until Redis has answered.
import { ReplyError } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Position } from '../../../ports/event-store.ts';
import type { NewEvent } from '../broker.ts';
import { staleWriter } from '../fences.ts';
import { type AppendCall, appendCall, type Outgoing, readPlaces } from './call.ts';

export interface SenderDeps {
  clock: Clock;
  prefix: string;
  waitMs: number;
  /** Makes a unique nonce. */
  nonce: () => string;
  /** Resolves with Redis's run id when the topics of these events are numbered in it. */
  prepare: (events: readonly NewEvent[]) => Promise<string>;
  call: (call: AppendCall) => Promise<string[]>;
  /** Called when Redis no longer knows a topic's numbering. */
  forget: (key: string) => void;
}

interface Waiting extends Outgoing {
  until: number;
  resolve: (places: Position[]) => void;
  reject: (error: unknown) => void;
}

/** Limits of one call, in events and characters: other clients of Redis wait while it runs. */
const callEvents = 64;
const callCharacters = 256 * 1024;
/** Limit of the events that may wait for Redis without a timeout. */
const patientEvents = 50_000;
/** Transient refusals: Redis loads its data, runs a script, or changes its master. */
const passing = /^(LOADING|BUSY|READONLY|MASTERDOWN|TRYAGAIN|CLUSTERDOWN)/;

/** A queue to Redis with one call in flight, so that nothing overtakes a retried event. */
export class Sender {
  readonly #deps: SenderDeps;
  #queue: Waiting[] = [];
  #running: Promise<void> | null = null;
  #mostPatient = patientEvents;
  /** Number of events at the front that may have reached Redis already. */
  #sent = 0;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  send(event: NewEvent): Promise<Position[]> {
    const { clock, waitMs, nonce } = this.#deps;
    return new Promise((resolve, reject) => {
      // An ordered event must follow those before it, so it waits without a timeout while there is room.
      const isPatient = event.fence?.order !== undefined && this.#queue.length < this.#mostPatient;
      const until = isPatient ? Number.POSITIVE_INFINITY : clock.steady() + waitMs;
      this.#queue.push({ event, nonce: nonce(), until, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no call is in flight; events that still wait get the ordinary timeout. */
  async stop(): Promise<void> {
    this.#mostPatient = 0;
    const until = this.#deps.clock.steady() + this.#deps.waitMs;
    for (const waiting of this.#queue) waiting.until = Math.min(waiting.until, until);
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#round();
    this.#running = null;
  }

  async #round(): Promise<void> {
    // Events that may have arrived are retried alone, as the same call.
    const batch = this.#sent > 0 ? this.#queue.slice(0, this.#sent) : this.#take();
    try {
      const run = await this.#deps.prepare(batch.map(({ event }) => event));
      const call = appendCall(this.#deps.prefix, run, this.#sent > 0, batch);
      this.#sent = batch.length;
      const [outcome, ...values] = await this.#deps.call(call);
      this.#sent = 0;
      if (outcome === 'INIT') this.#deps.forget(call.topics[Number(values[0]) - 1] ?? '');
      else this.#finish(batch, values);
    } catch (error) {
      await this.#fail(batch, error);
    }
  }

  #take(): Waiting[] {
    let characters = 0;
    const end = this.#queue.findIndex(({ event }, at) => {
      characters += event.body.length;
      return at >= callEvents || (at > 0 && characters > callCharacters);
    });
    return end < 0 ? [...this.#queue] : this.#queue.slice(0, end);
  }

  #finish(batch: readonly Waiting[], values: readonly string[]): void {
    this.#queue = this.#queue.slice(batch.length);
    for (const [at, places] of readPlaces(values, batch).entries()) {
      const waiting = batch[at] as Waiting;
      if (places) waiting.resolve(places);
      else waiting.reject(staleWriter(waiting.event.fence?.scope ?? ''));
    }
  }

  async #fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    const refused = error instanceof ReplyError && !passing.test((error as Error).message);
    const { clock } = this.#deps;
    const now = clock.steady();
    const isAway = !(error instanceof Fault) || error.code === 'STORE_UNAVAILABLE';
    const lost = batch.filter(
      ({ until }) => refused || !isAway || until <= now || (error instanceof Fault && until < Number.POSITIVE_INFINITY),
    );
    if (lost.length === 0) return clock.sleep(20);
    const kept = batch.filter((one) => !lost.includes(one));
    if (this.#sent > 0) this.#sent = kept.length;
    this.#queue = [...kept, ...this.#queue.slice(batch.length)];
    const fault =
      error instanceof Fault
        ? error
        : new Fault('STORE_UNAVAILABLE', 'Redis did not take the event.', {
            cause: error,
            hint: 'Try again; where it stays so, look after the Redis of REDIS_URL.',
          });
    for (const { reject } of lost) reject(fault);
  }
}

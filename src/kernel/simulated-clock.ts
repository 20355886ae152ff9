// A clock that tests move by hand: nothing waits in real time.
import type { Clock } from './clock.ts';

interface Timer {
  at: number;
  order: number;
  run: () => void;
  every: number | null;
}

/** A Clock whose time moves only through `advance`. Timers fire in order of due time, then of creation. */
export class SimulatedClock implements Clock {
  #now: number;
  /** How far the wall clock is from the time that passes. */
  #jumped = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#jumped;
  }

  steady(): number {
    return this.#now;
  }

  /** Sets the wall clock forward, or back, by `ms`: no time passes. */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  every(ms: number, run: () => void): () => void {
    return this.#add({ at: this.#now + ms, order: this.#order++, run, every: ms });
  }

  after(ms: number, run: () => void): () => void {
    return this.#add({ at: this.#now + ms, order: this.#order++, run, every: null });
  }

  /** Milliseconds until the next timer, or null when there is none. */
  nextDue(): number | null {
    const next = this.#next(Number.POSITIVE_INFINITY);
    return next ? next.at - this.#now : null;
  }

  /** Moves time by `ms`, firing what falls due and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      if (next.every === null) this.#timers.delete(next);
      else next.at += next.every;
      next.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #next(until: number): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > until) continue;
      if (!best || timer.at < best.at || (timer.at === best.at && timer.order < best.order)) best = timer;
    }
    return best;
  }
}

/** Lets pending promise callbacks and immediates run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

// Time as a dependency: real in the server, simulated in tests.

export interface Clock {
  /** Milliseconds since 1970-01-01 UTC, for stamps and deadlines; it jumps when somebody sets the machine's clock. */
  now(): number;
  /** Milliseconds that only pass, for durations and limits. It agrees with `now` when the process starts, then no more. */
  steady(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` every `ms` until the returned function is called. Does not keep the process alive. */
  every(ms: number, run: () => void): () => void;
  /** Calls `run` once after `ms` unless the returned function is called first. Does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}

/**
 * What stands in a store may have been stamped by another clock, or before this one was set: by so many ms machines may
 * differ. A stamp that lies further ahead than that is of a clock that was wrong.
 */
export const clocksDifferMs = 600_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => Math.round(performance.timeOrigin + performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

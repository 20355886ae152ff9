// Concurrency slots of a provider: calls above the limit wait in a queue.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';

export interface Places {
  /**
   * Queues until fewer than `most` calls are in flight. The patience, in ms, is that of a caller without an
   * alternative.
   *
   * @throws Fault CONCURRENCY_LIMITED; the signal's reason when aborted
   */
  enter(most: number, patienceMs: number, signal: AbortSignal): Promise<void>;
  leave(): void;
  /** Queued calls. */
  waiting(): number;
}

export function createPlaces(clock: Clock): Places {
  let running = 0;
  let line: (() => void)[] = [];
  return {
    async enter(most, patienceMs, signal) {
      if (running < most && line.length === 0) {
        running++;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const leaveLine = () => {
          line = line.filter((one) => one !== admitted);
          cancel();
          signal.removeEventListener('abort', onAbort);
        };
        const admitted = () => {
          leaveLine();
          resolve();
        };
        const onAbort = () => {
          leaveLine();
          reject(signal.reason);
        };
        const cancel = clock.after(patienceMs, () => {
          leaveLine();
          reject(tooMany(most));
        });
        signal.addEventListener('abort', onAbort, { once: true });
        line.push(admitted);
      });
    },
    leave() {
      // The slot passes to the next call in the queue, so that a new call cannot take it in between.
      const next = line[0];
      if (next) next();
      else running--;
    },
    waiting: () => line.length,
  };
}

const tooMany = (places: number) =>
  new Fault('CONCURRENCY_LIMITED', `All ${places} places of this provider are taken.`, {
    hint: 'Try again soon, or raise maxConcurrency of the provider.',
    retryAfterSeconds: 1,
  });

// Bounds how long a client waits for a handler.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';

/** An AbortController that is only made when somebody looks at its signal: most handlers never do. */
export class Deadline {
  #controller: AbortController | null = null;
  #passed = false;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#passed) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. */
  pass(): void {
    this.#passed = true;
    this.#controller?.abort();
  }
}

/**
 * The result of `work`, or a refusal when it takes longer than `ms`; `deadline` passes then, so that work can stop.
 *
 * @throws Fault NOT_READY, and whatever `work` throws
 */
export function within<T>(clock: Clock, ms: number, deadline: Deadline, work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work;
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      deadline.pass();
      reject(
        new Fault('NOT_READY', `This took longer than ${ms / 1000} s.`, {
          hint: 'It may still be carried out: look before you repeat it.',
        }),
      );
    });
    work.then(
      (result) => {
        cancel();
        resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

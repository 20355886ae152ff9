// Bounds how long a client waits for a handler.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Deadline } from './request-info.ts';

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
    work.then(resolve, reject).finally(cancel);
  });
}

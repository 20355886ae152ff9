// Telling a unique-index violation from other failures.
import { Fault } from '../kernel/fault.ts';

/** Whether a write failed because another document holds the same unique value. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Fault && error.code === 'DUPLICATE';
}

/** For writes that somebody else may have made at the same time, such as seeds: `insertOne(…).catch(ignoreDuplicate)`. */
export function ignoreDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}

export function duplicate(collection: string, detail: string, cause: unknown): Fault {
  return new Fault('DUPLICATE', `A document with the same ${detail} is already in ${collection}.`, {
    hint: 'Use another value, or change the existing one.',
    cause,
  });
}

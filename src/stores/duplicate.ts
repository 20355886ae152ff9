// Telling a unique-index violation from other failures.
import { Fault } from '../kernel/fault.ts';

/** Whether a write failed because another document holds the same unique value. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Fault && error.code === 'DUPLICATE';
}

export function duplicate(collection: string, detail: string, cause: unknown): Fault {
  return new Fault('DUPLICATE', `A document with the same ${detail} is already in ${collection}.`, {
    hint: 'Use another value, or change the existing one.',
    cause,
  });
}

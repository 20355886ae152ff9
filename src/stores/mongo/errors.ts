// The driver's failures as Faults.
import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb';
import { Fault } from '../../kernel/fault.ts';
import { duplicate } from '../../ports/duplicate.ts';

const duplicateKey = 11000;

/** BadValue, TypeMismatch, DollarPrefixed…, PathNotViable, ImmutableField, and documents that are too large. */
const misfits = new Set<unknown>([2, 9, 14, 16837, 28, 52, 57, 66, 10334, 17419, 17420, 17280]);

/** NamespaceNotFound and IndexNotFound. */
const notThere = new Set<unknown>([26, 27]);

/** Whether what was to be dropped is not there. */
export const isNotThere = (error: unknown): boolean => error instanceof MongoServerError && notThere.has(error.code);

/** Runs a call of the driver; failures that callers are meant to see are thrown as Faults. */
export async function guarded<R>(collection: string, run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (error) {
    throw translate(collection, error);
  }
}

export function translate(collection: string, error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  if (error.code === duplicateKey) return duplicate(collection, duplicatePaths(error), error);
  if (misfits.has(error.code)) {
    return new Fault('VALIDATION_FAILED', `The change does not fit the document: ${error.message}`, { cause: error });
  }
  if (isUnavailable(error)) {
    return new Fault('STORE_UNAVAILABLE', 'The database does not answer.', {
      hint: 'Check MONGODB_URI and that the server is up; the call can be tried again.',
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  return error;
}

/** Whether the store is unavailable: errors of the driver itself are about the connection; of the server's, the retryable ones. */
function isUnavailable(error: MongoError): boolean {
  if (!(error instanceof MongoServerError)) return true;
  return error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('RetryableReadError');
}

function duplicatePaths(error: MongoError): string {
  const source = error instanceof MongoBulkWriteError ? error.writeErrors : null;
  const first = Array.isArray(source) ? source[0]?.err : error;
  const keys = first && 'keyPattern' in first ? Object.keys(first.keyPattern as object) : [];
  if (keys.length > 0) return keys.join(' and ');
  return /index: (\S+)/.exec(error.message)?.[1] ?? 'unique value';
}

// How gravely the log tells of a request that failed, so that an alarm on errors rings for faults of the server alone.
import type { ErrorCode } from './error-codes.ts';
import type { Fault } from './fault.ts';

/** What works as it should where this is answered: nobody has to look at it. */
const expected: ReadonlySet<ErrorCode> = new Set(['MAINTENANCE_MODE', 'SHUTTING_DOWN', 'CLIENT_CLOSED']);
/** The server itself, or what it cannot work without. */
const own: ReadonlySet<ErrorCode> = new Set(['INTERNAL_ERROR', 'STORE_UNAVAILABLE']);

/** Null where the caller has to do otherwise; `warn` where another server failed, or something is not set up. */
export function gravityOf({ code, status }: Fault): 'error' | 'warn' | 'debug' | null {
  if (status < 500) return null;
  if (expected.has(code)) return 'debug';
  return own.has(code) ? 'error' : 'warn';
}

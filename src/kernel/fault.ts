// The one error class: a code from the closed table, a message for people and a hint that names the next useful step.
import { type ErrorCode, errorStatus } from './error-codes.ts';

export interface FaultOptions {
  /** What the caller can do next, e.g. the operation to call. */
  hint?: string;
  /** Overrides the status of the code; use only where the interface asks for it. */
  status?: number;
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** The same call fails again whenever it is made: there is no point in a retry. */
  isFinal?: boolean;
  /** The field of the input that is wrong, e.g. `messages.0.role`. */
  field?: string;
  /** Kept for the log, never sent. */
  cause?: unknown;
}

/**
 * A failure that its caller is meant to see.
 *
 * @example throw new Fault('NOT_FOUND', 'There is no run 7.', { hint: 'List runs with GET /api/agent/runs.' });
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: ErrorCode;
  readonly status: number;
  readonly hint: string | null;
  readonly retryAfterSeconds: number | null;
  readonly isFinal: boolean;
  readonly field: string | null;

  constructor(code: ErrorCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? errorStatus[code];
    this.hint = options.hint ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.isFinal = options.isFinal ?? false;
    this.field = options.field ?? null;
  }

  /** The message with its hint, for who sees one text: a model, or the outcome of a job. */
  get text(): string {
    return this.hint ? `${this.message} ${this.hint}` : this.message;
  }
}

/** Turns whatever was thrown into a Fault; anything unexpected becomes INTERNAL_ERROR with the original as cause. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault('INTERNAL_ERROR', 'Something went wrong on our side.', {
    cause: error,
    hint: 'Look for this requestId in the server log.',
  });
}

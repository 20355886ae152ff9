// What a failed command says, and the code that it exits with.
import { ApiError, isAway } from '../client/index.ts';
import { plainHint } from '../client/plain-hint.ts';
import { ConfigError } from '../environment.ts';
import { Fault } from '../kernel/fault.ts';

/** Exit codes of every command; `ended` is a run that ended other than Completed, `interrupted` is Ctrl+C. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  ended: 5,
  interrupted: 130,
} as const;

/** Thrown for what the caller has to do otherwise; its message is all that is printed. */
export class CommandError extends Error {
  readonly code: number;
  constructor(message: string, code: number = exitCodes.failed) {
    super(message);
    this.code = code;
  }
}

/** Lines for a person and the exit code; a stack only for what nobody has foreseen. */
export function explain(error: unknown): { lines: string[]; code: number } {
  if (error instanceof CommandError) return { lines: [error.message], code: error.code };
  if (error instanceof ConfigError) return { lines: [error.message], code: exitCodes.usage };
  if (error instanceof Fault) return { lines: told(error), code: exitCodes.failed };
  if (error instanceof ApiError) return { lines: told(error), code: codeOf(error) };
  return { lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)], code: exitCodes.failed };
}

/** What went wrong and, where there is one, the hint, each in a line. */
export const told = ({ message, hint }: { message: string; hint?: string | null | undefined }) =>
  hint ? [message, plainHint(hint, ' in the dashboard')] : [message];

function codeOf(error: ApiError): number {
  const { status } = error;
  if (isAway(error)) return exitCodes.unreachable;
  if (status === 401 || status === 403) return exitCodes.refused;
  return status === 400 ? exitCodes.usage : exitCodes.failed;
}

// The logger that parts are given; pino behind it, never imported elsewhere.
import { type Logger as PinoLogger, type LoggerOptions as PinoOptions, pino, symbols } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import { createHider } from './hidden.ts';
import { type ByteSink, collectLines } from './log-lines.ts';
import type { LineFacts, LogTap } from './log-tap.ts';
import { tellRepeated } from './repeated.ts';

export type Logger = Pick<PinoLogger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'> & {
  child(bindings: Record<string, unknown>): Logger;
};

/** Paths whose values never reach a log line. */
const secrets = ['authorization', 'password', 'apiKey', 'rawKey', 'token', 'secret', 'cookie'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** Milliseconds that a line waits for others at most. */
const waitMs = 100;

interface LoggerOptions {
  level: string;
  pretty: boolean;
  /** Values that are secrets, whatever they look like: those of the settings. */
  secrets?: readonly string[];
  /** Replaces what is a credential by its looks. */
  redact?: (text: string) => string;
  /** Where lines go besides stdout, to be kept. */
  tap?: LogTap;
  /** Instead of stdout. */
  out?: Pick<Lines, 'write'>;
  /** By which repeated failures of the store are left out. */
  clock?: Pick<Clock, 'after'>;
}

/** A logger to stdout: JSON lines, or readable ones when `pretty`. Neither stdout nor the tap gets a secret. */
export function createLogger({
  level,
  pretty,
  secrets: known = [],
  redact: redactText,
  tap,
  clock = systemClock,
  ...options
}: LoggerOptions): Logger {
  const out = options.out ?? (pretty ? prettyOutput() : standardOutput());
  const hide = createHider(known, redactText);
  return pino(
    {
      level,
      redact: { paths: secrets, censor: '[hidden]' },
      base: null,
      serializers: { err: errorFacts, error: errorFacts },
      hooks: { logMethod: sayOnce(clock) },
    },
    destination({
      write: (line) => {
        const safe = hide(line);
        out.write(safe);
        tap?.put(safe, null);
      },
      known: (line, facts) => {
        out.write(line);
        tap?.put(line, facts);
      },
    }),
  );
}

const prettyOutput = (): Pick<Lines, 'write'> =>
  pino.transport({
    target: 'pino-pretty',
    options: { colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' },
  });

/** While the store fails, whatever looks into it again and again would say so several times a second. */
function sayOnce(clock: Pick<Clock, 'after'>): LogMethod {
  const tell = tellRepeated(clock);
  return function (args, method, level) {
    const [fields, message] = args as unknown[];
    const key =
      args.length === 2 && level >= pino.levels.values.warn! ? storeFailure(this, level, fields, message) : null;
    if (key === null) return method.apply(this, args);
    const { err, ...others } = fields as { err: Error };
    const write = (more: object) => method.apply(this, [{ ...others, err, ...more }, message as string]);
    tell({
      key,
      tell: () => write({}),
      // The level may be another one by now.
      tellAgain: (leftOut) => level >= this.levelVal && write({ leftOut }),
      tellOver: (leftOut) => this.info({ ...others, leftOut }, `over: ${message}`),
    });
  };
}

type LogMethod = NonNullable<NonNullable<PinoOptions['hooks']>['logMethod']>;

/** What tells a line about the store that fails from all others; null for any other line. */
function storeFailure(logger: PinoLogger, level: number, fields: unknown, message: unknown): string | null {
  const { err, ...others } = (fields ?? {}) as { err?: unknown };
  if (!(err instanceof Error) || (err as { code?: unknown }).code !== 'STORE_UNAVAILABLE') return null;
  const causes: string[] = [];
  for (let one: unknown = err; one instanceof Error && causes.length <= mostCauses; one = one.cause)
    causes.push(`${one.name}: ${one.message}`);
  try {
    return JSON.stringify([level, logger.bindings(), others, message, causes]);
  } catch {
    return null;
  }
}

const mostCauses = 4;
const mostCharacters = 8000;

/**
 * An error as it is logged: what it is, says and comes from. Its other fields stay out: errors of clients carry the
 * request that they made, with its headers and texts.
 */
export function errorFacts(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? String(error) : error;
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  const isShown = typeof code === 'string' || typeof code === 'number';
  return {
    type: name,
    message: message.slice(0, mostCharacters),
    ...(isShown && { code }),
    stack: stack?.slice(0, mostCharacters),
    ...(cause !== undefined && depth < mostCauses && { cause: errorFacts(cause, depth + 1) }),
  };
}

/**
 * Lines are written in the background, in batches under load; pending lines are flushed when the process exits
 * regularly.
 */
function standardOutput() {
  const options = { dest: 1, sync: false, contentMode: 'buffer' } as const;
  let lines: ReturnType<typeof collectLines> | null = null;
  // Before pino's own listener, which lets nothing more in.
  process.on('exit', () => lines?.flushSync());
  lines = collectLines(pino.destination(options) as unknown as ByteSink, waitMs);
  return lines;
}

/**
 * For lines of known fields that are written at every request, where making a line of an object costs more than what
 * the line tells. Null for a logger that is not pino's.
 */
export function lineWriter(logger: Logger, message: string): LineWriter | null {
  const own = logger as PinoLogger & { [symbols.streamSym]?: Lines };
  const stream = own[symbols.streamSym];
  if (!stream) return null;
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return {
    writes: (level) => level >= own.levelVal,
    write(fields, { level, domain, tenant }, mayHoldSecrets) {
      const line = `{"level":${level},"time":${Date.now()},"domain":"${domain}",${fields}${end}`;
      // A logger of somebody else's knows lines alone.
      if (mayHoldSecrets || !stream.known) stream.write(line);
      else stream.known(line, { level, domain, tenant });
    },
  };
}

interface LineWriter {
  /** Whether lines of a level are written now. */
  writes(level: number): boolean;
  /**
   * Writes a line with the fields, given as the inside of a JSON object.
   *
   * @param mayHoldSecrets whether they may hold what somebody wrote, and so a secret
   */
  write(fields: string, facts: LineFacts, mayHoldSecrets: boolean): void;
}

const destination = (lines: Required<Lines>): { write(line: string): void } => lines;

interface Lines {
  write(line: string): void;
  known?(line: string, facts: LineFacts): void;
}

/** A logger that keeps silent, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });

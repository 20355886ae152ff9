// The logger that parts are given; pino behind it, never imported elsewhere.
import { type Logger as PinoLogger, pino, symbols } from 'pino';
import { type ByteSink, collectLines } from './log-lines.ts';

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

/** A logger to stdout: JSON lines, or readable ones when `pretty`. */
export function createLogger(options: { level: string; pretty: boolean }): Logger {
  const redact = { paths: secrets, censor: '[hidden]' };
  if (!options.pretty) return pino({ level: options.level, redact, base: null }, standardOutput());
  return pino({
    level: options.level,
    redact,
    base: null,
    transport: {
      target: 'pino-pretty',
      options: { colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' },
    },
  });
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
 * the line tells. The function takes the fields as the inside of a JSON object, without secrets; null when the level is
 * off.
 */
export function lineWriter(logger: Logger, message: string): ((fields: string) => void) | null {
  const { [symbols.streamSym]: stream, level } = logger as PinoLogger & { [symbols.streamSym]?: Lines };
  if (!stream || pino.levels.values[level] === undefined || (pino.levels.values[level] as number) > info) return null;
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return (fields) => void stream.write(`{"level":${info},"time":${Date.now()},${fields}${end}`);
}

const info = 30;
interface Lines {
  write(line: string): unknown;
}

/** A logger that keeps silent, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });

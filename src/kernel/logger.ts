// The logger that parts are given; pino behind it, never imported elsewhere.
import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = Pick<PinoLogger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'> & {
  child(bindings: Record<string, unknown>): Logger;
};

/** Paths whose values never reach a log line. */
const secrets = ['authorization', 'password', 'apiKey', 'rawKey', 'token', 'secret', 'cookie'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** A logger to stdout: JSON lines, or readable ones when `pretty`. */
export function createLogger(options: { level: string; pretty: boolean }): Logger {
  const redact = { paths: secrets, censor: '[hidden]' };
  // Lines leave in the background, several at once under load; what waits is written when the process ends in order.
  if (!options.pretty)
    return pino({ level: options.level, redact, base: null }, pino.destination({ dest: 1, sync: false }));
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

/** For lines of known fields that are written at every request, where looking for secrets costs more than the line. */
export function withoutRedaction(logger: Logger): Logger {
  return (logger as PinoLogger).child({}, { redact: [] });
}

/** A logger that keeps silent, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });

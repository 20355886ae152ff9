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
  if (!options.pretty) return pino({ level: options.level, redact, base: null });
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

/** A logger that keeps silent, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });

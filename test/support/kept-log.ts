// A logger as the program has it, whose lines go to the log that is kept and to a test instead of stdout.
import { createLogTap } from '../../src/kernel/log-tap.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { redact } from '../../src/scrub/scrub.ts';

export function keptLog(level = 'info', secrets: readonly string[] = []) {
  const printed: string[] = [];
  const tap = createLogTap();
  const log = createLogger({
    ...{ level, pretty: false, tap, secrets, out: { write: (line) => void printed.push(line) } },
    redact: (text) => redact(text, 'Secret'),
  });
  return { log, tap, printed };
}

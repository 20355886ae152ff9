import { expect, it } from 'vitest';
import { createLogger, lineWriter } from './logger.ts';

it('lines of known fields go by their own level, and by that of the moment', () => {
  const lines: string[] = [];
  const out = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
  const log = createLogger({ level: 'warn', pretty: false, out });
  const { writes, write } = lineWriter(log.child({ domain: 'Http' }), 'request')!;
  expect([writes(30), writes(40)]).toEqual([false, true]);
  log.level = 'info';
  expect(writes(30)).toBe(true);
  write('"status":200', { level: 30, domain: 'Http', tenant: null }, true);
  log.level = 'silent';
  expect(writes(60)).toBe(false);
  expect(lines).toEqual(['request']);
});

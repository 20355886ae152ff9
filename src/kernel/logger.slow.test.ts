import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { collectLines } from './log-lines.ts';

it('lines leave in order and whole, however long they are', () => {
  let out = '';
  let synced = 0;
  const sink = { write: (bytes: Buffer) => (out += bytes.toString()), flushSync: () => synced++ };
  const lines = collectLines(sink, 60_000);
  const sent = Array.from({ length: 500 }, (_, i) => `${i} ${'ü€🌊x'.repeat((i * 37) % 900)}\n`);
  sent.push(`${'€'.repeat(200_000)}\n`, 'last\n');
  for (const line of sent) lines.write(line);
  lines.flushSync();
  expect(out === sent.join('')).toBe(true);
  expect(synced).toBe(1);
});

it('a line leaves by itself when no other comes', async () => {
  const line = await new Promise<string>((resolve) => {
    const hold = setInterval(() => {}, 1000);
    const write = (bytes: Buffer) => {
      clearInterval(hold);
      resolve(bytes.toString());
    };
    collectLines({ write, flushSync: () => {} }, 1).write('alone\n');
  });
  expect(line).toBe('alone\n');
});

it('nothing is lost when the process exits, and no secret is written', () => {
  const logger = fileURLToPath(new URL('./logger.ts', import.meta.url));
  const program = `
    const { createLogger, lineWriter } = await import(${JSON.stringify(logger)});
    const log = createLogger({ level: 'info', pretty: false });
    log.info({ authorization: 'Bearer x', body: { password: 'y' } }, 'first');
    log.debug('too quiet');
    lineWriter(log, 'request').write('"status":200', { level: 30, domain: 'Http', tenant: null }, true);
    log.child({ part: 'a' }).warn('last');
    process.exit(0);`;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
  const lines = String(stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ time, ...fields }) => fields)).toEqual([
    { level: 30, authorization: '[hidden]', body: { password: '[hidden]' }, msg: 'first' },
    { level: 30, domain: 'Http', status: 200, msg: 'request' },
    { level: 40, part: 'a', msg: 'last' },
  ]);
  expect(lines.every(({ time }) => Math.abs(time - Date.now()) < 600_000)).toBe(true);
});

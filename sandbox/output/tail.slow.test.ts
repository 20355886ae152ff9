// A reader of the output that another server writes: what it reads, and how much of the disk that takes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { appendFile, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { type LogItem, OutputLog, type OutputLogOptions } from './log.ts';
import { OutputTail } from './tail.ts';

const clock = new SimulatedClock();
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-tail-'));
});
const logs: OutputLog[] = [];
afterEach(async () => {
  for (const log of logs.splice(0)) await log.end();
  rmSync(directory, { recursive: true, force: true });
});

const openLog = async (more: Partial<OutputLogOptions> = {}) => {
  const log = await OutputLog.open({ directory, clock, ...more });
  logs.push(log);
  return log;
};
const openTail = (hasEnded = async () => false) => OutputTail.open({ directory, clock, hasEnded });
const write = async (log: OutputLog, text: string) => {
  await log.note(text);
  await log.flush();
};
const textOf = ({ value }: IteratorResult<LogItem>) => (value?.type === 'chunk' ? value.chunk.text : value);

/** What comes, after as many looks as it takes. */
async function looked(coming: Promise<IteratorResult<LogItem>>): Promise<IteratorResult<LogItem>> {
  let isThere = false;
  const seen = coming.finally(() => {
    isThere = true;
  });
  while (!isThere) await clock.advance(250);
  return seen;
}
const next = (reading: AsyncGenerator<LogItem>) => looked(reading.next());

/** Bytes that this process has read so far, as Linux counts them. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

test.skipIf(!existsSync('/proc/self/io'))(
  'a look without news reads nothing, and one with news only these',
  async () => {
    const log = await openLog();
    const big = 'x'.repeat(1_000_000);
    await write(log, big);
    const ended = { asked: 0 };
    const tail = await openTail(async () => ++ended.asked > 10);
    const reading = tail.read(0, { follow: true });
    expect(textOf(await next(reading))).toBe(big);
    const before = bytesRead();
    for (const text of ['one', 'two', 'three']) {
      await write(log, text);
      expect(textOf(await next(reading))).toBe(text);
    }
    // The end is asked for with each fourth look.
    expect(await next(reading)).toEqual({ done: true, value: undefined });
    expect(ended.asked).toBe(11);
    expect(bytesRead() - before).toBeLessThan(100_000);
  },
);

test('a reader goes on over segments that begin and are dropped, and says where some are missing', async () => {
  const log = await openLog({ segmentBytes: 300, retainBytes: 900 });
  await write(log, 'first');
  const reading = (await openTail()).read(0, { follow: true });
  expect(textOf(await next(reading))).toBe('first');
  for (let count = 2; count <= 5; count++) {
    await write(log, `chunk ${count}`);
    expect(textOf(await next(reading))).toBe(`chunk ${count}`);
  }
  for (let count = 6; count <= 40; count++) await write(log, `chunk ${count}`);
  const gap = (await next(reading)).value as LogItem & { type: 'gap' };
  expect(gap).toMatchObject({ type: 'gap' });
  for (let count = gap.firstSeq; count <= 40; count++) expect(textOf(await next(reading))).toBe(`chunk ${count}`);
  await reading.return(undefined);
});

test('a line that a crash cut short is read when it is written anew', async () => {
  const log = await openLog();
  await write(log, 'whole');
  await log.end();
  const segment = join(directory, '1.jsonl');
  await appendFile(segment, '{"seq":2,"text":"cut sh');
  const reading = (await openTail()).read(0, { follow: true });
  expect(textOf(await next(reading))).toBe('whole');
  const coming = reading.next();
  await clock.advance(250);
  // As a server does that goes on with the log.
  const again = await openLog();
  await write(again, 'written anew');
  expect(textOf(await looked(coming))).toBe('written anew');
  // A file that lost whole lines is read from its beginning; what was read is not read again.
  await truncate(segment, 0);
  await writeFile(segment, `${[2, 3].map((seq) => JSON.stringify({ seq, text: `line ${seq}` })).join('\n')}\n`);
  expect(textOf(await next(reading))).toBe('line 3');
  await reading.return(undefined);
});

test('a log that was deleted and begun anew is read from its beginning', async () => {
  await write(await openLog(), 'old');
  const tail = await openTail();
  const reading = tail.read(0, { follow: true });
  expect(textOf(await next(reading))).toBe('old');
  const epoch = tail.epoch;
  await rm(directory, { recursive: true });
  await mkdir(directory);
  await write(await openLog(), 'new');
  expect(textOf(await next(reading))).toBe('new');
  expect(tail.epoch).not.toBe(epoch);
  expect(tail.lastSeq).toBe(1);
  await reading.return(undefined);
});

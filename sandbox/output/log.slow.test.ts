import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import type { ExecResult } from '../commands/execution.ts';
import { chunkBytes, type SandboxChunk, toSandboxChunkDto } from './chunk.ts';
import { type LogItem, OutputLog, type OutputLogOptions } from './log.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = (more: Partial<OutputLogOptions> = {}) =>
  OutputLog.open({ directory, clock: new SimulatedClock(), ...more });
const small = { ringSize: 400, segmentBytes: 1_000, retainBytes: 3_000 };
const finished: ExecResult = {
  exitCode: 0,
  endedBy: 'exit',
  durationMs: 1,
  outputBytes: 0,
  truncated: false,
  outOfMemory: false,
};

async function items(reading: AsyncIterable<LogItem>): Promise<LogItem[]> {
  const found: LogItem[] = [];
  for await (const item of reading) found.push(item);
  return found;
}
const chunks = async (reading: AsyncIterable<LogItem>) =>
  (await items(reading)).flatMap((item) => (item.type === 'chunk' ? [item.chunk] : []));

test('a command’s chunks are numbered in order and the last carries its exit code', async () => {
  const log = await open();
  const output = log.command('call-1');
  await output.onOutput({ stream: 'Stdout', bytes: Buffer.from('\u001b[31mred\u001b[0m\n') });
  await output.onOutput({ stream: 'Stderr', bytes: Buffer.from('oops\n') });
  await output.finish({ ...finished, exitCode: 3 });
  const read = await chunks(log.read(0));
  const base = { base64: null, toolCallId: 'call-1', exitCode: null, atUtc: '2026-01-01T00:00:00.000Z' };
  expect(read).toEqual([
    { ...base, seq: 1, stream: 'Stdout', text: '\u001b[31mred\u001b[0m\n' },
    { ...base, seq: 2, stream: 'Stderr', text: 'oops\n' },
    { ...base, seq: 3, stream: 'System', text: '', exitCode: 3 },
  ]);
  expect(toSandboxChunkDto(42, read[0] as SandboxChunk)).not.toHaveProperty('base64');
  await log.end();
});

test('binary output comes back byte by byte', async () => {
  const log = await open();
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
  const output = log.command(null);
  await output.onOutput({ stream: 'Stdout', bytes });
  await output.finish(finished);
  expect(Buffer.concat((await chunks(log.read(0))).map(chunkBytes))).toEqual(bytes);
  await log.end();
});

test('from any cursor, live or late, a reader misses nothing and sees nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 40 }),
      async (sizes, readAt, cursor) => {
        const home = mkdtempSync(join(directory, 'log-'));
        const log = await open({ ...small, directory: home, retainBytes: 1e6 });
        let reading: Promise<SandboxChunk[]> | null = null;
        for (const [index, size] of sizes.entries()) {
          if (index === readAt) reading = chunks(log.read(cursor, { follow: true }));
          await log.note('x'.repeat(size));
        }
        reading ??= chunks(log.read(cursor, { follow: true }));
        await log.end();
        const expected = Array.from({ length: Math.max(0, sizes.length - cursor) }, (_, index) => cursor + 1 + index);
        expect((await reading).map((chunk) => chunk.seq)).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
});

test('what is no longer kept is reported as a gap, and the disk stays bounded', async () => {
  const log = await open(small);
  for (let index = 0; index < 200; index++) await log.note(`line ${index}\n`);
  await log.flush();
  expect(readdirSync(directory).length).toBeLessThan(8);
  const [gap, ...rest] = await items(log.read(0));
  expect(gap?.type).toBe('gap');
  const seqs = rest.flatMap((item) => (item.type === 'chunk' ? [item.chunk.seq] : []));
  expect(seqs[0]).toBe(gap?.type === 'gap' ? gap.firstSeq : 0);
  expect(seqs.at(-1)).toBe(200);
  expect(seqs).toHaveLength(201 - (seqs[0] ?? 0));
  await log.end();
});

test('a new server goes on with the numbering, without the line that a crash cut short', async () => {
  const first = await open(small);
  for (let index = 0; index < 20; index++) await first.note(`line ${index}\n`);
  await first.flush();
  const newest = readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .at(-1);
  appendFileSync(join(directory, newest ?? ''), '{"seq":21,"te');
  const second = await open(small);
  expect(second.epoch).toBe(first.epoch);
  expect(second.lastSeq).toBe(20);
  await second.note('after');
  expect((await chunks(second.read(18))).map((chunk) => chunk.seq)).toEqual([19, 20, 21]);
  await second.end();
  await first.end();
});

test('a follower that goes away leaves at once', async () => {
  const log = await open();
  const abort = new AbortController();
  const reading = items(log.read(0, { follow: true, signal: abort.signal }));
  await log.note('seen');
  abort.abort();
  expect((await reading).length).toBeLessThanOrEqual(1);
  await log.end();
});

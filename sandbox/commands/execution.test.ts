import { expect, test } from 'vitest';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { FakeProcess } from '../testing/fake-driver.ts';
import { type ExecutionOptions, followExecution, type OutputPiece } from './execution.ts';

function follow(more: Partial<ExecutionOptions> = {}) {
  const clock = new SimulatedClock();
  const process = new FakeProcess();
  const pieces: OutputPiece[] = [];
  const execution = followExecution(process, {
    timeoutMs: 10_000,
    outputBytes: 100,
    graceMs: 2_000,
    clock,
    onOutput: (piece) => void pieces.push(piece),
    ...more,
  });
  const text = (stream: string) =>
    pieces.flatMap((piece) => (piece.stream === stream ? [Buffer.from(piece.bytes).toString()] : [])).join('');
  return { clock, process, execution, pieces, text };
}

test('output arrives by stream, then the result', async () => {
  const { process, execution, text } = follow();
  process.stdout.write('out');
  process.stderr.write('err');
  process.exit(7);
  expect(await execution.result).toEqual({
    exitCode: 7,
    endedBy: 'exit',
    durationMs: 0,
    outputBytes: 6,
    truncated: false,
    outOfMemory: false,
  });
  expect([text('Stdout'), text('Stderr'), text('System')]).toEqual(['out', 'err', '']);
});

test('a command over its time is asked to end, then killed', async () => {
  const { clock, process, execution, text } = follow();
  await clock.advance(9_999);
  expect(process.signals).toEqual([]);
  await clock.advance(1);
  expect(process.signals).toEqual(['TERM']);
  await clock.advance(2_000);
  expect(process.signals).toEqual(['TERM', 'KILL']);
  expect(await execution.result).toMatchObject({ exitCode: 137, endedBy: 'timeout' });
  expect(text('System')).toContain('10 s');
});

test('a command that obeys SIGTERM keeps its exit code', async () => {
  const { process, execution } = follow();
  process.obeys = true;
  expect(await execution.end('cancel')).toMatchObject({ exitCode: 143, endedBy: 'cancel' });
});

test('an impatient end overtakes a patient one, and the first reason stays', async () => {
  const { process, execution } = follow();
  const first = execution.end('cancel');
  await execution.end('workspace-limit', 0);
  expect(process.signals).toEqual(['TERM', 'KILL']);
  expect(await first).toMatchObject({ endedBy: 'cancel' });
});

test('output stops exactly at its limit, is said to be cut, and the command is killed', async () => {
  const { process, execution, text } = follow();
  process.stdout.write('x'.repeat(90));
  process.stderr.write('y'.repeat(90));
  expect(await execution.result).toMatchObject({ endedBy: 'output-limit', outputBytes: 100, truncated: true });
  expect(text('Stdout').length + text('Stderr').length).toBe(100);
  expect(text('System')).toContain('cut after 100 bytes');
});

test('output of exactly the limit is not cut', async () => {
  const { process, execution } = follow();
  process.stdout.write('x'.repeat(100));
  process.exit(0);
  expect(await execution.result).toMatchObject({ endedBy: 'exit', outputBytes: 100, truncated: false });
});

test('a slow reader holds the command back', async () => {
  let release = () => {};
  const { process, execution } = follow({
    outputBytes: 1e6,
    onOutput: () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  });
  process.stdout.write('first');
  await new Promise(setImmediate);
  for (let written = 0; written < 10; written++) process.stdout.write('x'.repeat(512));
  await new Promise(setImmediate);
  expect(process.stdout.writableLength).toBeGreaterThan(0);
  expect(process.stdout.readableLength).toBeLessThan(2048);
  const pulling = setInterval(() => release(), 0);
  process.exit(0);
  expect(await execution.result).toMatchObject({ outputBytes: 5125 });
  clearInterval(pulling);
});

test('a reader that fails ends the command and its error surfaces', async () => {
  const { process, execution } = follow({
    onOutput: () => {
      throw new Error('disk full');
    },
  });
  process.stdout.write('x');
  await expect(execution.result).rejects.toThrow('disk full');
  expect(process.signals).toContain('KILL');
});

test.each([
  ['held time does not count', { heldMs: 60_000, setMs: 0 }],
  ['time is what passed where the clock is set back', { heldMs: 0, setMs: -86_400_000 }],
  ['time is what passed where the clock is set forward', { heldMs: 0, setMs: 86_400_000 }],
])('%s', async (_, { heldMs, setMs }) => {
  const { clock, process, execution } = follow();
  await clock.advance(4_000);
  clock.jump(setMs);
  execution.holdTimeout(true);
  await clock.advance(heldMs);
  execution.holdTimeout(false);
  await clock.advance(5_999);
  expect(process.signals).toEqual([]);
  await clock.advance(1);
  expect(process.signals).toEqual(['TERM']);
  process.exit(0);
  expect(await execution.result).toMatchObject({ durationMs: heldMs + 10_000 });
});

test('running out of memory and failing to start are told apart from an exit', async () => {
  const memory = follow();
  memory.process.exit(137, { outOfMemory: true });
  expect(await memory.execution.result).toMatchObject({ endedBy: 'memory-limit', outOfMemory: true });
  const survived = follow();
  survived.process.exit(0, { outOfMemory: true });
  expect(await survived.execution.result).toMatchObject({ endedBy: 'exit', outOfMemory: true });
  const launch = follow();
  launch.process.exit(null, { failure: 'no such file' });
  expect(await launch.execution.result).toMatchObject({ endedBy: 'launch-failure', exitCode: null });
  expect(launch.text('System')).toContain('no such file');
});

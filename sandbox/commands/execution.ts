// Execution of one command: passes its output on with back-pressure and ends it when a limit is reached.
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../src/kernel/clock.ts';
import type { DriverProcess } from '../drivers/driver.ts';

export type OutputStream = 'Stdout' | 'Stderr' | 'System';

/** A piece of output in the order of arrival; `System` pieces are sentences of the server's own, as UTF-8. */
export interface OutputPiece {
  stream: OutputStream;
  bytes: Uint8Array;
}

/** Cause of a command's end. */
export type EndedBy =
  | 'exit'
  | 'timeout'
  | 'cancel'
  | 'stop'
  | 'output-limit'
  | 'memory-limit'
  | 'workspace-limit'
  | 'launch-failure';

export interface ExecResult {
  /** Null when the command never ran. */
  exitCode: number | null;
  endedBy: EndedBy;
  durationMs: number;
  /** Bytes of output passed on. */
  outputBytes: number;
  /** True when output beyond the limit was dropped. */
  truncated: boolean;
  /**
   * True when the kernel killed a process of the sandbox for want of memory, whether or not the command survived it.
   */
  outOfMemory: boolean;
}

export interface ExecutionOptions {
  timeoutMs: number;
  outputBytes: number;
  /** Grace time in ms between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Receives the output in order; the command waits while a returned promise is pending. */
  onOutput: (piece: OutputPiece) => void | Promise<void>;
  clock: Clock;
}

/** A running command. */
export interface Execution {
  readonly stdin: Writable | null;
  /** Settles when the command has ended and its output was passed on. Rejects only with an error of `onOutput`. */
  readonly result: Promise<ExecResult>;
  /** Ends the command: SIGTERM, then, after the grace, SIGKILL. Resolves with the result. */
  end(why: EndedBy, graceMs?: number): Promise<ExecResult>;
  /** Stops the time limit while the sandbox is paused. */
  holdTimeout(isHeld: boolean): void;
  resize?(columns: number, rows: number): Promise<void>;
}

/** Timeout in ms for the last output: after the process is gone, a stream holds at most one pipe's content. */
const drainMs = 10_000;

export function followExecution(process: DriverProcess, options: ExecutionOptions): Execution {
  const { clock, onOutput } = options;
  const startedAt = clock.steady();
  let cause: EndedBy | null = null;

  const end = (why: EndedBy, graceMs = options.graceMs) => {
    // A second call only matters if its grace is shorter than the first one's.
    if (cause === null || graceMs === 0) endProcess(process, graceMs, clock).catch(() => {});
    cause ??= why;
    return result;
  };
  const timeout = createTimeout(clock, options.timeoutMs, () => void end('timeout').catch(() => {}));
  const sources: Source[] = [{ stream: 'Stdout', readable: process.stdout }];
  if (process.stderr) sources.push({ stream: 'Stderr', readable: process.stderr });
  // A command that closes or never reads its input is no error.
  process.stdin?.on('error', () => {});

  const result = conclude();
  result.catch(() => {});
  return {
    stdin: process.stdin,
    result,
    end,
    holdTimeout: timeout.hold,
    ...(process.resize ? { resize: process.resize.bind(process) } : {}),
  };

  async function conclude(): Promise<ExecResult> {
    const progress = { bytes: 0, truncated: false };
    const pumped = pump(sources, options.outputBytes, progress, onOutput, () => void end('output-limit', 0));
    // An error of the sink ends the command; it surfaces below.
    pumped.catch(() => void end('cancel', 0));
    const exit = await process.exited;
    timeout.cancel();
    await withinDrainTime(pumped, sources, clock);
    const endedBy = exit.exitCode === null ? 'launch-failure' : (cause ?? whyExited(exit));
    const text = explain(endedBy, options, exit.failure);
    if (text) await onOutput({ stream: 'System', bytes: Buffer.from(text) });
    return {
      exitCode: exit.exitCode,
      endedBy,
      durationMs: clock.steady() - startedAt,
      outputBytes: progress.bytes,
      truncated: progress.truncated,
      outOfMemory: exit.outOfMemory,
    };
  }
}

const whyExited = (exit: { outOfMemory: boolean; exitCode: number | null }): EndedBy =>
  exit.outOfMemory && exit.exitCode !== 0 ? 'memory-limit' : 'exit';

async function endProcess(process: DriverProcess, graceMs: number, clock: Clock): Promise<void> {
  if (graceMs > 0) {
    await process.terminate();
    const grace = new AbortController();
    const isGone = process.exited.then(() => true);
    const isLate = clock.sleep(graceMs, grace.signal).then(
      () => false,
      () => true,
    );
    const ended = await Promise.race([isGone, isLate]);
    grace.abort();
    if (ended) return;
  }
  await process.kill();
}

interface Source {
  stream: OutputStream;
  readable: Readable;
}

/** Passes output of the sources on as it comes, until all have ended or the limit is reached. */
async function pump(
  sources: Source[],
  limit: number,
  progress: { bytes: number; truncated: boolean },
  onOutput: ExecutionOptions['onOutput'],
  onLimit: () => void,
): Promise<void> {
  const open = new Set(sources);
  let wake = () => {};
  for (const source of sources) {
    source.readable.on('readable', () => wake());
    for (const event of ['end', 'error', 'close']) {
      source.readable.on(event, () => {
        open.delete(source);
        wake();
      });
    }
  }
  while (open.size > 0) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let isIdle = true;
    for (const { stream, readable } of sources) {
      const chunk = readable.read() as Buffer | null;
      if (!chunk) continue;
      isIdle = false;
      if (progress.truncated) continue;
      const bytes = chunk.subarray(0, limit - progress.bytes);
      progress.bytes += bytes.length;
      if (bytes.length > 0) await onOutput({ stream, bytes });
      if (bytes.length < chunk.length) {
        progress.truncated = true;
        onLimit();
      }
    }
    if (isIdle) await woken;
  }
}

async function withinDrainTime(pumped: Promise<void>, sources: Source[], clock: Clock): Promise<void> {
  const done = new AbortController();
  const late = clock.sleep(drainMs, done.signal).then(
    () => {
      for (const { readable } of sources) readable.destroy();
    },
    () => {},
  );
  try {
    await Promise.race([pumped, late]);
  } finally {
    done.abort();
  }
}

/** Sentence about an unusual end, for people and models; none for an ordinary exit. */
function explain(endedBy: EndedBy, options: ExecutionOptions, failure: string | null): string | null {
  switch (endedBy) {
    case 'exit':
      return null;
    case 'timeout':
      return `The command was ended after ${options.timeoutMs / 1000} s, its time limit.\n`;
    case 'cancel':
      return 'The command was cancelled.\n';
    case 'stop':
      return 'The command was ended because its sandbox was stopped.\n';
    case 'output-limit':
      return `The output was cut after ${options.outputBytes} bytes, its limit, and the command was ended.\n`;
    case 'memory-limit':
      return 'The command was killed because the sandbox ran out of memory.\n';
    case 'workspace-limit':
      return 'The command was ended because the workspace is full.\n';
    case 'launch-failure':
      return `The command could not be started. ${failure ?? ''}\n`;
    default:
      return endedBy satisfies never;
  }
}

/** A timeout that can be paused and continues with the remaining time. */
function createTimeout(clock: Clock, ms: number, run: () => void) {
  let left = ms;
  let since = clock.steady();
  let stop = clock.after(ms, run);
  let isHeld = false;
  let isOver = false;
  return {
    cancel: () => {
      isOver = true;
      stop();
    },
    hold: (hold: boolean) => {
      if (isOver || hold === isHeld) return;
      isHeld = hold;
      stop();
      if (hold) left -= clock.steady() - since;
      else {
        since = clock.steady();
        stop = clock.after(Math.max(0, left), run);
      }
    },
  };
}

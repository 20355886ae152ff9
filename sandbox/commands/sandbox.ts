// A sandbox as the rest of the server uses it: commands with limits, pause, idle stop and an end, over any driver.
import type { Clock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type DiskUsage, diskRoom, diskUsage, isPast } from '../disk/disk-usage.ts';
import { namelessUsage } from '../disk/open-files.ts';
import type { DriverSandbox, SandboxDriver, SandboxSpec, SandboxStats, StartRequest } from '../drivers/driver.ts';
import { type Execution, type ExecutionOptions, followExecution } from './execution.ts';

export interface ExecRequest extends Omit<StartRequest, 'stdin'> {
  /** Bytes of the standard input, or `open` for a caller that writes to `execution.stdin`. Empty when absent. */
  stdin?: Uint8Array | 'open';
  /** Timeout in ms, capped by the sandbox's limit. */
  timeoutMs?: number;
  outputBytes?: number;
  graceMs?: number;
  /** Ends the command when aborted. */
  signal?: AbortSignal;
  /** Receives the output in order; the command waits while a returned promise is pending. */
  onOutput: ExecutionOptions['onOutput'];
}

export type SandboxState = 'ready' | 'paused' | 'stopped' | 'destroyed';

const defaultGraceMs = 2_000;
/** Interval in ms between two readings of the free disk space, which cost nothing. */
const glanceMs = 100;
/** Least interval in ms between two counts of the files; the factor below keeps counting under a tenth of the time. */
const shortestPollMs = 250;
const pollShare = 10;
/** Share of a limit whose sudden loss on the disk triggers a count at once; so does the loss of all that was left. */
const suddenShare = 0.1;
/**
 * Factor over its limit at which a sandbox starts no command any more: each could write something before it is
 * ended.
 */
const refusedFactor = 2;
const refusedMore: DiskUsage = { bytes: 256 * 1024 * 1024, files: 20_000 };
/** Counting stops at this many times the limit. */
const countFactor = 4;

/** Creates a sandbox with a driver. Throws the errors of `driver.create`. */
export async function openSandbox(driver: SandboxDriver, spec: SandboxSpec, clock: Clock): Promise<Sandbox> {
  return new Sandbox(await driver.create(spec), spec, clock);
}

export class Sandbox {
  readonly id: string;
  readonly spec: SandboxSpec;
  readonly #driver: DriverSandbox;
  readonly #clock: Clock;
  readonly #running = new Set<Execution>();
  #isStopped = false;
  #isDestroyed = false;
  #isPausedByCaller = false;
  /** Number of operations that need the sandbox paused. */
  #holds = 0;
  readonly #waiting: (() => void)[] = [];
  /** Starts in flight: the driver knows of their commands once they are done, so a pause waits for them. */
  readonly #starting = new Set<Promise<unknown>>();
  #isFrozen = false;
  #freezing: Promise<void> = Promise.resolve();
  #stopIdle = () => {};
  /** The stop in progress. */
  #stopping: Promise<void> | null = null;
  #isPolling = false;
  /** Disk usage as last counted. */
  #used: DiskUsage = { bytes: 0, files: 0 };
  readonly #roomOf: typeof diskRoom;

  constructor(driver: DriverSandbox, spec: SandboxSpec, clock: Clock, roomOf = diskRoom) {
    this.#roomOf = roomOf;
    this.id = spec.id;
    this.spec = spec;
    this.#driver = driver;
    this.#clock = clock;
    this.#armIdleStop();
  }

  get state(): SandboxState {
    if (this.#isDestroyed) return 'destroyed';
    if (this.#isPausedByCaller) return 'paused';
    return this.#isStopped ? 'stopped' : 'ready';
  }

  /** Number of running commands. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Starts a command. Throws Fault NOT_READY when the sandbox is paused or gone, QUOTA_EXCEEDED when it is overfull.
   */
  async exec(request: ExecRequest): Promise<Execution> {
    request.signal?.throwIfAborted();
    await this.#requireSpace();
    // Earlier commands may have written after the last count: their bytes must not count against this one.
    if (this.#running.size === 0 && isPast(this.#used, this.#limit)) this.#used = await this.#count();
    await this.#settled();
    this.#requireReady();
    this.#stopIdle();
    const { limits } = this.spec;
    const { stdin, onOutput, signal, timeoutMs, outputBytes, graceMs, ...start } = request;
    const process = await this.#start({ ...start, stdin: stdin ?? null });
    this.#isStopped = false;
    const execution = followExecution(process, {
      timeoutMs: Math.min(timeoutMs ?? limits.commandTimeoutMs, limits.commandTimeoutMs),
      outputBytes: Math.min(outputBytes ?? limits.outputBytes, limits.outputBytes),
      graceMs: graceMs ?? defaultGraceMs,
      onOutput,
      clock: this.#clock,
    });
    this.#track(execution, signal);
    return execution;
  }

  /**
   * Resolves when nothing holds commands up: one that is started during a stop would be ended with the rest, and a
   * sandbox that is paused, or still on its way out of a pause, starts none. Nothing may be awaited between this and the
   * start.
   */
  async #settled(): Promise<void> {
    for (let freezing: Promise<void> | null = null; freezing !== this.#freezing; ) {
      while (this.#holds > 0 || this.#stopping)
        await (this.#stopping?.catch(() => {}) ?? new Promise<void>((resolve) => this.#waiting.push(resolve)));
      freezing = this.#freezing;
      await freezing;
    }
  }

  stats(): Promise<SandboxStats> {
    return this.#driver.stats();
  }

  /**
   * Space used by the workspace and the sandbox's temporary files, also by those that were deleted while a process
   * holds
   * them open. Stops counting at `most`.
   */
  async diskUsage(most?: DiskUsage): Promise<DiskUsage> {
    const { directories } = this.#driver;
    const each = await Promise.all(directories.map((directory) => diskUsage(directory, most)));
    const named = together(each);
    if (this.#running.size === 0 || (most && isPast(named, most))) return named;
    return together([named, await namelessUsage(await this.#driver.processIds(), directories, most)]);
  }

  /** Pauses every process; their time limits pause too. */
  pause(): Promise<void> {
    this.#isPausedByCaller = true;
    return this.#settleFreeze();
  }

  resume(): Promise<void> {
    this.#isPausedByCaller = false;
    return this.#settleFreeze();
  }

  /**
   * Runs `work` while nothing in the sandbox can move: the way to read or write its workspace from outside without a
   * race against its processes. New commands wait. Calls may overlap.
   */
  async whilePaused<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#holds += 1;
    try {
      await this.#settleFreeze();
      return await work();
    } finally {
      this.#holds -= 1;
      await this.#settleFreeze().finally(() => {
        if (this.#holds === 0) for (const go of this.#waiting.splice(0)) go();
      });
    }
  }

  /** Ends every command and frees what an idle sandbox holds; the next command revives it. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = null;
    });
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#stopIdle();
    await this.resume();
    this.#isStopped = true;
    await Promise.allSettled([...this.#running].map((execution) => execution.end('stop')));
    await this.#driver.stop();
  }

  /** Ends every command and removes everything but the workspace. */
  async destroy(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#stopIdle();
    this.#isDestroyed = true;
    await this.resume();
    const ended = [...this.#running].map((execution) => execution.end('stop', 0));
    await this.#driver.destroy();
    await Promise.allSettled(ended);
  }

  async #start(request: StartRequest) {
    const starting = this.#driver.start(request);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  #track(execution: Execution, signal: AbortSignal | undefined): void {
    const abort = () => void execution.end('cancel').catch(() => {});
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    this.#running.add(execution);
    const forget = () => {
      this.#running.delete(execution);
      signal?.removeEventListener('abort', abort);
      if (this.#running.size === 0) this.#armIdleStop();
    };
    void execution.result.then(forget, forget);
    if (this.#isDestroyed) void execution.end('stop', 0).catch(() => {});
    void this.#pollDisk();
  }

  #armIdleStop(): void {
    this.#stopIdle();
    if (this.#isDestroyed || this.#isStopped) return;
    this.#stopIdle = this.#clock.after(this.spec.limits.idleStopMs, () => {
      if (this.#running.size === 0) void this.stop().catch(() => {});
    });
  }

  /** Brings the driver to the state that callers want, one change at a time. A pause that fails changes nothing. */
  #settleFreeze(): Promise<void> {
    const change = async () => {
      const isWanted = () => !this.#isDestroyed && (this.#isPausedByCaller || this.#holds > 0);
      if (isWanted() && !this.#isFrozen) await Promise.allSettled(this.#starting);
      const isPause = isWanted();
      if (isPause === this.#isFrozen) return;
      if (isPause) await this.#driver.pause();
      this.#isFrozen = isPause;
      for (const execution of this.#running) execution.holdTimeout(isPause);
      if (!isPause) await this.#driver.resume();
    };
    const done = this.#freezing.then(change);
    this.#freezing = done.catch(() => {});
    return done;
  }

  #requireReady(): void {
    if (this.state === 'ready' || this.state === 'stopped') return;
    throw new Fault('NOT_READY', `The sandbox ${this.id} is ${this.state}.`, {
      hint: this.#isDestroyed ? 'Open a new sandbox for the run.' : 'Resume it first.',
    });
  }

  get #limit(): DiskUsage {
    return { bytes: this.spec.limits.workspaceBytes, files: this.spec.limits.workspaceFiles };
  }

  async #count(): Promise<DiskUsage> {
    const { bytes, files } = this.#limit;
    // A folder that vanishes during the count must not end the watch.
    return this.diskUsage({ bytes: bytes * countFactor, files: files * countFactor }).catch(() => this.#used);
  }

  async #requireSpace(): Promise<void> {
    const isOverfull = () =>
      (['bytes', 'files'] as const).some(
        (what) => this.#used[what] > this.#limit[what] * refusedFactor + refusedMore[what],
      );
    if (!isOverfull()) return;
    // Files may have been deleted since.
    this.#used = await this.#count();
    if (!isOverfull()) return;
    throw new Fault('QUOTA_EXCEEDED', `The sandbox ${this.id} holds far more than it may.`, {
      hint: 'Delete files of the workspace through the API, or start another run.',
    });
  }

  /** Ends commands while a full disk keeps growing; a command that deletes files may continue. */
  async #pollDisk(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let last: { room: DiskUsage; next: number } | null = null;
    while (this.#running.size > 0) {
      const room = await this.#roomOf(this.spec.workspace);
      const isSudden = last !== null && this.#isSudden(last.room, room);
      const before = this.#clock.steady();
      if (last === null || isSudden || before >= last.next) {
        // Fast growth would outrun the count, so the sandbox is paused, unless its container is gone already.
        const count = () => this.#count();
        this.#endIfFull(await (isSudden ? this.whilePaused(count).catch(count) : count()));
        const now = this.#clock.steady();
        last = { room, next: now + Math.max(shortestPollMs, (now - before) * pollShare) };
      }
      await this.#wait(glanceMs);
    }
    this.#isPolling = false;
  }

  /** Whether the disk lost so much that this sandbox alone may have exceeded its limit. */
  #isSudden(before: DiskUsage, now: DiskUsage): boolean {
    return (['bytes', 'files'] as const).some((what) => {
      const limit = this.#limit[what];
      return before[what] - now[what] > Math.max(limit - this.#used[what], limit * suddenShare);
    });
  }

  #endIfFull(used: DiskUsage): void {
    const limit = this.#limit;
    const before = this.#used;
    const most = { bytes: Math.max(limit.bytes, before.bytes), files: Math.max(limit.files, before.files) };
    this.#used = used;
    if (isPast(used, most))
      for (const execution of this.#running) void execution.end('workspace-limit', 0).catch(() => {});
  }

  /** Waits without keeping the process alive. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }
}

const together = (each: readonly DiskUsage[]): DiskUsage => ({
  bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
  files: each.reduce((sum, { files }) => sum + files, 0),
});

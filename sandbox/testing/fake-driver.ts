// A driver for tests that need no processes: what commands do is scripted by hand.
import { PassThrough } from 'node:stream';
import type { DriverProcess, DriverSandbox, ProcessExit, StartRequest } from '../drivers/driver.ts';

/** A command under the test's control. It obeys SIGTERM only if told so. */
export class FakeProcess implements DriverProcess {
  readonly stdout = new PassThrough({ highWaterMark: 1024 });
  readonly stderr = new PassThrough({ highWaterMark: 1024 });
  readonly stdin = null;
  readonly signals: string[] = [];
  readonly exited: Promise<ProcessExit>;
  obeys = false;
  #exit: (exit: ProcessExit) => void = () => {};

  constructor() {
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
  }

  exit(exitCode: number | null, more: Partial<ProcessExit> = {}): void {
    this.stdout.end();
    this.stderr.end();
    this.#exit({ exitCode, outOfMemory: false, failure: null, ...more });
  }

  async terminate(): Promise<void> {
    this.signals.push('TERM');
    if (this.obeys) this.exit(143);
  }

  async kill(): Promise<void> {
    this.signals.push('KILL');
    this.exit(137);
  }
}

/** A sandbox that records what is asked of it. */
export class FakeSandbox implements DriverSandbox {
  readonly id = 'fake';
  /** How often somebody asked what to count. */
  looks = 0;
  readonly #directories: string[];
  readonly calls: string[] = [];
  readonly processes: FakeProcess[] = [];
  /** A stop takes until this resolves. */
  stopping = Promise.resolve();
  /** A resume takes until this resolves. */
  resuming = Promise.resolve();
  /** A start takes until this resolves. */
  starting = Promise.resolve();
  /** A pause fails with this. */
  pauseFault: Error | null = null;

  constructor(directories: string[]) {
    this.#directories = directories;
  }

  get directories(): string[] {
    this.looks += 1;
    return this.#directories;
  }

  async start(request: StartRequest): Promise<FakeProcess> {
    this.calls.push(`start ${request.argv.join(' ')}`);
    await this.starting;
    const process = new FakeProcess();
    this.processes.push(process);
    return process;
  }

  async stats() {
    return { memoryBytes: 0, cpuMs: 0, processes: this.processes.length };
  }

  async processIds() {
    return [];
  }

  async pause(): Promise<void> {
    this.calls.push('pause');
    if (this.pauseFault) throw this.pauseFault;
  }

  async resume(): Promise<void> {
    this.calls.push('resume');
    await this.resuming;
  }

  async stop(): Promise<void> {
    this.calls.push('stop');
    await this.stopping;
  }

  async destroy(): Promise<void> {
    this.calls.push('destroy');
  }
}

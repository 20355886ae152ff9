// Named pipes for the output of commands: unlike the sockets that Node makes, they can be reopened as /dev/stdout.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A pipe in use: the server's end as a stream, the command's end as a descriptor to pass to `spawn` and then close. */
export interface Pipe {
  stream: Readable;
  theirs: number;
  /** Returns the pipe to the pool once both ends are closed. */
  release(): void;
}

/** Pool of pipes in a directory that only the server can enter; made in batches and reused. */
export class Fifos {
  readonly #directory: string;
  #free: string[] = [];
  #making: Promise<void> | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async reader(): Promise<Pipe> {
    const path = await this.#take();
    // Holding both ends keeps the pipe from looking closed before the command has its own.
    const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const theirs = openSync(path, constants.O_WRONLY);
    closeSync(both);
    const stream = new Socket({ fd: ours, readable: true, writable: false });
    return { stream, theirs, release: () => this.#free.push(path) };
  }

  async #take(): Promise<string> {
    for (;;) {
      const path = this.#free.pop();
      if (path) return path;
      this.#making ??= this.#make().finally(() => {
        this.#making = null;
      });
      await this.#making;
    }
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: 24 }, () => join(this.#directory, randomUUID()));
    await run('mkfifo', ['-m', '600', ...paths], { env: { PATH: '/usr/bin:/bin' } });
    // The sandbox's user may reopen its own ends; nobody else can enter the directory.
    for (const path of paths) chmodSync(path, 0o666);
    this.#free.push(...paths);
  }
}

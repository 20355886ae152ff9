// MCP over the standard streams of a program that stands in a sandbox: one message a line.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Program, ProgramSpec, Programs } from '../../ports/programs.ts';

export type ProgramOf = Pick<ProgramSpec, 'tenantId' | 'name' | 'command' | 'env'>;

export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it ended, for people; null while it runs. */
  ended: string | null = null;
  readonly #programs: Programs;
  readonly #of: ProgramOf;
  #program: Program | null = null;
  #isClosed = false;

  constructor(programs: Programs, of: ProgramOf) {
    this.#programs = programs;
    this.#of = of;
  }

  async start(): Promise<void> {
    this.#program = await this.#programs.start({
      ...this.#of,
      onLine: (line) => this.#take(line),
      onEnd: (why) => {
        this.ended = why;
        this.onclose?.();
      },
    });
    // The transport was closed while the program started.
    if (this.#isClosed) await this.#program.end();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#program?.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#program?.end();
  }

  /** What is no message is no reason to end: programs print to the wrong stream. */
  #take(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.onerror?.(new Error('a line is no message'));
      return;
    }
    if (typeof message === 'object' && message !== null) this.onmessage?.(message as JSONRPCMessage);
  }
}

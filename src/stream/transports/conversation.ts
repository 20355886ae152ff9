// Commands of one socket in order; calls and publications run in parallel, all others one after the other.
import { Fault } from '../../kernel/fault.ts';
import type { Connection } from '../connections/connection.ts';
import { type Command, type CommandDeps, failure, type Reply, readCommand, runCommand } from './commands.ts';

export type Answer = (reply: Reply) => void;

/** Commands that may take long and do not change the socket's subscriptions. */
const independent = new Set(['Call', 'Publish', 'Ack', 'Ping', 'Pong']);

export class Conversation {
  readonly #deps: CommandDeps;
  readonly #connection: Connection;
  readonly #tooMany: () => void;
  #last: Promise<unknown> | null = null;
  #tokens: number;
  #filledAt: number;

  constructor(deps: CommandDeps, connection: Connection, tooMany: () => void) {
    this.#deps = deps;
    this.#connection = connection;
    this.#tooMany = tooMany;
    this.#tokens = deps.connections.limits.commandBurst;
    this.#filledAt = connection.heardAt;
  }

  /** Handles one frame; `answer` receives the reply, if any. */
  take(frame: unknown, answer: Answer): void {
    this.#connection.messagesIn++;
    this.#connection.seen();
    if (!this.#allow(this.#connection.heardAt)) {
      this.#tooMany();
      return;
    }
    const command = readCommand(frame);
    if (command instanceof Fault) answer(failure(command, idOf(frame)));
    else this.#run(command, answer);
  }

  #run(command: Command, answer: Answer): void {
    const run = async () => {
      try {
        const reply = await runCommand(this.#deps, this.#connection, command);
        if (reply && !this.#connection.closed) answer(reply);
      } catch (error) {
        // The socket may just have closed; later commands are still handled.
        this.#deps.log.warn({ err: error, op: command.op }, 'a command could not be answered');
      }
    };
    if (independent.has(command.op)) {
      void run();
      return;
    }
    const last = this.#last === null ? run() : this.#last.then(run);
    this.#last = last;
    void last.then(() => {
      if (this.#last === last) this.#last = null;
    });
  }

  #allow(now: number): boolean {
    const { commandsPerSecond, commandBurst } = this.#deps.connections.limits;
    const earned = ((now - this.#filledAt) / 1000) * commandsPerSecond;
    this.#tokens = Math.min(commandBurst, this.#tokens + earned);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** Parses JSON text; undefined when invalid, which no command is. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const idOf = (frame: unknown): string | null =>
  typeof frame === 'object' && frame !== null && 'id' in frame && typeof frame.id === 'string' ? frame.id : null;

// A program that uses a client: it carries out one flow after the other, a JSON line in, a JSON line out.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
export type Told = any;

export interface Program {
  /** Begins a flow; what it says next is `next()`. */
  begin(flow: string, options?: object): void;
  next(): Promise<Told>;
  /** Carries out a flow that says one thing. */
  do(flow: string, options?: object): Promise<Told>;
  stop(): void;
}

export async function startProgram(
  command: string,
  args: string[],
  environment: Record<string, string>,
): Promise<Program> {
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complained = '';
  child.stderr.on('data', (data) => {
    complained = (complained + data).slice(-4_000);
  });
  const next = async (): Promise<Told> => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`${command} ${args.join(' ')} ended: ${complained}`);
    return JSON.parse(value);
  };
  const begin = (flow: string, options: object = {}) =>
    void child.stdin.write(`${JSON.stringify({ flow, ...options })}\n`);
  await next();
  return {
    begin,
    next,
    do: (flow, options) => {
      begin(flow, options);
      return next();
    },
    stop: () => void child.kill(),
  };
}

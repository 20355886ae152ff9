// Starts a peer that is a program of its own on a core of its own, and waits until it listens.
import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { pin } from '../../machine.ts';

/** The core of the server under test; the publisher and the load generator share the other. */
export const serverCore = 0;

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return typeof address === 'object' && address ? address.port : 0;
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

export interface Program {
  pid: number;
  stop(): Promise<void>;
}

interface Options {
  ports: readonly number[];
  cwd?: string;
  environment?: Record<string, string>;
}

/** Starts a program; resolves when all of its ports take connections. */
export async function startProgram(command: string, words: readonly string[], options: Options): Promise<Program> {
  const child: ChildProcess = spawn(command, words, {
    stdio: 'ignore',
    ...(options.cwd ? { cwd: options.cwd } : {}),
    env: { PATH: process.env.PATH, ...options.environment },
  });
  pin(child.pid, serverCore);
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const kill = () => void child.kill('SIGTERM');
  process.once('exit', kill);
  for (const port of options.ports) {
    while (!(await listens(port))) {
      if (ended || !child.pid) throw new Error(`${command} did not start`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      process.removeListener('exit', kill);
      if (ended) return;
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      kill();
      await gone;
    },
  };
}

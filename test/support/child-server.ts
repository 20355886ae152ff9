// The built server as a child process that tests can kill, on a folder and port that outlive it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { asOneFile, buildChild } from './child/build.ts';
import { putEmptyStore } from './empty-store.ts';

const root = resolve(import.meta.dirname, '../..');
export const adminKey = 'rvt_child-server-administrator-key-0123456789';

export interface ChildServer {
  readonly baseUrl: string;
  readonly port: number;
  readonly key: string;
  /** Where it keeps its data. */
  readonly folder: string;
  /** Of its process, while it is running. */
  readonly pid: number;
  /** Everything that the server printed so far. */
  readonly output: string;
  start(): Promise<void>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for the end; answers the exit code. */
  stop(): Promise<number | null>;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

/** What the server logs of an unhandled rejection (src/main.ts). */
const leftAlone = 'a promise was left alone';

/**
 * A port that is free now, below those that the system gives to outgoing connections: while the server is down, a
 * client that keeps trying to reach it could otherwise be given that very port for its own end.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const free = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => done(true));
    });
    if (!free) continue;
    await new Promise<void>((done) => server.close(() => done()));
    return port;
  }
}

/** Prepares a server; `start` runs it, by these arguments of Node, after the words of a command that runs another. */
export async function createChildServer(
  environment: Record<string, string> = {},
  program: readonly string[] = asOneFile,
  before: readonly string[] = [],
): Promise<ChildServer> {
  await buildChild(program);
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-child-'));
  if (!environment.RIVULET_DATA && !environment.MONGODB_URI) await putEmptyStore(folder);
  const port = await freePort();
  let child: ChildProcess | null = null;
  let output = '';

  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return running?.exitCode ?? null;
    const exit = new Promise<number | null>((done) => running.once('exit', (code) => done(code)));
    running.kill(signal);
    return exit;
  };

  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    key: adminKey,
    folder,
    get pid() {
      return child?.pid ?? 0;
    },
    get output() {
      return output;
    },
    start: async () => {
      const [command, ...words] = [...before, process.execPath, ...program];
      const started = spawn(command as string, words, {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          RIVULET_PORT: String(port),
          RIVULET_DATA: folder,
          RIVULET_ADMIN_KEY: adminKey,
          RIVULET_LOG: 'warn',
          RIVULET_SANDBOX: 'off',
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      await new Promise<void>((ready, failed) => {
        const read = (chunk: Buffer) => {
          output += chunk;
          if (String(chunk).includes('ready on ')) ready();
        };
        started.stdout?.on('data', read);
        started.stderr?.on('data', read);
        started.once('exit', (code) => failed(new Error(`the server ended with ${code}:\n${output}`)));
      });
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    close: async () => {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
      // Whatever a test is about, no promise of the server may fail without anybody to hear of it.
      if (output.includes(leftAlone)) throw new Error(`the server left a promise alone:\n${output}`);
    },
  };
}

// Rivulet as `npm start` runs it, in a process and a folder of its own.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, startFlags } from './bundle.ts';

/** The key of whoever may do everything. */
export const adminKey = 'rvt_key-of-the-benchmark-0123456789012';

export interface RunningRivulet {
  pid: number;
  url: string;
  folder: string;
  /** Resolves when the process has ended and its folder is removed. */
  stop(): Promise<void>;
}

/** Built once, when the first server starts. */
let program: Promise<string> | undefined;

/** Starts a server; of this process's environment it gets nothing but the path. */
export async function startRivulet(environment: Record<string, string> = {}): Promise<RunningRivulet> {
  program ??= bundle(join(import.meta.dirname, 'rivulet-server.ts'));
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
  const child = fork(await program, [], {
    execArgv: startFlags(),
    env: {
      PATH: process.env.PATH,
      RIVULET_DATA: folder,
      RIVULET_PORT: '0',
      RIVULET_ADMIN_KEY: adminKey,
      RIVULET_SANDBOX: 'off',
      ...environment,
    },
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const stop = async () => {
    child.disconnect();
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  return { pid: child.pid ?? 0, url, folder, stop };
}

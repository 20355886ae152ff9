// Finds the server that the demo talks to: one that runs already, or one of the demo's own on a temporary folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CommandError, exitCodes } from './failures.ts';

export interface DemoServer {
  baseUrl: string;
  key: string;
  own: boolean;
  stop(): Promise<void>;
}

/** True when a Rivulet server answers at `baseUrl`. */
export async function answers(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/api/system/info`, { signal: AbortSignal.timeout(1500) });
    const body = (await response.json()) as { data?: { name?: string } };
    return body.data?.name === 'Rivulet';
  } catch {
    return false;
  }
}

/** Starts the built server on a free port with a folder of its own; `stop` removes both. */
export async function startOwn(mainFile: string, environment: Record<string, string | undefined>): Promise<DemoServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-demo-')).catch((cause: Error) => {
    throw new CommandError(`A folder for the demo cannot be made: ${cause.message}. Name another place with TMPDIR.`);
  });
  const key = `rvt_${randomBytes(24).toString('base64url')}`;
  const child = spawn(process.execPath, [mainFile], {
    env: { ...environment, RIVULET_DATA: folder, RIVULET_PORT: '0', RIVULET_HOST: '127.0.0.1', RIVULET_ADMIN_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A reader that closes the output, or the end of the terminal, ends this process in the middle: nothing of it stays.
  const drop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const leave = () => process.exit(exitCodes.interrupted);
  process.once('exit', drop).once('SIGTERM', leave).once('SIGHUP', leave);
  const stop = async () => {
    await ended(child);
    await rm(folder, { recursive: true, force: true });
    process.off('exit', drop).off('SIGTERM', leave).off('SIGHUP', leave);
  };
  try {
    return { baseUrl: await address(child), key, own: true, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads the address from the line that the server prints when it is ready. */
async function address(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no output');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const found = /ready on (http\S+)/.exec(line)?.[1];
    if (!found) continue;
    lines.close();
    child.stdout.resume();
    return found;
  }
  throw new Error('The server ended before it was ready.');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exit;
}

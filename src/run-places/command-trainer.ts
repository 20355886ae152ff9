// A trainer that is a command of the operator's, in a sandbox of its own: a dataset goes in, weights and figures come out.
import { createWriteStream } from 'node:fs';
import { chown, constants, lstat, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openSandbox } from '../../sandbox/commands/sandbox.ts';
import type { DriverChoice } from '../../sandbox/drivers/choose-driver.ts';
import { resolveLimits, type SandboxLimits } from '../../sandbox/limits.ts';
import { type SandboxUser, sandboxUser } from '../../sandbox/user.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Trained, Trainer, TrainingJob } from '../ports/trainer.ts';

interface Deps {
  /** For `sh -c`. */
  command: string;
  driver: DriverChoice;
  /** Where the folders of training runs are. */
  folder: string;
  /** What the operator grants to the role `trainer`. */
  limits: Partial<SandboxLimits>;
  clock: Clock;
}

const gibibyte = 1024 ** 3;
/** What training takes unless the operator says otherwise: a day, four gibibytes, twenty on disk. */
const trainersLimits: Partial<SandboxLimits> = {
  ...{ commandTimeoutMs: 86_400_000, memoryBytes: 4 * gibibyte, workspaceBytes: 20 * gibibyte },
  ...{ fileBytes: 10 * gibibyte, cpus: 2, pids: 512, outputBytes: 64 * 1024 * 1024, idleStopMs: 600_000 },
};
/** Characters of what the command said last that are told of its failure. */
const saidLast = 2000;
const mostMetricsBytes = 64_000;
const inside = {
  RIVULET_DATASET: '/workspace/dataset.jsonl',
  RIVULET_RUN: '/workspace/run.json',
  RIVULET_OUTPUT: '/workspace/output',
};

export function createCommandTrainer(deps: Deps): Trainer {
  return {
    isLocal: true,
    async train(job, signal) {
      try {
        return await train(deps, job, signal);
      } catch (error) {
        if (signal.aborted)
          return { kind: 'failed', error: `The trainer was stopped: ${String(signal.reason?.message)}.` };
        if (error instanceof Fault) return { kind: 'failed', error: error.text };
        throw error;
      }
    },
  };
}

async function train(deps: Deps, job: TrainingJob, signal: AbortSignal): Promise<Trained> {
  const { driver, limits, clock, command, folder } = deps;
  const id = `training-${job.runId}`;
  const workspace = join(folder, `${job.tenantId}-${job.key}`);
  const user = sandboxUser(id);
  await furnish(workspace, user, job);
  const spec = { id, workspace, user, limits: resolveLimits({ ...trainersLimits, ...limits }) };
  const sandbox = await openSandbox(driver.require(), spec, clock);
  let said = '';
  try {
    const execution = await sandbox.exec({
      argv: ['sh', '-c', command],
      env: inside,
      timeoutMs: spec.limits.commandTimeoutMs,
      signal,
      onOutput: ({ bytes }) => {
        said = (said + Buffer.from(bytes).toString('utf8')).slice(-saidLast);
      },
    });
    const { exitCode, endedBy } = await execution.result;
    signal.throwIfAborted();
    if (exitCode !== 0 || endedBy !== 'exit') {
      const how = endedBy === 'exit' ? `exit code ${exitCode}` : endedBy;
      return { kind: 'failed', error: `The trainer ended with ${how}.\n${said.replaceAll('\0', '')}`.trim() };
    }
  } finally {
    await sandbox.destroy();
    // What people said has no place beside weights.
    await rm(join(workspace, 'dataset.jsonl'), { force: true });
  }
  return outputOf(join(workspace, 'output'));
}

/** The folder that the command works in, which is its user's. */
async function furnish(workspace: string, user: SandboxUser, job: TrainingJob): Promise<void> {
  await rm(workspace, { recursive: true, force: true });
  const output = join(workspace, 'output');
  await mkdir(output, { recursive: true, mode: 0o755 });
  const files = { dataset: join(workspace, 'dataset.jsonl'), run: join(workspace, 'run.json') };
  await pipeline(Readable.from(job.lines()), createWriteStream(files.dataset));
  const about = { ...(job.run as Record<string, unknown>), dataset: job.dataset };
  await writeFile(files.run, `${JSON.stringify(about, null, 2)}\n`);
  if (user.isDedicated)
    for (const path of [workspace, output, ...Object.values(files)]) await chown(path, user.uid, user.gid);
}

/** What the command has left: all of it is the adapter; metrics.json are its figures. Links are not followed. */
async function outputOf(output: string): Promise<Trained> {
  const place = await lstat(output).catch(() => null);
  const names = place?.isDirectory() ? await readdir(output) : [];
  const metricsJson = names.includes('metrics.json') ? await metricsOf(join(output, 'metrics.json')) : null;
  const adapterOutputPath = names.some((name) => name !== 'metrics.json') ? output : null;
  return { kind: 'trained', adapterOutputPath, metricsJson };
}

async function metricsOf(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (!file) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(mostMetricsBytes + 1), 0, mostMetricsBytes + 1, 0);
    if (bytesRead > mostMetricsBytes) return null;
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    JSON.parse(text);
    return text;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

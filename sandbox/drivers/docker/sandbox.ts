// One Docker sandbox: a container that is created on demand and removed when it idles.
import { stat } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { Container } from 'dockerode';
import type { Clock } from '../../../src/kernel/clock.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import { sameNamespace } from '../../disk/open-files.ts';
import type { DriverSandbox, StartRequest } from '../driver.ts';
import { type ContainerContext, containerOptions } from './container-options.ts';
import { startExec } from './exec.ts';
import { isMissing } from './missing.ts';

interface Running {
  container: Container;
  /** Connection to the container's first process, which ends with it. */
  lifeline: Duplex;
}

/** Makes a sandbox and starts its container. */
export async function createDockerSandbox(
  docker: Docker,
  context: ContainerContext,
  clock: Clock,
): Promise<DriverSandbox> {
  const { spec } = context;
  let running: Promise<Running> | null = null;
  const hasProxy = spec.proxyDirectory !== undefined;
  let isDestroyed = false;

  const ensure = () => {
    running ??= startContainer(docker, context).catch((error: unknown) => {
      running = null;
      throw error;
    });
    return running;
  };
  const stop = async () => {
    const now = await running?.catch(() => null);
    running = null;
    if (!now) return;
    await removeContainer(now.container, clock);
    now.lifeline.destroy();
  };
  const now = async () => (await running?.catch(() => null))?.container ?? null;
  await ensure();

  return {
    id: spec.id,
    directories: [spec.workspace],
    start: async (request: StartRequest) => {
      if (isDestroyed) throw new Fault('NOT_READY', `The sandbox ${spec.id} is gone.`, { hint: 'Open a new one.' });
      const start = async () =>
        startExec({ container: (await ensure()).container, hasProxy, clock, killContainer: stop }, request);
      return start().catch(async (error: unknown) => {
        // The container may have been killed from outside: one new container is tried.
        const found = await (await now())?.inspect().catch(() => null);
        if (found?.State.Running) {
          throw new Fault('NOT_READY', 'The sandbox can’t start another command now.', {
            hint: 'End what runs in it, or wait until it has ended.',
            cause: error,
          });
        }
        await stop();
        return start();
      });
    },
    stats: async () => {
      const stats = await (await now())?.stats({ stream: false, 'one-shot': true });
      return {
        memoryBytes: stats?.memory_stats.usage ?? 0,
        cpuMs: (stats?.cpu_stats.cpu_usage.total_usage ?? 0) / 1e6,
        processes: stats?.pids_stats?.current ?? 0,
      };
    },
    processIds: async () => {
      const pid = (await (await now())?.inspect().catch(() => null))?.State.Pid;
      return pid && (await isOnThisHost(pid, spec.workspace)) ? sameNamespace(pid) : [];
    },
    pause: async () => {
      await (await now())?.pause();
    },
    resume: async () => {
      await (await now())?.unpause();
    },
    stop,
    destroy: async () => {
      isDestroyed = true;
      await stop();
    },
  };
}

/** Whether a pid is a process of this host: an engine elsewhere names processes of its own host. */
async function isOnThisHost(pid: number, workspace: string): Promise<boolean> {
  const [inside, outside] = await Promise.all(
    [`/proc/${pid}/root/workspace`, workspace].map((path) => stat(path).catch(() => null)),
  );
  return inside != null && outside != null && inside.dev === outside.dev && inside.ino === outside.ino;
}

async function startContainer(docker: Docker, context: ContainerContext): Promise<Running> {
  const container = await docker.createContainer(containerOptions(context));
  try {
    const lifeline = (await container.attach({ stream: true, stdin: true, hijack: true })) as Duplex;
    lifeline.on('error', () => {});
    await container.start();
    return { container, lifeline };
  } catch (error) {
    await container.remove({ force: true, v: true }).catch(() => {});
    throw error;
  }
}

const removeTries = 10;

/** Kills and removes a container; retries, since some engines refuse while it is ending by itself. */
export async function removeContainer(container: Container, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await container.remove({ force: true, v: true });
      return;
    } catch (error) {
      // A missing container counts as removed.
      if (isMissing(error)) return;
      if (tries === removeTries) throw error;
    }
    await clock.sleep(50 * tries);
  }
}

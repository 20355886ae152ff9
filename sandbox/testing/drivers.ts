// The drivers that work on this machine, for suites that run on each of them.
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import type { ExecRequest, Sandbox } from '../commands/sandbox.ts';
import { openSandbox } from '../commands/sandbox.ts';
import { createBwrapDriver } from '../drivers/bwrap/driver.ts';
import { createDockerDriver } from '../drivers/docker/driver.ts';
import type { DriverName, ProbeReport, SandboxDriver } from '../drivers/driver.ts';
import { resolveLimits, type SandboxLimits } from '../limits.ts';
import { shellCommand } from '../shell.ts';
import { sandboxUser } from '../user.ts';
import { podmanObstacle, startPodman } from './podman.ts';

export interface TestDriver {
  name: DriverName;
  make: (directory: string) => SandboxDriver;
  /** Options by which another process can make the same driver. */
  recipe: { name: DriverName; socket: string; image: string };
  /** What its probe said that the kernel holds here. */
  enforces: ProbeReport['enforces'] | null;
  stop: () => void;
}

/**
 * Every driver of these names that probes as available; the others are named with the reason on the console. Podman
 * takes seconds of CPU to start: tests of bubblewrap alone leave it out.
 */
export async function testDrivers(names: readonly DriverName[] = ['bwrap', 'docker']): Promise<TestDriver[]> {
  const drivers: TestDriver[] = [];
  if (names.includes('bwrap'))
    drivers.push({
      name: 'bwrap',
      make: (directory) => createBwrapDriver({ directory }),
      recipe: { name: 'bwrap', socket: '', image: '' },
      enforces: null,
      stop: () => {},
    });
  if (names.includes('docker')) {
    const obstacle = podmanObstacle();
    if (obstacle) console.info(`skipped: Docker driver on Podman, because ${obstacle}`);
    else {
      const { socket, image, stop } = await startPodman();
      const make = (directory: string) => createDockerDriver({ directory, sockets: [socket], image });
      drivers.push({ name: 'docker', make, recipe: { name: 'docker', socket, image }, enforces: null, stop });
    }
  }
  const usable: TestDriver[] = [];
  for (const driver of drivers) {
    const directory = mkdtempSync(join(tmpdir(), 'rivulet-probe-'));
    const report = await driver.make(directory).probe();
    rmSync(directory, { recursive: true, force: true });
    if (report.available) usable.push({ ...driver, enforces: report.enforces });
    else {
      console.info(`skipped: driver ${driver.name}, because ${report.causes.join(' ')}`);
      driver.stop();
    }
  }
  return usable;
}

/** A sandbox on a fresh workspace below `directory`. */
export async function freshSandbox(
  driver: SandboxDriver,
  directory: string,
  id: string,
  limits: Partial<SandboxLimits> = {},
): Promise<Sandbox> {
  const workspace = join(directory, 'trees', id);
  const user = sandboxUser(id);
  mkdirSync(workspace, { recursive: true });
  if (user.isDedicated) chownSync(workspace, user.uid, user.gid);
  return openSandbox(driver, { id, workspace, user, limits: resolveLimits(limits) }, systemClock);
}

/** Runs a command line to its end and gives back what it said. */
export async function runIn(sandbox: Sandbox, command: string, more: Partial<ExecRequest> = {}) {
  const said = { Stdout: '', Stderr: '', System: '' };
  const execution = await sandbox.exec({
    argv: shellCommand(command),
    onOutput: ({ stream, bytes }) => {
      said[stream] += Buffer.from(bytes).toString();
    },
    ...more,
  });
  const result = await execution.result;
  return { ...result, stdout: said.Stdout, stderr: said.Stderr, system: said.System };
}

// One bubblewrap sandbox: its cgroup, its /tmp and the commands that run in it.
import { rm } from 'node:fs/promises';
import { Fault } from '../../../src/kernel/fault.ts';
import type { DriverSandbox, SandboxSpec, SandboxStats, StartRequest } from '../../driver.ts';
import type { Cgroup } from './cgroups.ts';
import type { BwrapHost } from './driver.ts';
import { type Launched, launch } from './launcher.ts';
import { descendants, signal, stopDescendants, usage } from './process-tree.ts';

interface Places {
  /** The sandbox's own host directory, removed with it. */
  directory: string;
  temporary: string;
  isStaged: boolean;
}

/** Makes a sandbox; nothing runs until the first command. */
export async function createBwrapSandbox(host: BwrapHost, spec: SandboxSpec, places: Places): Promise<DriverSandbox> {
  const running = new Set<Launched>();
  let cgroup: Cgroup | null = null;
  let isPaused = false;
  let isDestroyed = false;

  const join = async () => {
    // The record first: a crash in between must leave a trace of the group.
    const { id } = spec;
    await host.records.write({ id, cgroupDirectories: host.cgroups.directoriesOf(id), directory: places.directory });
    cgroup = await host.cgroups.create(id, spec.limits);
    return cgroup;
  };
  const leave = async () => {
    joining = null;
    await Promise.all([...running].map((one) => one.kill()));
    await cgroup?.remove();
    cgroup = null;
  };
  const pids = () => [...running].flatMap((one) => one.namespacePid() ?? []);
  const processes = async () => (await Promise.all(pids().map(descendants))).flat();
  let joining: Promise<Cgroup | null> | null = join();
  await joining;

  return {
    id: spec.id,
    directories: [spec.workspace, places.temporary],
    start: (request) => start(request),
    stats: () => stats(cgroup, processes),
    pause: async () => {
      isPaused = true;
      if (!(await cgroup?.freeze(true))) await Promise.all(pids().map(stopDescendants));
    },
    resume: async () => {
      isPaused = false;
      if (!(await cgroup?.freeze(false))) for (const pid of await processes()) signal(pid, 'SIGCONT');
    },
    stop: async () => {
      await cgroup?.freeze(false);
      isPaused = false;
      await leave();
    },
    destroy: async () => {
      isDestroyed = true;
      await cgroup?.freeze(false);
      await leave();
      await rm(places.directory, { recursive: true, force: true });
      await host.records.remove(spec.id);
    },
  };

  async function start(request: StartRequest): Promise<Launched> {
    if (isDestroyed || isPaused) {
      throw new Fault('NOT_READY', `The sandbox ${spec.id} is ${isDestroyed ? 'gone' : 'paused'}.`, {
        hint: isDestroyed ? 'Open a new sandbox for the run.' : 'Resume it first.',
      });
    }
    joining ??= join();
    const group = await joining;
    const process = await launch(
      {
        spec,
        temporary: places.temporary,
        cgroup: group,
        isStaged: places.isStaged,
        limitsMemoryPerProcess: !host.cgroups.support.memory,
        fifos: host.fifos,
        files: host.files,
      },
      request,
    );
    running.add(process);
    if (isDestroyed) await process.kill();
    void process.exited.then(() => running.delete(process));
    return process;
  }
}

async function stats(cgroup: Cgroup | null, processes: () => Promise<number[]>): Promise<SandboxStats> {
  const pids = await processes();
  const [memoryBytes, cpuMs, counted] = await Promise.all([
    cgroup?.memoryBytes(),
    cgroup?.cpuMs(),
    cgroup?.processes(),
  ]);
  const summed = memoryBytes == null || cpuMs == null ? await usage(pids) : null;
  return {
    memoryBytes: memoryBytes ?? summed?.memoryBytes ?? 0,
    cpuMs: cpuMs ?? summed?.cpuMs ?? 0,
    processes: counted ?? pids.length,
  };
}

// Control groups of the sandboxes: one group a sandbox, in whichever hierarchies the server may write.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { SandboxLimits } from '../../limits.ts';
import { type CgroupLayout, readLayout } from './cgroup-layout.ts';

const run = promisify(execFile);

export interface CgroupSupport {
  memory: boolean;
  pids: boolean;
  cpu: boolean;
  freeze: boolean;
  /** Reasons for missing parts, for people. */
  notes: string[];
}

export interface Cgroup {
  /** All directories of the group, recorded so that a later server can remove them. */
  readonly directories: string[];
  /** Writing `0` to each of these moves the writer into the group. */
  readonly joinFiles: string[];
  memoryBytes(): Promise<number | null>;
  cpuMs(): Promise<number | null>;
  processes(): Promise<number | null>;
  /** Number of processes that the kernel killed for want of memory. */
  outOfMemoryKills(): Promise<number>;
  /** Freezes or thaws; false when the host cannot. */
  freeze(frozen: boolean): Promise<boolean>;
  remove(): Promise<void>;
}

type Controller = 'memory' | 'pids' | 'cpu' | 'cpuacct' | 'freezer' | 'unified';
const parentName = 'rivulet-sandboxes';

export class Cgroups {
  readonly support: CgroupSupport;
  readonly #instance: string;
  readonly #parents: Map<Controller, string>;
  readonly #unifiedLimits: ReadonlySet<string>;
  readonly #clock: Clock;

  private constructor(
    instance: string,
    parents: Map<Controller, string>,
    unifiedLimits: ReadonlySet<string>,
    notes: string[],
    clock: Clock,
  ) {
    this.#instance = instance;
    this.#parents = parents;
    this.#unifiedLimits = unifiedLimits;
    this.#clock = clock;
    const can = (name: 'memory' | 'pids' | 'cpu') => parents.has(name) || unifiedLimits.has(name);
    const freeze = parents.has('unified') || parents.has('freezer');
    this.support = { memory: can('memory'), pids: can('pids'), cpu: can('cpu'), freeze, notes };
  }

  /**
   * Claims a parent group in every writable hierarchy; failures are noted, never thrown.
   *
   * @param instance tells the groups of this server from those of others on the host.
   */
  static async open(instance: string, clock: Clock, layout?: CgroupLayout): Promise<Cgroups> {
    const found = layout ?? (await readLayout());
    const parents = new Map<Controller, string>();
    const notes: string[] = [];
    for (const controller of ['memory', 'pids', 'cpu', 'cpuacct', 'freezer', 'unified'] as const) {
      const own = found[controller];
      if (!own) continue;
      const parent = join(own, parentName);
      try {
        await makeGroup(parent);
        await tryToJoin(parent);
        parents.set(controller, parent);
      } catch (error) {
        notes.push(`The cgroup ${own} can't be written (${reason(error)}).`);
      }
    }
    const unified = found.unified && parents.has('unified') ? await delegate(found.unified, notes) : new Set<string>();
    return new Cgroups(instance, parents, unified, notes, clock);
  }

  /** Directories of a sandbox's group, whether it exists or not. */
  directoriesOf(id: string): string[] {
    return [...this.#parents.values()].map((parent) => join(parent, this.#nameOf(id)));
  }

  /** Makes the group of a sandbox with its limits; null when the host has nothing writable. */
  async create(id: string, limits: SandboxLimits): Promise<Cgroup | null> {
    if (this.#parents.size === 0) return null;
    const groups = new Map<Controller, string>();
    for (const [controller, parent] of this.#parents) {
      const directory = join(parent, this.#nameOf(id));
      await makeGroup(directory);
      groups.set(controller, directory);
    }
    const unified = groups.get('unified');
    if (unified) await limitUnified(unified, this.#unifiedLimits, limits);
    await limitLegacy(groups, limits);
    return createCgroup(groups, this.#clock);
  }

  #nameOf(id: string): string {
    return `${this.#instance}.${id}`;
  }

  /** Kills the processes of a dead server's groups and removes the groups. Unknown directories are skipped. */
  async removeDirectories(directories: string[]): Promise<void> {
    const known = directories.filter((directory) => basename(dirname(directory)) === parentName);
    for (const directory of known) {
      // Frozen processes cannot die.
      await writeFile(join(directory, 'freezer.state'), 'THAWED').catch(() => {});
      await writeFile(join(directory, 'cgroup.freeze'), '0').catch(() => {});
    }
    for (const directory of known) await removeGroup(directory, this.#clock);
  }
}

/** Creating a group and moving a process into it need different rights: both are tried. */
async function tryToJoin(parent: string): Promise<void> {
  const group = join(parent, `trial-${process.pid}`);
  await makeGroup(group);
  try {
    await run('/bin/sh', ['-c', 'echo 0 > "$0"', join(group, 'cgroup.procs')], { env: {} });
  } finally {
    await rmdir(group).catch(() => {});
  }
}

async function makeGroup(directory: string): Promise<void> {
  await mkdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/**
 * Hands the controllers of version 2 down to the sandboxes' parent. A group with processes of its own can't do so
 * ("no internal processes"), so the server first moves into a leaf beside it, if it is alone there.
 */
async function delegate(own: string, notes: string[]): Promise<Set<string>> {
  const offered = (await read(join(own, 'cgroup.controllers'))).split(/\s+/);
  const wanted = ['memory', 'pids', 'cpu'].filter((name) => offered.includes(name));
  if (wanted.length === 0) return new Set();
  const enable = async (directory: string) => {
    for (const name of wanted) await writeFile(join(directory, 'cgroup.subtree_control'), `+${name}`);
  };
  try {
    await enable(own).catch(async () => {
      const leaf = join(own, 'rivulet-server');
      await makeGroup(leaf);
      for (const pid of (await read(join(own, 'cgroup.procs'))).split('\n').filter(Boolean)) {
        await writeFile(join(leaf, 'cgroup.procs'), pid);
      }
      await enable(own);
    });
    await enable(join(own, parentName));
    return new Set(wanted);
  } catch (error) {
    notes.push(
      `The cgroup ${own} doesn't pass its controllers on (${reason(error)}); run the server with Delegate=yes.`,
    );
    return new Set();
  }
}

/** Processes of the launcher beside the command's. */
const launcherPids = 4;
const period = 100_000;

async function limitUnified(directory: string, controllers: ReadonlySet<string>, limits: SandboxLimits): Promise<void> {
  if (controllers.has('memory')) {
    await writeFile(join(directory, 'memory.max'), String(limits.memoryBytes));
    await writeFile(join(directory, 'memory.swap.max'), '0').catch(() => {});
  }
  if (controllers.has('pids')) await writeFile(join(directory, 'pids.max'), String(limits.pids + launcherPids));
  if (controllers.has('cpu')) {
    await writeFile(join(directory, 'cpu.max'), `${Math.round(limits.cpus * period)} ${period}`);
  }
}

async function limitLegacy(groups: Map<Controller, string>, limits: SandboxLimits): Promise<void> {
  const set = async (controller: Controller, file: string, value: number) => {
    const directory = groups.get(controller);
    if (directory) await writeFile(join(directory, file), String(value));
  };
  await set('memory', 'memory.limit_in_bytes', limits.memoryBytes);
  await set('memory', 'memory.memsw.limit_in_bytes', limits.memoryBytes).catch(() =>
    set('memory', 'memory.swappiness', 0).catch(() => {}),
  );
  await set('pids', 'pids.max', limits.pids + launcherPids);
  await set('cpu', 'cpu.cfs_period_us', period);
  await set('cpu', 'cpu.cfs_quota_us', Math.round(limits.cpus * period));
}

function createCgroup(groups: Map<Controller, string>, clock: Clock): Cgroup {
  const directories = [...new Set(groups.values())];
  /** Text of the first file that exists. */
  const first = async (...candidates: [Controller, string][]) => {
    for (const [controller, file] of candidates) {
      const directory = groups.get(controller);
      const text = directory ? await read(join(directory, file)) : '';
      if (text) return text;
    }
    return null;
  };
  const number = (text: string | null) => (text === null ? null : Number.parseInt(text, 10));
  return {
    directories,
    joinFiles: directories.map((directory) => join(directory, 'cgroup.procs')),
    memoryBytes: async () => number(await first(['unified', 'memory.current'], ['memory', 'memory.usage_in_bytes'])),
    processes: async () => number(await first(['unified', 'pids.current'], ['pids', 'pids.current'])),
    cpuMs: async () => {
      const nanoseconds = await first(['cpuacct', 'cpuacct.usage']);
      if (nanoseconds) return Number(nanoseconds) / 1e6;
      const microseconds = /usage_usec (\d+)/.exec((await first(['unified', 'cpu.stat'])) ?? '')?.[1];
      return microseconds === undefined ? null : Number(microseconds) / 1e3;
    },
    outOfMemoryKills: async () => {
      const text = (await first(['unified', 'memory.events'], ['memory', 'memory.oom_control'])) ?? '';
      return Number(/oom_kill (\d+)/.exec(text)?.[1] ?? 0);
    },
    freeze: (frozen) => freeze(groups, frozen, clock),
    remove: async () => {
      for (const directory of directories) await removeGroup(directory, clock);
    },
  };
}

async function freeze(groups: Map<Controller, string>, frozen: boolean, clock: Clock): Promise<boolean> {
  const unified = groups.get('unified');
  const freezer = groups.get('freezer');
  const reached = async (file: string, pattern: RegExp) => {
    for (let tries = 0; tries < 200; tries++) {
      if (pattern.test(await read(file))) return true;
      await clock.sleep(5);
    }
    return false;
  };
  if (unified) {
    await writeFile(join(unified, 'cgroup.freeze'), frozen ? '1' : '0');
    return reached(join(unified, 'cgroup.events'), frozen ? /frozen 1/ : /frozen 0/);
  }
  if (!freezer) return false;
  await writeFile(join(freezer, 'freezer.state'), frozen ? 'FROZEN' : 'THAWED');
  return reached(join(freezer, 'freezer.state'), frozen ? /FROZEN/ : /THAWED/);
}

/** Kills the processes of a group until it can be removed; gives up after five seconds. */
async function removeGroup(directory: string, clock: Clock): Promise<void> {
  for (let tries = 0; tries < 250; tries++) {
    try {
      await rmdir(directory);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    }
    await killGroup(directory);
    await clock.sleep(20);
  }
}

async function killGroup(directory: string): Promise<void> {
  try {
    await writeFile(join(directory, 'cgroup.kill'), '1');
  } catch {
    for (const pid of (await read(join(directory, 'cgroup.procs'))).split('\n').map(Number)) {
      if (pid > 1) tryKill(pid);
    }
  }
  for (const child of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (child.isDirectory()) await rmdir(join(directory, child.name)).catch(() => {});
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '');
const reason = (error: unknown) => (error instanceof Error ? error.message.split('\n')[0] : String(error));

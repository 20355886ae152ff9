// One bubblewrap sandbox: its cgroup, its /tmp and the commands that run in it.

import { Fault } from '../../../src/kernel/fault.ts';
import { deleteTree } from '../../disk/delete-tree.ts';
import type { DriverSandbox, SandboxSpec, SandboxStats, StartRequest } from '../driver.ts';
import type { Cgroup } from './cgroups.ts';
import type { BwrapHost } from './host.ts';
import { type Launched, launch } from './launcher.ts';
import { descendants, signal, stopDescendants, usage } from './process-tree.ts';

export interface SandboxPlaces {
  /** The sandbox's own host directory, removed with it. */
  directory: string;
  /** Host directory that is mounted as its /tmp. */
  temporary: string;
  isStaged: boolean;
}

export class BwrapSandbox implements DriverSandbox {
  readonly id: string;
  readonly directories: string[];
  readonly #host: BwrapHost;
  readonly #spec: SandboxSpec;
  readonly #places: SandboxPlaces;
  readonly #running = new Set<Launched>();
  /** Cgroup of the sandbox while it has one; null where the host offers none. */
  #group: Promise<Cgroup | null> | null = null;
  #isPaused = false;
  /** Its group did not freeze in time, so that each process was stopped by a signal. */
  #isSignalled = false;
  #isDestroyed = false;

  private constructor(host: BwrapHost, spec: SandboxSpec, places: SandboxPlaces) {
    this.id = spec.id;
    this.directories = [spec.workspace, places.temporary];
    this.#host = host;
    this.#spec = spec;
    this.#places = places;
  }

  /** Makes a sandbox; nothing runs until the first command. */
  static async open(host: BwrapHost, spec: SandboxSpec, places: SandboxPlaces): Promise<BwrapSandbox> {
    const sandbox = new BwrapSandbox(host, spec, places);
    await sandbox.#joined();
    return sandbox;
  }

  async start(request: StartRequest): Promise<Launched> {
    if (this.#isDestroyed || this.#isPaused) {
      throw new Fault('NOT_READY', `The sandbox ${this.id} is ${this.#isDestroyed ? 'gone' : 'paused'}.`, {
        hint: this.#isDestroyed ? 'Open a new sandbox for the run.' : 'Resume it first.',
      });
    }
    const { cgroups, fifos, files } = this.#host;
    const { temporary, isStaged } = this.#places;
    const limitsMemoryPerProcess = !cgroups.support.memory;
    const cgroup = await this.#joined();
    const process = await launch(
      { spec: this.#spec, temporary, cgroup, isStaged, limitsMemoryPerProcess, fifos, files },
      request,
    );
    this.#running.add(process);
    void process.exited.then(() => this.#running.delete(process));
    // The sandbox was destroyed during the start.
    if (this.#isDestroyed) await process.kill();
    return process;
  }

  async stats(): Promise<SandboxStats> {
    const pids = await this.#processes();
    const group = await this.#group;
    const [memoryBytes, cpuMs, counted] = await Promise.all([group?.memoryBytes(), group?.cpuMs(), group?.processes()]);
    const summed = memoryBytes == null || cpuMs == null ? await usage(pids) : null;
    return {
      memoryBytes: memoryBytes ?? summed?.memoryBytes ?? 0,
      cpuMs: cpuMs ?? summed?.cpuMs ?? 0,
      processes: counted ?? pids.length,
    };
  }

  processIds(): Promise<number[]> {
    return this.#processes();
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    const group = await this.#group;
    if (await group?.freeze(true)) return;
    this.#isSignalled = true;
    await Promise.all(this.#namespaces().map(stopDescendants));
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    const group = await this.#group;
    const isThawed = await group?.freeze(false);
    if (!isThawed || this.#isSignalled) for (const pid of await this.#processes()) signal(pid, 'SIGCONT');
    this.#isSignalled = false;
  }

  async stop(): Promise<void> {
    const group = await this.#group;
    this.#group = null;
    // Frozen processes cannot die.
    await group?.freeze(false);
    this.#isPaused = false;
    await Promise.all([...this.#running].map((process) => process.kill()));
    await group?.remove();
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await this.stop();
    await deleteTree(this.#places.directory);
    await this.#host.records.remove(this.id);
  }

  #joined(): Promise<Cgroup | null> {
    this.#group ??= this.#join();
    return this.#group;
  }

  async #join(): Promise<Cgroup | null> {
    const { records, cgroups } = this.#host;
    const { directory } = this.#places;
    // The record is written first, so that a crash in between leaves a trace of the group.
    await records.write({ id: this.id, cgroupDirectories: cgroups.directoriesOf(this.id), directory });
    return cgroups.create(this.id, this.#spec.limits);
  }

  /** First processes of the commands' pid namespaces. */
  #namespaces(): number[] {
    return [...this.#running].flatMap((process) => process.namespacePid() ?? []);
  }

  async #processes(): Promise<number[]> {
    return (await Promise.all(this.#namespaces().map(descendants))).flat();
  }
}

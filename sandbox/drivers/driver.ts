// What a sandbox driver must do: the one interface behind which Docker and bubblewrap stand.
import type { Readable, Writable } from 'node:stream';
import type { SandboxLimits } from '../limits.ts';
import type { SandboxUser } from '../user.ts';

export type DriverName = 'docker' | 'bwrap';

/** How a limit is held: by the kernel for the whole sandbox, by an approximation, or not at all. */
export type Enforcement = 'kernel' | 'approximate' | 'none';

/** One attempt of the boot canary to reach something that must be out of reach. */
export interface CanaryCheck {
  name: string;
  held: boolean;
  detail: string;
}

/** What a driver can do on this host, found out by trying. */
export interface ProbeReport {
  driver: DriverName;
  available: boolean;
  /** Version of the tool or engine behind the driver, where it answered. */
  version: string | null;
  /** Why the driver can't be used; empty when it can. */
  causes: string[];
  /** What an operator can do about the causes. */
  cures: string[];
  enforces: Record<'memory' | 'pids' | 'cpu' | 'fileSize' | 'workspaceSize' | 'ownUser' | 'pause', Enforcement>;
  /** Plain sentences about what this host can't enforce. */
  warnings: string[];
  canary: CanaryCheck[];
}

export interface SandboxSpec {
  /** Unique among living sandboxes: lower-case letters, digits and dashes, at most 48. */
  id: string;
  /** Absolute host path of the directory that appears as /workspace, writable. */
  workspace: string;
  limits: SandboxLimits;
  /** Host user that owns the workspace and runs the commands. */
  user: SandboxUser;
  /** Added to the cleared environment of every command. */
  env?: Record<string, string>;
  /** Docker only: the image, instead of the driver's own. */
  image?: string;
  /** Host directory with the filtering proxy's socket, mounted read-only at /run/rivulet; no network of any kind without it. */
  proxyDirectory?: string;
}

export interface StartRequest {
  /** Program and arguments; looked up in the sandbox's PATH. */
  argv: string[];
  /** Absolute path inside, /workspace when absent. */
  cwd?: string;
  env?: Record<string, string>;
  /** Bytes to feed, `open` for a pipe that the caller writes to, or null for /dev/null. */
  stdin: Uint8Array | 'open' | null;
  /** Runs the command on a pseudo-terminal of this size; stderr then arrives on stdout. */
  pty?: { columns: number; rows: number };
}

export interface ProcessExit {
  /** 0…255, or null when the command never ran. A signal shows as 128 + its number. */
  exitCode: number | null;
  /** The kernel killed something in the sandbox for want of memory while the command ran. */
  outOfMemory: boolean;
  /** Why the command never ran. */
  failure: string | null;
}

/** A command as a driver runs it: raw streams and the two ways to end it. */
export interface DriverProcess {
  readonly stdout: Readable;
  /** Null on a pseudo-terminal. */
  readonly stderr: Readable | null;
  /** Only for `stdin: 'open'`. */
  readonly stdin: Writable | null;
  /** Settles when the command has ended; never rejects. The streams may still hold its last output. */
  readonly exited: Promise<ProcessExit>;
  /** Asks everything that the command started to end (SIGTERM). */
  terminate(): Promise<void>;
  /** Ends everything that the command started; can't be ignored. */
  kill(): Promise<void>;
  /** Resizes the pseudo-terminal, where the driver can. */
  resize?(columns: number, rows: number): Promise<void>;
}

export interface SandboxStats {
  memoryBytes: number;
  /** CPU time used so far, in milliseconds. */
  cpuMs: number;
  processes: number;
}

/** One sandbox: a workspace with limits, in which commands run. */
export interface DriverSandbox {
  readonly id: string;
  /** Host directories whose size counts as the sandbox's disk. */
  readonly directories: string[];
  /** Starts a command. Throws Fault NOT_READY when the sandbox can't take one. */
  start(request: StartRequest): Promise<DriverProcess>;
  stats(): Promise<SandboxStats>;
  /** Host ids of its processes, as far as this server can see them. */
  processIds(): Promise<number[]>;
  /** Stops every process where it stands; returns when none runs any more. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends every process and frees what an idle sandbox holds; the next `start` revives it. */
  stop(): Promise<void>;
  /** Ends every process and removes everything but the workspace. */
  destroy(): Promise<void>;
}

export interface SandboxDriver {
  readonly name: DriverName;
  /** Finds out by trying whether and how well the driver works here, canary included. Never throws. */
  probe(): Promise<ProbeReport>;
  /** Makes a sandbox. Throws Fault NOT_CONFIGURED, VALIDATION_FAILED or INTERNAL_ERROR. */
  create(spec: SandboxSpec): Promise<DriverSandbox>;
  /** Ends and removes what servers that died left behind; returns the ids of those sandboxes. */
  reconcile(): Promise<string[]>;
}

// The interface of sandbox drivers, implemented by Docker and bubblewrap.
import type { Readable, Writable } from 'node:stream';
import type { SandboxLimits } from '../limits.ts';
import type { SandboxUser } from '../user.ts';

export type DriverName = 'docker' | 'bwrap';

/** Enforcement of a limit: by the kernel for the whole sandbox, by an approximation, or not at all. */
export type Enforcement = 'kernel' | 'approximate' | 'none';

/** One attempt of the boot canary to reach something forbidden. */
export interface CanaryCheck {
  name: string;
  held: boolean;
  detail: string;
}

/** Capabilities of a driver on this host, found by trying. */
export interface ProbeReport {
  driver: DriverName;
  available: boolean;
  /** Version of the tool or engine behind the driver, where it answered. */
  version: string | null;
  /** Reasons why the driver is not usable; empty when it is. */
  causes: string[];
  /** Remedies of the causes, for an operator. */
  cures: string[];
  enforces: Record<'memory' | 'pids' | 'cpu' | 'fileSize' | 'workspaceSize' | 'ownUser' | 'pause', Enforcement>;
  /** Limits that this host cannot enforce, in plain sentences. */
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
  /** Variables added to the otherwise empty environment of every command. */
  env?: Record<string, string>;
  /** Docker only: the image, instead of the driver's own. */
  image?: string;
  /**
   * Host directory with the filtering proxy's socket, mounted read-only at /run/rivulet; no network of any kind
   * without it.
   */
  proxyDirectory?: string;
}

export interface StartRequest {
  /** Program and arguments; looked up in the sandbox's PATH. */
  argv: string[];
  /** Absolute path inside, /workspace when absent. */
  cwd?: string;
  env?: Record<string, string>;
  /** Bytes of the standard input, `open` for a pipe that the caller writes to, or null for /dev/null. */
  stdin: Uint8Array | 'open' | null;
  /** Runs the command on a pseudo-terminal of this size; stderr then arrives on stdout. */
  pty?: { columns: number; rows: number };
}

export interface ProcessExit {
  /** 0…255, or null when the command never ran. A signal shows as 128 + its number. */
  exitCode: number | null;
  /** True when the kernel killed a process of the sandbox for want of memory while the command ran. */
  outOfMemory: boolean;
  /** Reason why the command never ran. */
  failure: string | null;
}

/** A command of a driver: raw streams and the two ways to end it. */
export interface DriverProcess {
  readonly stdout: Readable;
  /** Standard error; null on a pseudo-terminal. */
  readonly stderr: Readable | null;
  /** Standard input, only for `stdin: 'open'`. */
  readonly stdin: Writable | null;
  /** Settles when the command has ended; never rejects. The streams may still hold its last output. */
  readonly exited: Promise<ProcessExit>;
  /** Asks all processes of the command to end (SIGTERM). */
  terminate(): Promise<void>;
  /** Kills all processes of the command (SIGKILL). */
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
  /** Starts a command. Throws Fault NOT_READY when the sandbox cannot take one. */
  start(request: StartRequest): Promise<DriverProcess>;
  stats(): Promise<SandboxStats>;
  /** Host ids of its processes, as far as this server sees them. */
  processIds(): Promise<number[]>;
  /** Pauses every process; resolves when none runs any more. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends every process and frees what an idle sandbox holds; the next `start` revives it. */
  stop(): Promise<void>;
  /** Ends every process and removes everything but the workspace. */
  destroy(): Promise<void>;
}

export interface SandboxDriver {
  readonly name: DriverName;
  /** Folder for the directories of proxies, where sandboxes cannot be given any other of the server. */
  readonly proxies?: string;
  /** Probes by trying whether and how well the driver works here, canary included. Never throws. */
  probe(): Promise<ProbeReport>;
  /** Creates a sandbox. Throws Fault NOT_CONFIGURED, VALIDATION_FAILED or INTERNAL_ERROR. */
  create(spec: SandboxSpec): Promise<DriverSandbox>;
  /** Ends and removes the sandboxes of dead servers; returns their ids. */
  reconcile(): Promise<string[]>;
}

// Limits of a sandbox: defaults, and how a role's wishes meet the operator's ceilings.
import { Fault } from '../src/kernel/fault.ts';

export interface SandboxLimits {
  memoryBytes: number;
  pids: number;
  /** CPUs' worth of time, e.g. 0.5. */
  cpus: number;
  /** Longest life of one command, in milliseconds. */
  commandTimeoutMs: number;
  /** Output of one command, stdout and stderr together. */
  outputBytes: number;
  /** Disk space of the workspace and of /tmp together. */
  workspaceBytes: number;
  /** Files and folders in the workspace and /tmp together. */
  workspaceFiles: number;
  /** Largest single file. */
  fileBytes: number;
  openFiles: number;
  /** A sandbox without a command for this long, in milliseconds, is stopped. */
  idleStopMs: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: SandboxLimits = {
  memoryBytes: 512 * mebibyte,
  pids: 128,
  cpus: 1,
  commandTimeoutMs: 120_000,
  outputBytes: 10 * mebibyte,
  workspaceBytes: 1024 * mebibyte,
  workspaceFiles: 200_000,
  fileBytes: 256 * mebibyte,
  openFiles: 1024,
  idleStopMs: 600_000,
};

/** Below these a shell can't start or a limit makes no sense. */
export const limitFloors: SandboxLimits = {
  memoryBytes: 16 * mebibyte,
  pids: 8,
  cpus: 0.05,
  commandTimeoutMs: 100,
  outputBytes: 1024,
  workspaceBytes: mebibyte,
  workspaceFiles: 16,
  fileBytes: mebibyte,
  openFiles: 32,
  idleStopMs: 1_000,
};

/**
 * The limits that hold: what was asked for, capped by the operator's ceilings, defaults for the rest.
 * A ceiling below a default lowers the default too. Throws Fault VALIDATION_FAILED for a value that is no number or
 * below what a command needs to start.
 */
export function resolveLimits(
  wanted: Partial<SandboxLimits> = {},
  ceilings: Partial<SandboxLimits> = {},
): SandboxLimits {
  const limits = { ...defaultLimits };
  for (const key of Object.keys(defaultLimits) as (keyof SandboxLimits)[]) {
    const value = wanted[key] ?? defaultLimits[key];
    if (!Number.isFinite(value) || value < limitFloors[key]) {
      throw new Fault('VALIDATION_FAILED', `The sandbox limit ${key} must be at least ${limitFloors[key]}.`, {
        hint: 'Raise the limit in the role or leave it out.',
      });
    }
    limits[key] = Math.min(value, ceilings[key] ?? Number.POSITIVE_INFINITY);
  }
  return limits;
}

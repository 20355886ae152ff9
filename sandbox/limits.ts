// Limits of a sandbox: defaults, and the requests of a role capped by the operator's ceilings.
import { Fault } from '../src/kernel/fault.ts';

export interface SandboxLimits {
  memoryBytes: number;
  pids: number;
  /** CPU limit in cores, e.g. 0.5. */
  cpus: number;
  /** Limit of a command's duration in ms. */
  commandTimeoutMs: number;
  /** Limit of a command's output in bytes, stdout and stderr together. */
  outputBytes: number;
  /** Disk limit in bytes, of the workspace and /tmp together. */
  workspaceBytes: number;
  /** Limit of files and folders in the workspace and /tmp together. */
  workspaceFiles: number;
  /** Limit of a single file in bytes. */
  fileBytes: number;
  openFiles: number;
  /** Idle time in ms without a command after which a sandbox is stopped. */
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

/** Least values: below them a shell cannot start or a limit makes no sense. */
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
 * Effective limits: the requested ones, capped by the operator's ceilings, with defaults for the rest.
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

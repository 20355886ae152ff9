// What a driver's report says before anything was tried.
import type { DriverName, ProbeReport } from './driver.ts';

/** Not available, and nothing enforced. */
export function emptyReport(driver: DriverName): ProbeReport {
  return {
    driver,
    available: false,
    version: null,
    causes: [],
    cures: [],
    enforces: {
      memory: 'none',
      pids: 'none',
      cpu: 'none',
      fileSize: 'none',
      workspaceSize: 'none',
      ownUser: 'none',
      pause: 'none',
    },
    warnings: [],
    canary: [],
  };
}

// Initial report of a driver before any probe.
import type { DriverName, ProbeReport } from './driver.ts';

/** A report of an unavailable driver that enforces nothing. */
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

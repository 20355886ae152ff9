// Choice of the sandbox driver at boot: Docker, else bubblewrap, else none. Nothing ever runs unsandboxed.
import { Fault } from '../../src/kernel/fault.ts';
import type { ProbeReport, SandboxDriver } from './driver.ts';

export type SandboxSetting = 'auto' | 'docker' | 'bwrap' | 'off';

export interface DriverChoice {
  /** The driver to use; throws Fault NOT_CONFIGURED with causes and cures when there is none. */
  require(): SandboxDriver;
  driver: SandboxDriver | null;
  /** Reports of the drivers that were tried. */
  reports: ProbeReport[];
}

/**
 * Tries the drivers that the setting allows, in order, and takes the first that works.
 *
 * @param drivers every driver there is, best first.
 */
export async function chooseDriver(setting: SandboxSetting, drivers: SandboxDriver[]): Promise<DriverChoice> {
  const allowed = drivers.filter((driver) => setting === 'auto' || setting === driver.name);
  const reports: ProbeReport[] = [];
  for (const driver of allowed) {
    const report = await driver.probe();
    reports.push(report);
    if (report.available) return { driver, reports, require: () => driver };
  }
  return {
    driver: null,
    reports,
    require: () => {
      throw refusal(setting, reports);
    },
  };
}

function refusal(setting: SandboxSetting, reports: ProbeReport[]): Fault {
  if (setting === 'off') {
    return new Fault('NOT_CONFIGURED', 'Sandboxes are turned off on this server.', {
      hint: 'Set RIVULET_SANDBOX to auto, docker or bwrap and restart.',
    });
  }
  const causes = reports.map((report) => `${report.driver}: ${report.causes.join(' ')}`);
  const cures = reports.map((report) => `${report.driver}: ${report.cures.join(' ')}`);
  return new Fault('NOT_CONFIGURED', `No sandbox works on this server. ${causes.join(' ')}`, { hint: cures.join(' ') });
}

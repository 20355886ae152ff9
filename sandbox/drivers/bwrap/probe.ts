// Probe of the bubblewrap driver: what this host supports, and the cause and cure of what it does not.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toFault } from '../../../src/kernel/fault.ts';
import { runCanary } from '../canary.ts';
import type { DriverSandbox, ProbeReport, SandboxSpec } from '../driver.ts';
import { emptyReport } from '../probe-report.ts';
import type { CgroupSupport } from './cgroups.ts';
import type { BwrapHost } from './host.ts';

const run = promisify(execFile);
const isRoot = () => process.geteuid?.() === 0;

/** Programs that the launcher uses, with their Debian packages. */
const programs: Record<string, string> = {
  bwrap: 'bubblewrap',
  setpriv: 'util-linux',
  prlimit: 'util-linux',
  mkfifo: 'coreutils',
};

export async function probeBwrap(
  prepare: () => Promise<BwrapHost>,
  create: (spec: SandboxSpec) => Promise<DriverSandbox>,
): Promise<ProbeReport> {
  const report = emptyReport('bwrap');
  try {
    if (process.platform !== 'linux') {
      report.causes.push('bubblewrap exists on Linux only.');
      report.cures.push('Use Docker on this machine.');
      return report;
    }
    const missing = await missingPrograms(Object.keys(programs));
    for (const name of missing) {
      report.causes.push(`The program ${name} is not installed.`);
      report.cures.push(`Install the package ${programs[name]}, e.g. apt install ${programs[name]}.`);
    }
    if (missing.length > 0) return report;
    report.version = (await run('bwrap', ['--version'])).stdout.replace('bubblewrap', '').trim();
    if (isOlder(report.version, [0, 8])) {
      report.causes.push(`bubblewrap ${report.version} is too old.`);
      report.cures.push('Install bubblewrap 0.8 or later.');
      return report;
    }
    const { cgroups } = await prepare();
    describeLimits(report, cgroups.support);
    if ((await missingPrograms(['script', 'stty'])).length > 0) {
      report.warnings.push('Commands can’t have a terminal: the program script (package bsdutils) is not installed.');
    }
    const canary = await runCanary(create);
    report.canary = canary.checks;
    judge(report, canary.failure);
  } catch (error) {
    const fault = toFault(error);
    report.causes.push(fault.code === 'INTERNAL_ERROR' ? String(fault.cause ?? fault.message) : fault.message);
    if (fault.hint && fault.code !== 'INTERNAL_ERROR') report.cures.push(fault.hint);
  }
  return report;
}

async function missingPrograms(names: string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map((name) =>
      run('/bin/sh', ['-c', 'command -v "$1"', 'sh', name]).then(
        () => true,
        () => false,
      ),
    ),
  );
  return names.filter((_, index) => !found[index]);
}

function isOlder(version: string, [major, minor]: [number, number]): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a < major || (a === major && b < minor);
}

function describeLimits(report: ProbeReport, support: CgroupSupport): void {
  report.enforces = {
    memory: support.memory ? 'kernel' : 'approximate',
    pids: support.pids ? 'kernel' : 'approximate',
    cpu: support.cpu ? 'kernel' : 'none',
    fileSize: 'kernel',
    workspaceSize: 'approximate',
    ownUser: isRoot() ? 'kernel' : 'none',
    pause: support.freeze ? 'kernel' : 'approximate',
  };
  const warn = (condition: boolean, text: string) => {
    if (condition) report.warnings.push(text);
  };
  warn(!support.memory, 'No cgroup for memory: each process has the limit for itself, not all of them together.');
  warn(!support.pids, 'No cgroup for processes: each command has the limit for itself, not the whole sandbox.');
  warn(!support.cpu, 'No cgroup for CPU time: a sandbox can use every CPU until its command times out.');
  warn(!support.freeze, 'No cgroup to freeze: pausing stops processes one by one with SIGSTOP.');
  warn(!isRoot(), 'The server is not root: sandboxes run as the server’s own user, confined by namespaces alone.');
  warn(
    process.pid === 1,
    'The server is the first process of its container: each command leaves a dead process, until no other can begin. Start the container with an init (docker run --init).',
  );
  if (!support.memory || !support.pids || !support.cpu) report.warnings.push(...support.notes);
}

/** What lets a first sandbox start that failed so. */
export function cureOf(failure: string): string {
  if (/mount proc/i.test(failure))
    return 'Parts of /proc are hidden from this server, so that no sandbox may have one. In a container unmask it: systempaths=unconfined, with Podman unmask=ALL. In a service of systemd leave out ProtectKernelTunables, ProtectKernelLogs and ProtectHostname.';
  if (/namespace|uid map|permission|not permitted/i.test(failure))
    return 'Allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap (Ubuntu), user.max_user_namespaces above 0; in a container also seccomp=unconfined and an unmasked /proc, in a service of systemd no RestrictNamespaces and no SystemCallFilter.';
  return 'Run the bwrap command by hand as the server’s user to see more.';
}

function judge(report: ProbeReport, failure: string | null): void {
  const broken = report.canary.filter((check) => !check.held);
  if (failure) {
    report.causes.push(`A first sandbox could not start: ${failure}`);
    report.cures.push(cureOf(failure));
  }
  for (const check of broken) {
    report.causes.push(`The canary broke out: ${check.name} (${check.detail}).`);
    report.cures.push('Do not run agents here before this is understood; please report it.');
  }
  report.available = report.causes.length === 0;
}

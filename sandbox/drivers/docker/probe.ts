// Probe of the Docker driver: what the engine supports here.
import type Docker from 'dockerode';
import { Fault } from '../../../src/kernel/fault.ts';
import { runCanary } from '../canary.ts';
import type { CanaryCheck, DriverSandbox, Enforcement, ProbeReport, SandboxSpec } from '../driver.ts';
import { emptyReport } from '../probe-report.ts';

export interface DockerProbeContext {
  docker: Docker | null;
  /** Sockets that were tried. */
  sockets: string[];
  image: string;
  /** Parent directory of the workspaces. */
  directory: string;
  create: (spec: SandboxSpec) => Promise<DriverSandbox>;
  /** Paths on the engine's host. @throws Fault NOT_CONFIGURED for what the engine cannot see */
  hostPath: () => Promise<(path: string) => string>;
}

/** Fields of the engine's info that are used; Podman omits some. */
interface EngineInfo {
  MemoryLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
  CPUCfsQuota?: boolean;
  SecurityOptions?: string[];
}

export async function probeDocker({
  docker,
  sockets,
  image,
  directory,
  create,
  hostPath,
}: DockerProbeContext): Promise<ProbeReport> {
  const report = emptyReport('docker');
  const refuse = (cause: string, cure: string) => {
    report.causes.push(cause);
    report.cures.push(cure);
    return report;
  };
  if (!docker) {
    return refuse(
      `There is no engine at ${sockets.join(' or ')}.`,
      'Install Docker or Podman, or give the server access to its socket.',
    );
  }
  try {
    report.version = (await docker.version()).Version;
  } catch (error) {
    return refuse(
      `The engine does not answer (${text(error)}).`,
      'Start the engine and let the server’s user open its socket, e.g. by the group docker.',
    );
  }
  const hasImage = await docker
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    );
  if (!hasImage)
    return refuse(`The engine has no image ${image}.`, `Build it: docker build -t ${image} sandbox/image.`);
  try {
    (await hostPath())(directory);
  } catch (error) {
    return refuse(text(error), (error instanceof Fault && error.hint) || 'Look at the engine’s log.');
  }
  describeLimits(report, (await docker.info().catch(() => ({}))) as EngineInfo);
  const { checks, failure } = await runCanary(create, directory);
  report.canary = checks;
  if (failure) refuse(`A first sandbox could not start: ${failure}`, 'Look at the engine’s log.');
  for (const check of checks.filter((one) => !one.held)) refuse(...explain(check));
  report.available = report.causes.length === 0;
  return report;
}

/** Cause and cure of a failed check. */
function explain({ name, detail }: CanaryCheck): [string, string] {
  if (!name.startsWith('workspace')) {
    const cure = 'Do not run agents here before this is understood; please report it.';
    return [`The canary broke out: ${name} (${detail}).`, cure];
  }
  const cure = 'Run the engine on the same machine with the same users (not rootless).';
  return [`The engine does not see the server’s files as they are (${detail}).`, cure];
}

function describeLimits(report: ProbeReport, info: EngineInfo): void {
  Object.assign(report.enforces, {
    fileSize: 'kernel',
    workspaceSize: 'approximate',
    ownUser: 'kernel',
    pause: 'kernel',
  });
  const kernel = (isHeld: boolean | undefined): Enforcement => (isHeld === false ? 'none' : 'kernel');
  report.enforces.memory = kernel(info.MemoryLimit);
  report.enforces.pids = kernel(info.PidsLimit);
  report.enforces.cpu = kernel(info.CpuCfsQuota ?? info.CPUCfsQuota);
  for (const name of ['memory', 'pids', 'cpu'] as const) {
    if (report.enforces[name] === 'none')
      report.warnings.push(`The engine says that it can’t limit ${name} on this host.`);
  }
  if (process.geteuid?.() !== 0) {
    report.enforces.ownUser = 'none';
    report.warnings.push('The server is not root: containers run as the server’s own user.');
  }
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));

// Options of a sandbox's container for the engine: the full list of what the container may do.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { proxyMount } from '../../network/bridge.ts';
import type { SandboxSpec } from '../driver.ts';

/** Labels by which a later server finds leftover containers. */
export const labels = { sandbox: 'dev.rivulet.sandbox', owner: 'dev.rivulet.owner' } as const;

export interface ContainerContext {
  spec: SandboxSpec;
  image: string;
  /** Filter in the engine's form: the profile itself for Docker, its path for Podman. */
  seccomp: string;
  /** Id of this server's data directory. */
  owner: string;
  /** Path by which the engine knows a directory of the server. */
  hostPath: (path: string) => string;
}

const mebibyte = 1024 * 1024;

/** Command of the container's first process: it ends when the server closes its standard input. */
const untilInputEnds = ['/bin/sh', '-c', 'exec cat >/dev/null'];

/** Options of a container that can only work in its workspace. */
export function containerOptions({ spec, image, seccomp, owner, hostPath }: ContainerContext): ContainerCreateOptions {
  const { limits, user } = spec;
  const hasGitFile = lstatSync(join(spec.workspace, '.git'), { throwIfNoEntry: false })?.isFile() ?? false;
  return {
    Image: image,
    Entrypoint: untilInputEnds,
    Cmd: [],
    User: `${user.uid}:${user.gid}`,
    WorkingDir: '/workspace',
    Hostname: 'sandbox',
    Env: Object.entries({ HOME: '/tmp', LANG: 'C.UTF-8', ...spec.env }).map(([name, value]) => `${name}=${value}`),
    Labels: { [labels.sandbox]: spec.id, [labels.owner]: owner },
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    NetworkDisabled: true,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${seccomp}`],
      PidsLimit: limits.pids,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      Ulimits: [
        { Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles },
        { Name: 'fsize', Soft: limits.fileBytes, Hard: limits.fileBytes },
        { Name: 'core', Soft: 0, Hard: 0 },
        // nproc counts per host user, so it would include the server's own processes where the user is shared.
        ...(user.isDedicated ? [{ Name: 'nproc', Soft: limits.pids, Hard: limits.pids }] : []),
      ],
      // In memory, so it counts against the memory limit too.
      Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${Math.min(256 * mebibyte, limits.memoryBytes / 2)}` },
      Binds: [
        `${hostPath(spec.workspace)}:/workspace:rw`,
        ...(hasGitFile ? [`${hostPath(join(spec.workspace, '.git'))}:/workspace/.git:ro`] : []),
        ...(spec.proxyDirectory ? [`${hostPath(spec.proxyDirectory)}:${proxyMount}:ro`] : []),
      ],
      IpcMode: 'private',
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

// What the engine is told about a sandbox's container. Reading it is the best account of what the container may do.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { proxyMount } from '../../network/bridge.ts';
import type { SandboxSpec } from '../driver.ts';

/** Labels by which a later server finds what this one left. */
export const labels = { sandbox: 'dev.rivulet.sandbox', owner: 'dev.rivulet.owner' } as const;

export interface ContainerContext {
  spec: SandboxSpec;
  image: string;
  /** The filter as the engine wants it: the profile itself for Docker, its path for Podman. */
  seccomp: string;
  /** Id of this server's data directory. */
  owner: string;
  /** The path by which the engine knows a directory of ours. */
  hostPath: (path: string) => string;
}

const mebibyte = 1024 * 1024;

/** The container's first process lives as long as the server holds its standard input, and not a moment longer. */
const untilInputEnds = ['/bin/sh', '-c', 'exec cat >/dev/null'];

/** Options for a container that can do nothing but work in its workspace. */
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
        // Counted by host user, so it would count the server's own processes where the user is the server's.
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

// Builds the command line that confines a command: prelude, user, bubblewrap and resource limits.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { bridged, proxyMount } from '../../network/bridge.ts';
import { shellQuote } from '../../shell.ts';
import type { SandboxSpec, StartRequest } from '../driver.ts';

/** Descriptors that the launcher passes to bubblewrap, after the three standard ones. */
export const descriptors = { seccomp: 3, passwd: 4, group: 5, hosts: 6, status: 7, variables: 8 } as const;

export interface Launch {
  spec: SandboxSpec;
  request: StartRequest;
  /** Host directory that becomes /tmp. */
  temporary: string;
  /** True when the workspace holds a `.git` that is a regular file. */
  hasGitFile: boolean;
  /** Files through which the launcher joins the sandbox's cgroups. */
  joinFiles: string[];
  /** True when the sandbox's user cannot reach the directories by their paths, so that root binds them elsewhere. */
  isStaged: boolean;
  /** True when no cgroup limits the sandbox's memory, so that each process gets the limit for itself. */
  limitsMemoryPerProcess: boolean;
}

/** Mount point of the server's own Node, for the bridge to the proxy. */
const nodeMount = '/opt/rivulet-node';
/**
 * Script that has the kernel end the command before the server where the memory of both is at its end, moves itself into
 * cgroups, then executes its remaining arguments.
 */
const joinScript =
  '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"';
/** Directory in a separate mount namespace where the sandbox's user can reach the bound directories. */
const stage = '/mnt';
const stageScript = [
  `mount -t tmpfs -o mode=0711,size=64k none ${stage}`,
  `mkdir ${stage}/workspace ${stage}/tmp ${stage}/proxy`,
  `mount --bind "$1" ${stage}/workspace`,
  `mount --bind "$2" ${stage}/tmp`,
  `{ [ -z "$3" ] || { mount --bind "$3" ${stage}/proxy && : > ${stage}/node && mount --bind "$4" ${stage}/node; }; }`,
  'shift 4',
  'exec "$@"',
].join(' && ');

/** Program and arguments that run a command confined: the full list of what a sandbox may do. */
export function commandLine(launch: Launch): string[] {
  const { spec } = launch;
  const proxy = spec.proxyDirectory;
  const sources = launch.isStaged
    ? { workspace: `${stage}/workspace`, temporary: `${stage}/tmp`, proxy: `${stage}/proxy`, node: `${stage}/node` }
    : { workspace: spec.workspace, temporary: launch.temporary, proxy: proxy ?? '', node: process.execPath };
  return [
    ...['/bin/sh', '-c', joinScript, 'sandbox', ...launch.joinFiles, '--'],
    ...(launch.isStaged
      ? ['unshare', '--mount', '--propagation', 'private', '/bin/sh', '-c', stageScript, 'sandbox']
      : []),
    ...(launch.isStaged ? [spec.workspace, launch.temporary, proxy ?? '', process.execPath] : []),
    ...userArguments(spec),
    'bwrap',
    ...namespaceArguments,
    ...systemMounts(),
    ...['--bind', sources.temporary, '/tmp', '--bind', sources.workspace, '/workspace'],
    ...(launch.hasGitFile ? ['--ro-bind', join(sources.workspace, '.git'), '/workspace/.git'] : []),
    ...(proxy ? ['--ro-bind', sources.proxy, proxyMount, '--ro-bind', sources.node, nodeMount] : []),
    ...['--remount-ro', '/', '--chdir', launch.request.cwd ?? '/workspace', '--clearenv'],
    ...Object.entries(environment(launch)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--args', String(descriptors.variables)],
    ...['--seccomp', String(descriptors.seccomp), '--json-status-fd', String(descriptors.status), '--'],
    ...limitArguments(launch),
    ...command(launch),
  ];
}

function userArguments({ user }: SandboxSpec): string[] {
  const change = user.isDedicated ? ['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups'] : [];
  return ['setpriv', ...change, '--no-new-privs', '--pdeathsig', 'KILL', '--'];
}

const namespaceArguments = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--uid', '65534', '--gid', '65534'],
  ...['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
];

/** Read-only mounts of the host's programs; the sandbox sees nothing else of the host. */
function systemMounts(): string[] {
  const tops = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap((name) => {
    const entry = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (entry?.isSymbolicLink()) return ['--symlink', `usr/${name}`, `/${name}`];
    return entry?.isDirectory() ? ['--ro-bind', `/${name}`, `/${name}`] : [];
  });
  const { passwd, group, hosts } = descriptors;
  return [
    ...['--ro-bind', '/usr', '/usr', ...tops, '--dir', '/etc'],
    ...['alternatives', 'ld.so.cache', 'ssl/certs', 'localtime'].flatMap((name) => [
      '--ro-bind-try',
      `/etc/${name}`,
      `/etc/${name}`,
    ]),
    ...['--ro-bind-data', String(passwd), '/etc/passwd', '--ro-bind-data', String(group), '/etc/group'],
    ...['--ro-bind-data', String(hosts), '/etc/hosts'],
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...['--dev', '/dev', '--size', String(16 * 1024 * 1024), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev'],
  ];
}

function environment({ spec, request }: Launch): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    ...(request.pty ? { TERM: 'xterm-256color' } : {}),
    ...spec.env,
  };
}

/**
 * Further arguments, passed by the descriptor `variables`: a process's arguments are visible to everybody on the
 * host.
 */
export const variableArguments = ({ env = {} }: StartRequest): string =>
  Object.entries(env)
    .flatMap(([name, value]) => ['--setenv', name, value])
    .map((argument) => `${argument}\0`)
    .join('');

/** Limits per process or file; the cgroup's limits for all together come on top. */
function limitArguments({ spec: { limits }, limitsMemoryPerProcess }: Launch): string[] {
  return [
    'prlimit',
    `--nproc=${limits.pids}`,
    `--nofile=${limits.openFiles}`,
    `--fsize=${limits.fileBytes}`,
    '--core=0',
    // Not RLIMIT_AS: WebAssembly reserves address space by the gigabyte without using it.
    ...(limitsMemoryPerProcess ? [`--data=${limits.memoryBytes}`] : []),
    '--',
  ];
}

function command({ spec, request: { argv: wanted, pty } }: Launch): string[] {
  const argv = spec.proxyDirectory ? bridged(nodeMount, wanted) : wanted;
  if (!pty) return argv;
  const resized = `stty cols ${pty.columns} rows ${pty.rows}; exec ${argv.map(shellQuote).join(' ')}`;
  return ['script', '-qefc', resized, '/dev/null'];
}

// Layout of cgroups on this host: mount points and this process's own group, v1, v2 or both.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Directories of this process's own cgroup, by what they control; null where the host has none. */
export interface CgroupLayout {
  /** Hierarchy of version 2, with the controllers it offers (none on hybrid hosts). */
  unified: string | null;
  memory: string | null;
  pids: string | null;
  cpu: string | null;
  cpuacct: string | null;
  freezer: string | null;
}

interface Mount {
  root: string;
  point: string;
  type: string;
  options: string[];
}

/** The layout from the texts of `/proc/self/mountinfo` and `/proc/self/cgroup`. */
export function parseLayout(mountInfo: string, ownCgroups: string): CgroupLayout {
  const mounts = mountInfo.split('\n').flatMap(parseMount);
  const own = ownCgroups.split('\n').map((line) => line.split(':'));
  const directory = (mount: Mount | undefined, path: string | undefined) =>
    mount && path !== undefined ? resolve(mount.point, `.${below(mount.root, path)}`) : null;
  const legacy = (controller: string) =>
    directory(
      mounts.find((mount) => mount.type === 'cgroup' && mount.options.includes(controller)),
      own
        .find(([, names]) => names?.split(',').includes(controller))
        ?.slice(2)
        .join(':'),
    );
  return {
    unified: directory(
      mounts.find((mount) => mount.type === 'cgroup2'),
      own
        .find(([id, names]) => id === '0' && names === '')
        ?.slice(2)
        .join(':'),
    ),
    memory: legacy('memory'),
    pids: legacy('pids'),
    cpu: legacy('cpu'),
    cpuacct: legacy('cpuacct'),
    freezer: legacy('freezer'),
  };
}

/** The layout of this host. All null where it has no cgroups. */
export async function readLayout(): Promise<CgroupLayout> {
  const [mountInfo, own] = await Promise.all(
    ['/proc/self/mountinfo', '/proc/self/cgroup'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return parseLayout(mountInfo ?? '', own ?? '');
}

/** `36 35 98:0 /root /point options [optional…] - type source superOptions` (proc_pid_mountinfo(5)). */
function parseMount(line: string): Mount[] {
  const [before, after] = line.split(' - ');
  const [, , , root, point] = before?.split(' ') ?? [];
  const [type, , options] = after?.split(' ') ?? [];
  if (!root || !point || (type !== 'cgroup' && type !== 'cgroup2')) return [];
  return [{ root, point, type, options: options?.split(',') ?? [] }];
}

/** In a container the mount shows only a part of the hierarchy. */
function below(root: string, path: string): string {
  if (root === '/' || root.startsWith('/..')) return path.startsWith('/..') ? '/' : path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : '/';
}

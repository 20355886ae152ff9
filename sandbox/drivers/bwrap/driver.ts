// The bubblewrap driver: every command in fresh namespaces over the sandbox's workspace, no daemon needed.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, lchown, mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import { deleteTree } from '../../disk/delete-tree.ts';
import type { DriverSandbox, SandboxDriver, SandboxSpec } from '../driver.ts';
import { Cgroups } from './cgroups.ts';
import { Fifos } from './fifos.ts';
import type { BwrapHost } from './host.ts';
import { probeBwrap } from './probe.ts';
import { startTime } from './process-tree.ts';
import { createRecords } from './records.ts';
import { BwrapSandbox } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';

export interface BwrapOptions {
  /** Directory of the server for pipes, records and each sandbox's /tmp. */
  directory: string;
  clock?: Clock;
}

/** A driver on Linux with `bwrap`, `setpriv` and `prlimit`; root or not. */
export function createBwrapDriver({ directory, clock = systemClock }: BwrapOptions): SandboxDriver {
  let host: Promise<BwrapHost> | null = null;
  const prepare = () => {
    host ??= prepareHost(directory, clock).catch((error: unknown) => {
      host = null;
      throw error;
    });
    return host;
  };
  const driver: SandboxDriver = {
    name: 'bwrap',
    probe: () => probeBwrap(prepare, (spec) => driver.create(spec)),
    create: async (spec) => create(await prepare(), spec),
    reconcile: async () => reconcile(await prepare()),
  };
  return driver;
}

async function prepareHost(directory: string, clock: Clock): Promise<BwrapHost> {
  if (process.platform !== 'linux' || (process.arch !== 'x64' && process.arch !== 'arm64')) {
    throw new Fault('NOT_CONFIGURED', `bubblewrap sandboxes need Linux on x64 or arm64, not ${process.platform}.`, {
      hint: 'Use the Docker driver on this machine.',
    });
  }
  const pipes = join(directory, 'pipes', await ownName());
  const sandboxes = join(directory, 'sandboxes');
  await removeDeadPipes(join(directory, 'pipes'));
  await mkdir(pipes, { recursive: true, mode: 0o700 });
  await mkdir(sandboxes, { recursive: true });
  // The sandbox's user may pass through to its own directory, but not list the others'.
  await chmod(sandboxes, 0o711);
  const file = async (name: string, content: string | Buffer) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  return {
    cgroups: await Cgroups.open(await instanceOf(directory), clock),
    fifos: new Fifos(pipes),
    records: createRecords(join(directory, 'records')),
    sandboxes,
    clock,
    files: {
      seccomp: await file('seccomp.bpf', seccompFilter(process.arch)),
      passwd: await file('passwd', 'sandbox:x:65534:65534:sandbox:/tmp:/bin/sh\n'),
      group: await file('group', 'sandbox:x:65534:\n'),
      hosts: await file('hosts', '127.0.0.1 localhost sandbox\n::1 localhost\n'),
    },
  };
}

/** Name of the server's data directory, the same at every boot. */
const instanceOf = async (directory: string) =>
  createHash('sha256')
    .update(await realpath(directory))
    .digest('hex')
    .slice(0, 12);

/** Name of this process, unique over time. */
const ownName = async () => `${process.pid}-${await startTime(process.pid)}`;

/** Removes the pipes of dead servers. */
async function removeDeadPipes(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const [pid, start] = name.split('-').map(Number);
    if (pid && (await startTime(pid)) !== start) await rm(join(parent, name), { recursive: true, force: true });
  }
}

async function create(host: BwrapHost, spec: SandboxSpec): Promise<DriverSandbox> {
  if (!/^[a-z0-9][a-z0-9-]{0,47}$/.test(spec.id)) {
    throw new Fault('VALIDATION_FAILED', `“${spec.id}” is no sandbox id.`, {
      hint: 'Use lower-case letters and digits.',
    });
  }
  await requireWorkspace(spec);
  const directory = join(host.sandboxes, spec.id);
  const temporary = join(directory, 'tmp');
  await deleteTree(directory);
  await mkdir(temporary, { recursive: true });
  await chmod(directory, 0o711);
  await chmod(temporary, 0o700);
  if (spec.user.isDedicated) await lchown(temporary, spec.user.uid, spec.user.gid);
  const paths = [spec.workspace, temporary, ...(spec.proxyDirectory ? [spec.proxyDirectory, process.execPath] : [])];
  const reachable = await Promise.all(paths.map((path) => isReachable(path)));
  return BwrapSandbox.open(host, spec, {
    directory,
    temporary,
    isStaged: spec.user.isDedicated && !reachable.every(Boolean),
  });
}

async function requireWorkspace({ workspace, user }: SandboxSpec): Promise<void> {
  const found = await stat(workspace).catch(() => null);
  if (!found?.isDirectory()) throw new Fault('INTERNAL_ERROR', 'The workspace of the sandbox is no directory.');
  if (user.isDedicated ? found.uid === user.uid : await isWritable(workspace)) return;
  throw new Fault('INTERNAL_ERROR', 'The workspace does not belong to the user of the sandbox.');
}

const isWritable = (path: string) =>
  access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );

/** Whether all users may pass through every parent folder. */
async function isReachable(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === '/') return true;
  }
}

async function reconcile(host: BwrapHost): Promise<string[]> {
  const orphans = await host.records.orphans();
  for (const orphan of orphans) {
    await host.cgroups.removeDirectories(orphan.cgroupDirectories);
    if (dirname(orphan.directory) === host.sandboxes) await deleteTree(orphan.directory);
    await host.records.remove(orphan.id);
  }
  return orphans.map((orphan) => orphan.id);
}

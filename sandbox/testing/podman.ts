// Podman's Docker-compatible service for tests, on storage of its own and with an image made of busybox.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import Docker from 'dockerode';

export interface TestEngine {
  socket: string;
  image: string;
  stop(): void;
}

const image = 'rivulet-sandbox-test';
const overlayMagic = 0x794c7630;
const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));

/** Reason why no engine can be started here; null when one can. */
export function podmanObstacle(): string | null {
  if (process.geteuid?.() !== 0) return 'it needs root';
  if (!busybox) return 'busybox (package busybox-static) is not installed';
  for (const program of ['podman', 'crun', 'unshare']) {
    if (!isInstalled(program)) return `${program} is not installed`;
  }
  return null;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts the service and imports the image. Throws when Podman can't work here. */
export async function startPodman(): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'rivulet-podman-'));
  const socket = join(directory, 'podman.sock');
  // Layers can't be stacked on a file system that is itself made of layers.
  const storage = statfsSync(directory).type === overlayMagic ? 'vfs' : 'overlay';
  const podman = `podman --root ${directory}/root --runroot ${directory}/run --tmpdir ${directory}/tmp --runtime crun --cgroup-manager cgroupfs --storage-driver ${storage} --events-backend file`;
  // crun refuses hybrid cgroups, so it is shown version 1 alone.
  const script = `umount /sys/fs/cgroup/unified 2>/dev/null; exec ${podman} system service --time 0 unix://${socket}`;
  const service = spawn('unshare', ['--mount', '/bin/sh', '-c', script], {
    cwd: directory,
    env: { ...process.env, PATH: `${withoutPackages(directory)}:${process.env.PATH}` },
    stdio: 'ignore',
    detached: true,
  });
  const engine = { socket, image, stop: () => stop(service, directory) };
  try {
    await until(() => existsSync(socket));
    await importImage(new Docker({ socketPath: socket }), directory);
    return engine;
  } catch (error) {
    engine.stop();
    throw error;
  }
}

/** A folder with a `dpkg-query` that knows nothing: Debian's Podman asks it at each look at the engine, for a tenth of a second. */
function withoutPackages(directory: string): string {
  const folder = join(directory, 'bin');
  mkdirSync(folder);
  symlinkSync('/bin/false', join(folder, 'dpkg-query'));
  return folder;
}

function stop(service: ChildProcess, directory: string): void {
  service.kill('SIGKILL');
  // Its monitors stay for minutes after what they watched; the directory in their arguments is ours alone.
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (isMonitorOf(pid, directory)) process.kill(Number(pid), 'SIGKILL');
  }
  try {
    execFileSync('/bin/sh', ['-c', `umount -R ${directory}/root ${directory}/run 2>/dev/null; true`]);
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // Mounts of a container that is still going away: the directory is in /tmp and harmless.
  }
}

function isMonitorOf(pid: string, directory: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /^\S*conmon\0/.test(command) && command.includes(`${directory}/`);
  } catch {
    return false;
  }
}

async function importImage(docker: Docker, directory: string): Promise<void> {
  const root = join(directory, 'image');
  for (const folder of ['bin', 'etc', 'tmp', 'proc', 'dev', 'sys', 'run', 'workspace']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync(busybox as string, join(root, 'bin/busybox'));
  for (const applet of execFileSync(busybox as string, ['--list'])
    .toString()
    .split('\n')) {
    if (applet && applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet));
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n');
  addPython(root);
  addProgram(root, process.execPath, 'bin/node');
  const archive = join(directory, 'image.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  const stream = await docker.importImage(archive, { repo: image, tag: 'latest' });
  stream.resume();
  await new Promise((resolve) => stream.once('end', resolve));
}

/** Copies a program of the host into the image, with the libraries that it is linked to. */
function addProgram(root: string, program: string, at: string): void {
  const linked = execFileSync('ldd', [program]).toString();
  for (const library of linked.match(/\/\S+/g) ?? []) copyInto(root, library, library);
  copyInto(root, realpathSync(program), at);
}

/** Python as the host has it, so that suites can make system calls; none where there is none. */
function addPython(root: string): void {
  const python = '/usr/bin/python3';
  if (!existsSync(python)) return;
  const name = basename(realpathSync(python));
  addProgram(root, python, `usr/bin/${name}`);
  symlinkSync(`../usr/bin/${name}`, join(root, 'bin/python3'));
  const parts = ['ctypes', 'collections', 'encodings', 'importlib', 're', 'lib-dynload'];
  const library = join('/usr/lib', name);
  for (const entry of readdirSync(library))
    if (entry.endsWith('.py') || parts.includes(entry))
      cpSync(join(library, entry), join(root, library, entry), { recursive: true });
  for (const module of readdirSync(join(library, 'lib-dynload')).filter((file) => /^_(ctypes|socket)\./.test(file)))
    addProgram(root, join(library, 'lib-dynload', module), join(library, 'lib-dynload', module));
}

function copyInto(root: string, from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(from, join(root, to));
  chmodSync(join(root, to), 0o755);
}

/** Polls until the condition holds; gives up after ten seconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not so after ten seconds: ${isSo}`);
}

// What a hostile command tries, on every driver that works here: all of it must be held, and the server unharmed.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: every attempt runs against the same sandboxes.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../src/kernel/clock.ts';
import { openSandbox, type Sandbox } from './commands/sandbox.ts';
import { deleteTree } from './disk/delete-tree.ts';
import type { SandboxDriver } from './drivers/driver.ts';
import { openProxy } from './network/proxy.ts';
import { freshSandbox, runIn, testDrivers } from './testing/drivers.ts';
import { until } from './testing/podman.ts';
import { processesWith } from './testing/processes.ts';
import { gitVersion } from './workspace/git.ts';
import { Workspaces } from './workspace/workspaces.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const drivers = await testDrivers();
afterAll(() => {
  for (const driver of drivers) driver.stop();
});
if (drivers.length === 0) test.skip('no sandbox driver works on this machine', () => {});

/** How a probe speaks of limits that are not held. */
const words = { memory: /memory/i, pids: /process|pids/i, cpu: /cpu/i };

describe.each(drivers)('$name', ({ name, make, recipe, enforces }) => {
  let directory: string;
  let driver: SandboxDriver;
  let sandbox: Sandbox;
  let hasPython: boolean | undefined;
  let server: Server;
  let knocks = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      knocks += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rivulet-escape-'));
    writeFileSync(join(directory, 'secret'), 'host secret', { mode: 0o666 });
    driver = make(directory);
    sandbox = await freshSandbox(driver, directory, 'escape', { memoryBytes: 128 * 2 ** 20, pids: 64 });
    hasPython ??= (await runIn(sandbox, 'command -v python3')).exitCode === 0;
  });
  afterEach(async () => {
    const after = await runIn(sandbox, 'echo unharmed').catch((error: Error) => ({ stdout: error.message }));
    await sandbox.destroy();
    await deleteTree(directory);
    expect(after.stdout).toBe('unharmed\n');
  });
  const run = (command: string, more = {}) => runIn(sandbox, command, more);
  /** Runs Python where the sandbox has it. */
  const python = async (context: { skip(note: string): void }, code: string) => {
    if (!hasPython) context.skip('the image has no python3');
    return run(`python3 -c '${code}'`);
  };

  test('host files can be neither read nor written', async () => {
    const secret = join(directory, 'secret');
    for (const attempt of [
      `cat ${secret}`,
      `echo x > ${secret}`,
      `cat /proc/1/root${secret}`,
      `ls /workspace/../..${directory}`,
    ]) {
      const { exitCode, stdout } = await run(attempt);
      expect([attempt, exitCode === 0, stdout]).toEqual([attempt, false, '']);
    }
    expect((await run('cat /etc/shadow /root/.ssh/* /etc/machine-id')).stdout).toBe('');
    for (const path of ['/usr/x', '/etc/x', '/bin/x', '/x', '/dev/x', '/proc/x']) {
      expect((await run(`echo x > ${path}`)).exitCode).not.toBe(0);
    }
    expect(readFileSync(secret, 'utf8')).toBe('host secret');
  });

  test('the host’s network and abstract sockets are out of reach', async (context) => {
    const { port } = server.address() as { port: number };
    const abstract = createServer((socket) => {
      knocks += 1;
      socket.destroy();
    });
    const called = `rivulet-${process.pid}-${Date.now()}`;
    await new Promise<void>((resolve) => abstract.listen(`\0${called}`, resolve));
    expect(readFileSync('/proc/net/unix', 'utf8')).toContain(`@${called}`);
    await run(
      `nc -w 1 127.0.0.1 ${port} </dev/null; wget -T 1 -q -O - http://127.0.0.1:${port}; (exec 3<>/dev/tcp/127.0.0.1/${port})`,
    );
    expect((await run('cat /proc/net/route')).stdout.trim().split('\n').length).toBeLessThanOrEqual(1);
    expect((await run('cat /proc/net/unix')).stdout).not.toContain('@');
    const result = await python(
      context,
      `import socket; s = socket.socket(); s.settimeout(1); s.connect(("127.0.0.1", ${port}))`,
    );
    expect(result.exitCode).not.toBe(0);
    const unheard = await python(
      context,
      `import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(1); s.connect("\\0${called}")`,
    );
    abstract.close();
    expect(unheard.stderr).toContain('Connection refused');
    expect(knocks).toBe(0);
  });

  test('with a list of hosts those are reached through the proxy, and nothing else', async () => {
    const { port } = server.address() as { port: number };
    const refused: string[] = [];
    const proxy = await openProxy({
      allow: [`inside.test:${port}`],
      allowsPrivate: true,
      resolve: async () => ['127.0.0.1'],
      onRefused: (reason) => refused.push(reason),
    });
    const { workspace, user, limits } = sandbox.spec;
    const online = await openSandbox(
      driver,
      { id: 'online', workspace, user, limits, proxyDirectory: proxy.directory },
      systemClock,
    );
    // The program exits once it has its answer: Node would keep the connection until the proxy closes it, six seconds later.
    const get = (url: string) =>
      runIn(
        online,
        `$(command -v node || echo /opt/rivulet-node) -e 'require("http").get({ host: "127.0.0.1", port: 3128, path: "${url}" }, (r) => { console.log(r.statusCode); process.exit(); })'; echo $http_proxy; exit 5`,
      );
    const before = knocks;
    // The listed server hangs up at once: 502 is its answer through the proxy.
    expect(await get(`http://inside.test:${port}/`)).toMatchObject({
      exitCode: 5,
      stdout: '502\nhttp://127.0.0.1:3128\n',
    });
    expect(knocks).toBe(before + 1);
    expect((await get('http://elsewhere.test/')).stdout).toMatch(/^403/);
    expect(refused).toEqual([expect.stringContaining('elsewhere.test')]);
    expect((await runIn(online, 'cat /proc/net/route')).stdout.trim().split('\n').length).toBeLessThanOrEqual(1);
    const late = await runIn(online, 'trap "echo asked; exit 4" TERM; sleep 30 & wait', { timeoutMs: 1_000 });
    expect(late).toMatchObject({ endedBy: 'timeout', stdout: 'asked\n', exitCode: 4 });
    await online.destroy();
    await proxy.close();
    knocks = before;
  });

  /** Each must fail, whatever of its programs is installed; what it prints must not be the host's. */
  const attempts: readonly (readonly [name: string, command: string])[] = [
    ['read the host’s passwords', 'cat /etc/shadow'],
    ['read the host’s users', 'grep -q "^root:" /etc/passwd'],
    ['read root’s home', 'ls /root/.ssh /root/.bashrc'],
    ['list homes', 'ls /home/*'],
    [
      'read the host’s configuration',
      'cat /etc/hostname /etc/machine-id 2>/dev/null | grep -q "$(hostname)" && false; cat /etc/crontab',
    ],
    ['reach the root through a process', 'ls /proc/1/root/root'],
    ['reach the root through the kernel’s view', `ls /proc/${process.pid}/root`],
    ['read the server’s environment', `cat /proc/${process.pid}/environ`],
    ['read the server’s memory', `cat /proc/${process.pid}/mem`],
    ['read the launcher’s environment', 'tr "\\0" "\\n" < /proc/1/environ | grep -q RIVULET'],
    ['read kernel memory', 'head -c 1 /proc/kcore'],
    ['read physical memory', 'head -c 1 /dev/mem'],
    ['read kernel symbols', 'grep -q "^[0-9a-f]*[1-9a-f][0-9a-f]* . commit_creds" /proc/kallsyms'],
    ['read disks', 'head -c 1 /dev/sda /dev/vda /dev/nvme0n1'],
    ['read kernel messages', 'head -c 1 /dev/kmsg'],
    ['write to kernel messages', 'echo x > /dev/kmsg'],
    ['talk to Docker', 'ls /var/run/docker.sock /run/podman/podman.sock'],
    ['talk to systemd', 'ls /run/systemd/private /run/dbus/system_bus_socket'],
    ['write programs', 'echo x > /usr/bin/planted'],
    ['replace programs', 'cp /bin/true /usr/bin/env'],
    ['write libraries', 'echo x > /usr/lib/planted.so'],
    ['write configuration', 'echo x > /etc/ld.so.preload'],
    ['write to the root', 'mkdir /planted'],
    ['write devices', 'echo x > /dev/planted'],
    ['remount programs', 'mount -o remount,rw /usr'],
    ['bind over programs', 'mount --bind /tmp /usr/bin'],
    ['mount a proc of its own', 'mount -t proc proc /tmp'],
    [
      'mount an overlay',
      'mkdir -p /tmp/o/u /tmp/o/w && mount -t overlay -o lowerdir=/usr,upperdir=/tmp/o/u,workdir=/tmp/o/w none /usr',
    ],
    ['mount cgroups', 'mkdir -p /tmp/cg && mount -t cgroup -o memory none /tmp/cg'],
    ['mount debugfs', 'mount -t debugfs none /tmp'],
    ['set a release agent', 'echo /tmp/x > /sys/fs/cgroup/release_agent'],
    ['raise its own limits', 'echo max > /sys/fs/cgroup/memory.max'],
    ['leave its cgroup', 'echo 0 > /sys/fs/cgroup/cgroup.procs'],
    ['set a core handler', 'echo "|/workspace/x" > /proc/sys/kernel/core_pattern'],
    ['set the module loader', 'echo /workspace/x > /proc/sys/kernel/modprobe'],
    ['load a module', 'insmod /tmp/none.ko'],
    ['set a hotplug helper', 'echo /workspace/x > /sys/kernel/uevent_helper'],
    ['reboot', 'echo b > /proc/sysrq-trigger'],
    ['set the clock', 'date -s 2001-01-01 >/dev/null'],
    ['set the host’s name', 'hostname planted'],
    ['raise its priority', 'nice -n -10 sh -c "[ \\$(ps -o nice= -p \\$\\$ 2>/dev/null || echo 0) -lt 0 ]"'],
    ['escape the score of the memory killer', 'echo -1000 > /proc/self/oom_score_adj'],
    ['become root', 'su root -c true </dev/null'],
    ['become root by sudo', 'sudo -n true'],
    ['take a user of its own', 'setpriv --reuid 0 true'],
    ['make a program of root’s', 'cp /bin/sh /tmp/s && chown 0 /tmp/s'],
    ['make a device', 'mknod /workspace/disk b 8 0'],
    ['a new user namespace', 'unshare --user true'],
    ['a new user namespace by clone', 'unshare --user --map-root-user --mount true'],
    ['a new network', 'unshare --net true'],
    ['the namespaces of process 1', 'nsenter --target 1 --all true'],
    ['another root', 'chroot /workspace /bin/true'],
    ['trace process 1', 'strace -p 1'],
    ['kill the server', `kill -9 ${process.pid}`],
    ['stop the server', `kill -STOP ${process.pid}`],
    ['the metadata of clouds', 'wget -T 1 -q -O - http://169.254.169.254/ || (exec 3<>/dev/tcp/169.254.169.254/80)'],
    ['the host’s loopback', '(exec 3<>/dev/tcp/127.0.0.1/22)'],
    ['the internet by address', '(exec 3<>/dev/tcp/1.1.1.1/53)'],
    ['the internet by name', 'getent hosts example.com'],
    ['an interface of its own', 'ip link add dummy0 type dummy'],
    ['routes of its own', 'ip route add default via 10.0.0.1'],
    ['ping', 'ping -c 1 -W 1 127.0.0.1 2>/dev/null && ping -c 1 -W 1 1.1.1.1'],
    ['replace the repository’s pointer', '[ -e .git ] && echo x > .git'],
    ['a link of the host’s file', 'ln /etc/shadow /workspace/shadow'],
    ['read a link of the host’s file', 'ln -sf /etc/shadow /tmp/l && cat /tmp/l'],
    ['feed the terminal', 'exec 3<>/dev/tty'],
    ['feed a console', 'echo x > /dev/console; head -c 1 /dev/tty1'],
  ];

  test('none of a list of well-known ways out works', async (context) => {
    if (name !== 'bwrap') context.skip('a container has users and a root of its own, which these would find');
    // A way that hangs is one that does not lead out; a few at a time, as each is a sandboxed command of its own.
    const worked: string[] = [];
    for (const [title, command] of attempts) {
      const { exitCode } = await run(`( ${command} ) >/dev/null 2>&1`, { timeoutMs: 10_000 });
      if (exitCode === 0) worked.push(title);
    }
    expect(worked).toEqual([]);
  });

  test('kernel settings can’t be changed', async () => {
    for (const name of ['kernel/domainname', 'kernel/core_pattern', 'vm/overcommit_memory', 'net/ipv4/ip_forward']) {
      expect((await run(`echo 1 > /proc/sys/${name}`)).exitCode).not.toBe(0);
    }
    expect(
      (await run('echo b > /proc/sysrq-trigger; echo 0 > /sys/kernel/mm/transparent_hugepage/enabled; dmesg')).exitCode,
    ).not.toBe(0);
  });

  test('mounts, namespaces and other roots are refused', async () => {
    for (const attempt of [
      'mount -t tmpfs none /tmp',
      'mount -o remount,rw /',
      'umount /proc',
      'unshare -U true',
      'unshare -r true',
      'unshare -m true',
      'unshare -n true',
      'nsenter -t 1 -m true',
      'chroot / true',
      'mknod /tmp/disk b 8 0',
      'su -c true',
    ]) {
      expect(await run(attempt), attempt).not.toMatchObject({ exitCode: 0 });
    }
  });

  test('system calls that look into other processes or load into the kernel are refused', async (context) => {
    const x64 = {
      ptrace: 101,
      process_vm_readv: 310,
      add_key: 248,
      keyctl: 250,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      io_uring_setup: 425,
      open_by_handle_at: 304,
      init_module: 175,
      kexec_load: 246,
      personality: 135,
      setns: 308,
      unshare: 272,
      pivot_root: 155,
      mount: 165,
    };
    if (process.arch !== 'x64') context.skip('the numbers are those of x86-64');
    const list = Object.entries(x64)
      .map(([call, number]) => `("${call}", ${number})`)
      .join(', ');
    const { stdout, stderr } = await python(
      context,
      `import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nfor name, number in [${list}]:\n  r = libc.syscall(number, 0x10000000, 0, 0, 0, 0)\n  print(name, r, os.strerror(ctypes.get_errno()))`,
    );
    expect(stderr).toBe('');
    for (const line of stdout.trim().split('\n'))
      expect(line).toMatch(/ -1 (Operation not permitted|Function not implemented)$/);
    const sockets = await python(
      context,
      'import socket\nfor f in (16, 17, 38, 40):\n  try:\n    socket.socket(f, socket.SOCK_RAW); print("open", f)\n  except OSError as e: print("refused")',
    );
    expect(sockets.stdout).toBe('refused\n'.repeat(4));
    const terminal = await python(
      context,
      'import fcntl\ntry:\n  fcntl.ioctl(0, 0x5412, b"x"); print("fed")\nexcept OSError as e: print(e.errno)',
    );
    expect(terminal.stdout).toBe('1\n');
  });

  test('other processes of the host are neither seen nor signalled', async () => {
    expect((await run(`ls /proc/${process.pid}/root; kill -9 ${process.pid}; kill -9 -1`)).exitCode).not.toBe(0);
    const { stdout } = await run('cat /proc/[0-9]*/cmdline | tr "\\0" " "');
    expect(stdout).not.toContain('vitest');
  });

  test('it is not root, has no capability and can gain none', async () => {
    const { stdout } = await run('cat /proc/self/status; id -u');
    expect(stdout).toMatch(/CapEff:\s+0{16}/);
    expect(stdout).toMatch(/CapBnd:\s+0{16}/);
    expect(stdout).toMatch(/NoNewPrivs:\s+1/);
    expect(stdout).toMatch(/Seccomp:\s+2/);
    expect(stdout).not.toMatch(/\n0\n$/);
    const { uid } = sandbox.spec.user;
    if (process.geteuid?.() === 0) expect(uid).not.toBe(0);
  });

  test('a fork bomb stays small and ends', async () => {
    const mark = `20.${Math.floor(Math.random() * 1e8)}`;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, processesWith(`sleep\0${mark}`).length);
    }, 50);
    const bomb = await run(`i=0; while [ $i -lt 500 ]; do sleep ${mark} & i=$((i+1)); done; f() { f | f & }; f; wait`, {
      timeoutMs: 3_000,
    });
    clearInterval(watch);
    expect(bomb.endedBy).toMatch(/exit|timeout/);
    expect(most).toBeLessThanOrEqual(sandbox.spec.limits.pids);
    await sandbox.stop();
    await until(() => processesWith(`sleep\0${mark}`).length === 0);
  });

  test('a memory hog is killed and the limit is named', async () => {
    const hog = await run('exec dd if=/dev/zero of=/dev/null bs=600000000 count=1', { timeoutMs: 20_000 });
    if (enforces?.memory !== 'kernel') {
      // Without a cgroup the allocation itself is refused.
      expect(hog).toMatchObject({ exitCode: 1, endedBy: 'exit' });
      return;
    }
    expect(hog).toMatchObject({ exitCode: 137, endedBy: 'memory-limit', outOfMemory: true });
    expect(hog.system).toContain('out of memory');
    await sandbox.stop();
  });

  test('what this host cannot enforce is reported, and what the report calls held is held', async () => {
    const report = await driver.probe();
    expect(report.enforces).toEqual(enforces);
    expect(report.canary.filter((check) => !check.held)).toEqual([]);
    for (const limit of ['memory', 'pids', 'cpu'] as const)
      if (report.enforces[limit] !== 'kernel') expect(report.warnings.join(' ')).toMatch(words[limit]);
    if (enforces?.cpu !== 'kernel') return;
    const slow = await freshSandbox(driver, directory, 'slow', { cpus: 0.25 });
    const spun = await runIn(slow, 'timeout 2 sh -c "while :; do :; done"; cat /proc/self/stat >/dev/null; times');
    await slow.destroy();
    const [, , user = ''] = /(\d+)m([\d.]+)s/.exec(spun.stdout.trim().split('\n').at(-1) ?? '') ?? [];
    expect(Number(user)).toBeLessThan(1.2);
  });

  test('a full disk ends the command that filled it, and can be cleared', async () => {
    const small = await freshSandbox(driver, directory, 'small', { workspaceBytes: 20e6, fileBytes: 5e6 });
    const one = await runIn(small, 'dd if=/dev/zero of=big bs=1000000 count=10; ls -l big; truncate -s 100000000 big');
    expect(one.stdout).toMatch(/ 5000000 /);
    const full = await runIn(
      small,
      'i=0; while :; do i=$((i+1)); dd if=/dev/zero of=f$i bs=1000000 count=1 2>/dev/null; done',
      { timeoutMs: 30_000 },
    );
    expect(full.endedBy).toBe('workspace-limit');
    expect(full.system).toContain('full');
    expect((await runIn(small, 'rm -f f* big && echo cleared')).stdout).toBe('cleared\n');
    const names = await freshSandbox(driver, directory, 'names', { workspaceFiles: 500 });
    const many = await runIn(names, 'i=0; while :; do i=$((i+1)); : > n$i; done', { timeoutMs: 30_000 });
    expect(many.endedBy).toBe('workspace-limit');
    await names.destroy();
    const burst = await freshSandbox(driver, directory, 'burst', { workspaceFiles: 2_000 });
    const files = await runIn(burst, 'seq 300000 | xargs touch', { timeoutMs: 60_000 });
    expect(files.endedBy).toBe('workspace-limit');
    expect((await burst.diskUsage()).files).toBeLessThan(150_000);
    expect((await runIn(burst, 'true')).endedBy).toBe('exit');
    await burst.destroy();
    const deep = await freshSandbox(driver, directory, 'deep', { workspaceBytes: 20e6, fileBytes: 5e6 });
    const dug = await runIn(
      deep,
      `name=$(printf 'd%.0s' $(seq 200)); i=0; while [ $i -lt 40 ]; do mkdir $name && cd $name || break; i=$((i+1)); done
       i=0; while :; do i=$((i+1)); dd if=/dev/zero of=f$i bs=1000000 count=1 2>/dev/null; done`,
      { timeoutMs: 30_000 },
    );
    expect(dug.endedBy).toBe('workspace-limit');
    await deep.destroy();
    await small.destroy();
  });

  test('files that are deleted while they are open count until they are closed', async (context) => {
    const small = await freshSandbox(driver, directory, 'nameless', { workspaceBytes: 20e6, fileBytes: 5e6 });
    const fill = (of: string) =>
      `for i in 3 4 5 6 7 8 9; do eval "exec $i>f$i"; rm f$i; dd if=/dev/zero bs=1000000 count=4 >&$i 2>/dev/null; done; ${of}`;
    const held = await runIn(small, fill('sleep 60'), { timeoutMs: 20_000 });
    expect(held.endedBy).toBe('workspace-limit');
    expect((await small.diskUsage()).bytes).toBeLessThan(1e6);
    expect((await runIn(small, 'echo freed')).stdout).toBe('freed\n');
    await small.destroy();
    const mapping = await freshSandbox(driver, directory, 'mapped', { workspaceBytes: 20e6, fileBytes: 5e6 });
    if (!hasPython) context.skip('the image has no python3');
    const code =
      'import mmap, os, time\nmaps = []\nfor i in range(7):\n  f = open("m", "w+b"); f.write(b"x" * 4000000); f.flush()\n  maps.append(mmap.mmap(f.fileno(), 4096)); f.close(); os.unlink("m")\ntime.sleep(60)';
    const mapped = await runIn(mapping, `python3 -c '${code}'`, { timeoutMs: 20_000 });
    await mapping.destroy();
    expect(mapped.endedBy).toBe('workspace-limit');
  });

  test('an output flood is cut exactly, said so, and does not grow the server', async () => {
    const before = process.memoryUsage().rss;
    const flood = await run('yes', { outputBytes: 5_000_000, onOutput: () => {} });
    expect(flood).toMatchObject({ endedBy: 'output-limit', outputBytes: 5_000_000, truncated: true });
    const slow = await run('yes | head -c 300000', { onOutput: () => systemClock.sleep(1) });
    expect(slow).toMatchObject({ endedBy: 'exit', outputBytes: 300_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
  });

  test('ignored signals do not help', async () => {
    const stubborn = await run('trap "" TERM INT HUP; while :; do sleep 1; done', { timeoutMs: 300, graceMs: 300 });
    expect(stubborn).toMatchObject({ endedBy: 'timeout', exitCode: 137 });
  });

  test('daemons end with their command or at the latest with the sandbox', async () => {
    const mark = `9${Math.floor(Math.random() * 1e8)}`;
    await run(`(setsid sleep ${mark} >/dev/null 2>&1 </dev/null &); (nohup sleep ${mark} >/dev/null 2>&1 &)`);
    if (name === 'bwrap') await until(() => processesWith(mark).length === 0);
    await sandbox.stop();
    await until(() => processesWith(mark).length === 0);
  });

  test('a daemon that holds the output open does not keep its command from ending', async () => {
    // One that waited for the daemon would end by its time.
    const held = await run('(sleep 600 &); echo done', { timeoutMs: 40_000 });
    expect(held).toMatchObject({ exitCode: 0, endedBy: 'exit', stdout: 'done\n' });
    await sandbox.stop();
  });

  test('links and repositories planted by a command mislead no reader of the host', async (context) => {
    if (!(await gitVersion().catch(() => null))) context.skip('git is not installed');
    const workspaces = new Workspaces({ directory: join(directory, 'workspaces'), clock: systemClock });
    const workspace = await workspaces.open({ store: 'project-1', key: 'planted' });
    const { directory: tree, user, files } = workspace;
    const planting = await openSandbox(
      driver,
      { id: 'planted', workspace: tree, user, limits: sandbox.spec.limits },
      systemClock,
    );
    const planted = await runIn(
      planting,
      `ln -s ${directory}/secret file; ln -s ${directory} folder; ln -s / root; rm -rf .git; mv .git g; echo x > .git
       mkdir -p sub/.git/hooks sub/.git/objects sub/.git/refs && echo "ref: refs/heads/main" > sub/.git/HEAD
       for hook in pre-commit post-commit post-checkout post-index-change; do
         printf '#!/bin/sh\\ntouch ${directory}/trap\\n' > sub/.git/hooks/$hook && chmod 755 sub/.git/hooks/$hook
       done
       printf '[core]\\n\\tfsmonitor = touch ${directory}/trap\\n' > sub/.git/config; echo inner > sub/inner; echo fine > fine`,
    );
    expect(planted.exitCode).toBe(0);
    const author = { name: 'run', email: 'run@rivulet.invalid' };
    await workspace.checkpoint('Planted', author, (work) => planting.whilePaused(work));
    const diff = await workspace.diff({}, (work) => planting.whilePaused(work));
    expect(diff.files.map((file) => file.path)).toEqual(['file', 'fine', 'folder', 'root', 'sub/inner']);
    expect(diff.patch).not.toContain('host secret');
    for (const path of ['file', 'folder/secret', `root${directory}/secret`, '../secret']) {
      await expect(files.readText(path)).rejects.toThrow();
      await expect(files.write(path, 'x')).rejects.toThrow();
    }
    expect(existsSync(join(directory, 'trap'))).toBe(false);
    expect(readFileSync(join(directory, 'secret'), 'utf8')).toBe('host secret');
    await planting.destroy();
  });

  test('kill -9 of the server leaves no process, nothing leaks to commands, and the next server clears up', async () => {
    const mark = `8${Math.floor(Math.random() * 1e8)}`;
    const leak = openSync(join(directory, 'secret'), 'r+');
    const { child, line } = startServer([recipe.name, directory, recipe.socket, recipe.image, mark], leak);
    const { stdout } = JSON.parse(await line()) as { stdout: string };
    expect(stdout).not.toContain('secret');
    expect(stdout).not.toContain('LEAKED');
    expect(await line()).toBe('running');
    const isSleeping = (pid: string) => /^sleep\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    expect(processesWith(mark).filter(isSleeping).length).toBe(3);
    child.kill('SIGKILL');
    await until(() => processesWith(mark).length === 0);
    const next = make(directory);
    expect(await next.reconcile()).toContain('doomed');
    expect(await next.reconcile()).not.toContain('doomed');
    const revived = await freshSandbox(next, directory, 'doomed');
    expect((await runIn(revived, 'echo again')).stdout).toBe('again\n');
    await revived.destroy();
  });
});

/** Starts `testing/server.ts` with a descriptor and a variable that must not reach its sandbox. */
function startServer(args: string[], leak: number): { child: ChildProcess; line: () => Promise<string> } {
  const script = join(import.meta.dirname, 'testing/server.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    env: { PATH: '/usr/bin:/bin', SECRET: 'LEAKED' },
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit', leak, leak],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value ?? '' };
}

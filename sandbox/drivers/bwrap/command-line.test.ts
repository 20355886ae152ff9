import { execFileSync } from 'node:child_process';
import { platform } from 'node:os';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../limits.ts';
import type { SandboxSpec, StartRequest } from '../driver.ts';
import { commandLine, type Launch, variableArguments } from './command-line.ts';

const spec: SandboxSpec = {
  id: 'run-1',
  workspace: '/data/trees/run-1',
  limits: defaultLimits,
  user: { uid: 61_200, gid: 61_200, isDedicated: true },
  env: { LANG: 'de_DE.UTF-8' },
};
const request: StartRequest = { argv: ['node', 'a b.js'], stdin: null, env: { CI: '1' } };

const launching: Launch = {
  spec,
  request,
  temporary: '/data/sandboxes/run-1/tmp',
  hasGitFile: true,
  joinFiles: [],
  isStaged: false,
  limitsMemoryPerProcess: false,
};
const build = (more: Partial<Launch> = {}) => commandLine({ ...launching, ...more }).join(' ');

test('the command runs as its own user, in its own namespaces, without capabilities', () => {
  const line = build();
  expect(line).toMatch(
    / -- setpriv --reuid 61200 --regid 61200 --clear-groups --no-new-privs --pdeathsig KILL -- bwrap /,
  );
  expect(line).toContain('--unshare-all --unshare-user --disable-userns');
  expect(line).toContain('--die-with-parent --new-session --cap-drop ALL');
  expect(line).toMatch(/-- prlimit --nproc=128 --nofile=1024 --fsize=268435456 --core=0 -- node a b.js$/);
});

test('of the host only programs are there, read-only, and the workspace', () => {
  const mounts = [...build().matchAll(/--(?:ro-)?bind(?:-try)? (\S+) (\S+)/g)].map(([, from, to]) => `${from} ${to}`);
  const expected = /^\/(usr|s?bin|lib\w*) |^\/etc\/(alternatives|ld\.so\.cache|ssl\/certs|localtime) |^\/proc\/sys /;
  expect(mounts.filter((mount) => !expected.test(mount))).toEqual([
    '/data/sandboxes/run-1/tmp /tmp',
    '/data/trees/run-1 /workspace',
    '/data/trees/run-1/.git /workspace/.git',
  ]);
  expect(build()).not.toMatch(/--bind \/(usr|etc|proc)/);
  expect(build()).toContain('--remount-ro / --chdir /workspace --clearenv');
});

test('a .git that is no regular file is no mount point', () => {
  expect(build({ hasGitFile: false })).not.toContain('/workspace/.git');
});

test('the environment is the sandbox’s and the command’s alone', () => {
  const names = [...build().matchAll(/--setenv (\S+) (\S+)/g)].map(([, name, value]) => `${name}=${value}`);
  expect(names).toEqual(['PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/tmp', 'LANG=de_DE.UTF-8']);
  expect(build()).toContain('--args 8');
  expect(variableArguments(request)).toBe('--setenv\0CI\x001\0');
});

test('the launcher joins its cgroups first and binds what its user could not reach', () => {
  const line = build({ joinFiles: ['/sys/fs/cgroup/a/cgroup.procs'], isStaged: true });
  expect(line).toMatch(
    /^\/bin\/sh -c .* sandbox \/sys\/fs\/cgroup\/a\/cgroup.procs -- unshare --mount --propagation private/,
  );
  expect(line).toContain(`sandbox /data/trees/run-1 /data/sandboxes/run-1/tmp  ${process.execPath} setpriv`);
  expect(line).toContain('--bind /mnt/workspace /workspace');
});

test('without root there is no change of user; without a memory cgroup each process has the limit', () => {
  const line = build({ spec: { ...spec, user: { ...spec.user, isDedicated: false } }, limitsMemoryPerProcess: true });
  expect(line).toMatch(/ -- setpriv --no-new-privs/);
  expect(line).toContain('--data=536870912');
});

test.skipIf(platform() !== 'linux')('where memory is at its end the kernel ends the command, not the server', () => {
  const line = commandLine({ ...launching, request: { ...request, argv: [] } });
  const [program = '', ...args] = line.slice(0, line.indexOf('setpriv'));
  const score = execFileSync(program, [...args, 'cat', '/proc/self/oom_score_adj'], { encoding: 'utf8' });
  expect(score).toBe('1000\n');
});

test('a terminal has its size before the command starts', () => {
  const line = commandLine({
    spec,
    request: { ...request, pty: { columns: 80, rows: 24 } },
    temporary: '/tmp/x',
    hasGitFile: false,
    joinFiles: [],
    isStaged: false,
    limitsMemoryPerProcess: false,
  });
  expect(line.slice(-4)).toEqual(['script', '-qefc', "stty cols 80 rows 24; exec node 'a b.js'", '/dev/null']);
});

import { expect, test } from 'vitest';
import { parseLayout } from './cgroup-layout.ts';

const none = { unified: null, memory: null, pids: null, cpu: null, cpuacct: null, freezer: null };

test('version 2 alone', () => {
  const mounts = '30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
  expect(parseLayout(mounts, '0::/system.slice/rivulet.service\n')).toEqual({
    ...none,
    unified: '/sys/fs/cgroup/system.slice/rivulet.service',
  });
});

test('hybrid: controllers of version 1 beside an empty version 2', () => {
  const mounts = [
    '31 24 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    '32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
    '33 24 0:29 / /sys/fs/cgroup/pids rw shared:4 - cgroup cgroup rw,pids',
    '34 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
  ].join('\n');
  const own = '9:memory:/user/one\n8:cpu,cpuacct:/\n7:pids:/p:q\n0::/\n';
  expect(parseLayout(mounts, own)).toEqual({
    unified: '/sys/fs/cgroup/unified',
    memory: '/sys/fs/cgroup/memory/user/one',
    cpu: '/sys/fs/cgroup/cpu,cpuacct',
    cpuacct: '/sys/fs/cgroup/cpu,cpuacct',
    pids: '/sys/fs/cgroup/pids/p:q',
    freezer: null,
  });
});

test('in a container the mount shows a part of the hierarchy', () => {
  const mounts = '30 24 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory';
  expect(parseLayout(mounts, '5:memory:/docker/abc/inner\n').memory).toBe('/sys/fs/cgroup/memory/inner');
  expect(parseLayout(mounts, '5:memory:/elsewhere\n').memory).toBe('/sys/fs/cgroup/memory');
});

test('no cgroups at all', () => {
  expect(parseLayout('', '')).toEqual(none);
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedClock } from '../../../src/kernel/simulated-clock.ts';
import { defaultLimits } from '../../limits.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { Cgroups } from './cgroups.ts';

// Plain directories stand in for the kernel's: what is written where is what matters here.
let root: string;
const clock = new SimulatedClock();
const nothing: CgroupLayout = { unified: null, memory: null, pids: null, cpu: null, cpuacct: null, freezer: null };
const limits = { ...defaultLimits, memoryBytes: 100_000_000, pids: 60, cpus: 0.5 };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rivulet-cgroups-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const make = (name: string, files: Record<string, string> = {}) => {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(directory, file), content);
  return directory;
};
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

test.skipIf(process.platform === 'win32')(
  'version 2: controllers are handed down and limits set in one group',
  async () => {
    const unified = make('v2', { 'cgroup.controllers': 'cpuset cpu io memory pids' });
    const cgroups = await Cgroups.open('abc', clock, { ...nothing, unified });
    expect(cgroups.support).toEqual({ memory: true, pids: true, cpu: true, freeze: true, notes: [] });
    const group = await cgroups.create('run-1', limits);
    expect(group?.directories).toEqual(cgroups.directoriesOf('run-1'));
    expect(group?.joinFiles).toEqual([join(unified, 'rivulet-sandboxes/abc.run-1/cgroup.procs')]);
    const set = (file: string) => read('v2/rivulet-sandboxes/abc.run-1', file);
    expect([set('memory.max'), set('memory.swap.max'), set('cpu.max')]).toEqual(['100000000', '0', '50000 100000']);
    expect(Number(set('pids.max'))).toBeGreaterThanOrEqual(60);
    expect(read('v2/rivulet-sandboxes/cgroup.subtree_control')).toMatch(/^\+(memory|pids|cpu)$/);
  },
);

test.skipIf(process.platform === 'win32')(
  'hybrid: limits in version 1, freezing and killing in version 2',
  async () => {
    const layout = {
      unified: make('v2', { 'cgroup.controllers': '' }),
      memory: make('memory'),
      pids: make('pids'),
      cpu: make('cpu,cpuacct'),
      cpuacct: make('cpu,cpuacct'),
      freezer: null,
    };
    const cgroups = await Cgroups.open('abc', clock, layout);
    expect(cgroups.support).toMatchObject({ memory: true, pids: true, cpu: true, freeze: true });
    const group = await cgroups.create('run-1', limits);
    expect(new Set(group?.joinFiles).size).toBe(4);
    expect(group?.joinFiles).toHaveLength(4);
    expect(read('memory/rivulet-sandboxes/abc.run-1/memory.limit_in_bytes')).toBe('100000000');
    expect(read('cpu,cpuacct/rivulet-sandboxes/abc.run-1/cpu.cfs_quota_us')).toBe('50000');
  },
);

test('figures come from whichever version has them', async () => {
  const unified = make('v2', { 'cgroup.controllers': 'memory' });
  const group = await (await Cgroups.open('abc', clock, { ...nothing, unified })).create('run-1', limits);
  const directory = 'v2/rivulet-sandboxes/abc.run-1';
  make(directory, {
    'memory.current': '4096\n',
    'memory.events': 'oom 2\noom_kill 3\n',
    'cpu.stat': 'usage_usec 2500\n',
  });
  expect(await group?.memoryBytes()).toBe(4096);
  expect(await group?.cpuMs()).toBe(2.5);
  expect(await group?.outOfMemoryKills()).toBe(3);
  expect(await group?.processes()).toBeNull();
});

test('where nothing can be written there is no group, and the reason is noted', async () => {
  const cgroups = await Cgroups.open('abc', clock, { ...nothing, memory: join(root, 'missing') });
  expect(cgroups.support.memory).toBe(false);
  expect(cgroups.support.notes[0]).toContain('missing');
  expect(await cgroups.create('run-1', limits)).toBeNull();
});

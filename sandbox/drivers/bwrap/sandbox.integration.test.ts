// A sandbox of bubblewrap whose control group does not freeze in time, as where a process waits for a disk.
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { resolveLimits } from '../../limits.ts';
import { testDrivers } from '../../testing/drivers.ts';
import { sandboxUser } from '../../user.ts';
import { Cgroups } from './cgroups.ts';
import { Fifos } from './fifos.ts';
import { createRecords } from './records.ts';
import { BwrapSandbox } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';

const [driver] = await testDrivers(['bwrap']);
const layout = { unified: null, memory: null, pids: null, cpu: null, cpuacct: null, freezer: null };

test.skipIf(!driver)('processes that were stopped one by one go on after a pause', async () => {
  const root = mkdtempSync(join(tmpdir(), 'rivulet-bwrap-'));
  const folder = (name: string) => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  const [workspace, temporary, unified] = [folder('workspace'), folder('own/tmp'), folder('v2')];
  const user = sandboxUser('run-1');
  if (user.isDedicated) for (const own of [workspace, temporary]) chownSync(own, user.uid, user.gid);
  const file = (name: string, content: string | Buffer = '') => {
    writeFileSync(join(root, name), content);
    return join(root, name);
  };
  // No wait of this clock takes time: what the group says is asked for as often as ever, and at once.
  const clock = { ...systemClock, sleep: async () => {} };
  const host = {
    cgroups: await Cgroups.open('one', clock, { ...layout, unified }),
    fifos: new Fifos(folder('pipes')),
    files: {
      seccomp: file('s', seccompFilter(process.arch as 'x64')),
      passwd: file('p'),
      group: file('g'),
      hosts: file('h'),
    },
    records: createRecords(join(root, 'records')),
    sandboxes: root,
    clock,
  };
  const places = { directory: join(root, 'own'), temporary, isStaged: user.isDedicated };
  const spec = { id: 'run-1', workspace, user, limits: resolveLimits({}) };
  const sandbox = await BwrapSandbox.open(host, spec, places);
  // A plain folder stands in for the group: whatever is asked of it, it says that it is not frozen.
  writeFileSync(join(unified, 'rivulet-sandboxes/one.run-1/cgroup.events'), 'populated 1\nfrozen 0\n');
  const cat = await sandbox.start({ argv: ['cat'], stdin: 'open' });
  onTestFinished(async () => {
    await cat.kill();
    rmSync(root, { recursive: true, force: true });
  });
  let said = '';
  cat.stdout.on('data', (chunk) => {
    said += chunk;
  });
  cat.stdin?.write('before\n');
  await expect.poll(() => said).toBe('before\n');
  await sandbox.pause();
  await sandbox.resume();
  cat.stdin?.write('after\n');
  await expect.poll(() => said).toBe('before\nafter\n');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import type { SandboxDriver } from '../drivers/driver.ts';
import { FakeSandbox } from '../testing/fake-driver.ts';
import { gitVersion } from '../workspace/git.ts';
import { Workspaces } from '../workspace/workspaces.ts';
import { RunSandboxes } from './run-sandboxes.ts';

const git = await gitVersion().catch(() => null);
if (!git) console.info('skipped: sandboxes of runs, because git is not installed');

test.skipIf(!git)('a run that goes on while its sandbox is being ended gets another one, and keeps it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rivulet-run-sandboxes-'));
  const made: FakeSandbox[] = [];
  const driver: SandboxDriver = {
    name: 'bwrap',
    probe: () => Promise.reject(new Error('not asked')),
    create: async ({ workspace }) => {
      const sandbox = new FakeSandbox([workspace]);
      made.push(sandbox);
      return sandbox;
    },
    reconcile: async () => [],
  };
  const choice = { driver, reports: [], require: () => driver };
  const runs = new RunSandboxes({ driver: choice, workspaces: new Workspaces({ directory, clock }), directory, clock });
  const run = { id: 1, tenantId: 1, projectId: null, workspaceId: null, rootRunId: 1, parentRunId: null };
  const first = await runs.sandbox(run);
  const ending = runs.release(run.id);
  const second = await runs.sandbox(run);
  await ending;
  expect([first.state, second.state]).toEqual(['destroyed', 'ready']);
  expect(await runs.sandbox(run)).toBe(second);
  await runs.close();
  expect(made.map(({ calls }) => calls)).toEqual([['destroy'], ['destroy']]);
  rmSync(directory, { recursive: true });
});

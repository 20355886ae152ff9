import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../runtime/records.ts';
import { chooseDriver } from '../../sandbox/drivers/choose-driver.ts';
import { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { sweepFiles } from './file-retention.ts';

const git = await gitVersion().catch(() => null);
if (!git) console.info('skipped: retention of files, because git is not installed');

const day = 86_400_000;
let directory: string;
let clock: SimulatedClock;
let workspaces: Workspaces;
let sandboxes: RunSandboxes;
let runs: Map<number, RunRecord>;

const add = (id: number, more: Partial<RunRecord> = {}) => {
  const run = {
    id,
    tenantId: 1,
    projectId: 7,
    workspaceId: null,
    rootRunId: id,
    parentRunId: null,
    status: 'Completed',
    unfinished: false,
    completedAt: clock.now(),
    reviewWorktreePath: 'set',
    ...more,
  } as RunRecord;
  runs.set(id, run);
  return run;
};
const write = async (run: RunRecord, path = 'a.txt') =>
  (await sandboxes.workspace(run)).files.write(path, `of ${run.id}\n`);
const sweep = () =>
  sweepFiles({
    sandboxes,
    workspaces,
    findRuns: async (ids) => ids.flatMap((id) => runs.get(id) ?? []),
    keptMs: 30 * day,
    clock,
    log: silentLogger,
  });
const trees = () => readdirSync(join(directory, 'trees')).sort();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-retention-'));
  clock = new SimulatedClock(Date.now());
  workspaces = new Workspaces({ directory, clock });
  sandboxes = new RunSandboxes({ driver: await chooseDriver('off', []), workspaces, directory, clock });
  runs = new Map();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe.skipIf(!git)('files of ended runs', () => {
  it('go when their time is over, and come back from the branch when they are asked for', async () => {
    const old = add(1);
    await write(old);
    await (await sandboxes.output(1)).note('said\n');
    await sandboxes.release(1);
    expect(await sweep()).toEqual([]);
    await clock.advance(31 * day);
    expect(await sweep()).toEqual([1]);
    expect(trees()).toEqual([]);
    expect(existsSync(join(directory, 'output/run-1'))).toBe(false);
    // What had not been committed was, before it went.
    expect((await (await sandboxes.workspace(old)).files.readText('a.txt')).text).toBe('of 1\n');
    expect(await sweep()).toEqual([1]);
  });

  it('stay while the run lives, waits, or has something left to do', async () => {
    await write(add(1, { status: 'Running', completedAt: null }));
    await write(add(2, { status: 'Paused', completedAt: null }));
    await write(add(3, { unfinished: true }));
    await clock.advance(400 * day);
    expect(await sweep()).toEqual([]);
    expect(trees()).toEqual(['run-1', 'run-2', 'run-3']);
  });

  it('stay when the run is restarted in the middle of a round', async () => {
    const run = add(1);
    await write(run);
    await clock.advance(31 * day);
    const many = runs;
    let looks = 0;
    const findRuns = async (ids: readonly number[]) => {
      if (++looks === 2) many.set(1, { ...run, status: 'Queued' });
      return ids.flatMap((id) => many.get(id) ?? []);
    };
    const deps = { sandboxes, workspaces, findRuns, keptMs: 30 * day, clock, log: silentLogger };
    expect(await sweepFiles(deps)).toEqual([]);
    expect(trees()).toEqual(['run-1']);
  });

  it('take nothing with them that a run writes which is restarted at that very moment', async () => {
    const run = add(1);
    await write(run);
    await clock.advance(31 * day);
    let looks = 0;
    let writing: Promise<unknown> | null = null;
    const findRuns = async (ids: readonly number[]) => {
      const found = ids.flatMap((id) => runs.get(id) ?? []);
      await new Promise(setImmediate);
      if (++looks < 2) return found;
      runs.set(1, { ...run, status: 'Running' });
      writing = write(run, 'new.txt');
      // It gets every chance to come before the deletion.
      let isWritten = false;
      void writing.then(() => {
        isWritten = true;
      });
      for (let turn = 0; turn < 2000 && !isWritten; turn++) await new Promise(setImmediate);
      return found;
    };
    const deps = { sandboxes, workspaces, findRuns, keptMs: 30 * day, clock, log: silentLogger };
    expect(await sweepFiles(deps)).toEqual([1]);
    await writing;
    const { files } = await sandboxes.workspace(run);
    for (const path of ['a.txt', 'new.txt']) expect((await files.readText(path)).text).toBe('of 1\n');
  });

  it('of deleted runs go with their branch, those of shared workspaces never', async () => {
    await write(add(1));
    await workspaces.open({ store: 'workspace-5', key: 'workspace-5' });
    runs.clear();
    expect(await sweep()).toEqual([]);
    await clock.advance(31 * day);
    expect(await sweep()).toEqual([1]);
    expect(await workspaces.store('project-7').head('review/run-1')).toBeNull();
    expect(trees()).toEqual(['workspace-5']);
  });

  it('go once when two nodes that share a disk sweep at once', async () => {
    for (const id of [1, 2, 3]) await write(add(id));
    await clock.advance(31 * day);
    const other = new Workspaces({ directory, clock });
    const second = new RunSandboxes({
      driver: await chooseDriver('off', []),
      workspaces: other,
      directory,
      clock,
    });
    const findRuns = async (ids: readonly number[]) => ids.flatMap((id) => runs.get(id) ?? []);
    const deps = { findRuns, keptMs: 30 * day, clock, log: silentLogger };
    const swept = await Promise.all([
      sweepFiles({ ...deps, sandboxes, workspaces }),
      sweepFiles({ ...deps, sandboxes: second, workspaces: other }),
    ]);
    expect(swept.flat().sort()).toEqual([1, 2, 3]);
    expect(trees()).toEqual([]);
    for (const id of [1, 2, 3]) {
      const { files } = await sandboxes.workspace(runs.get(id) as RunRecord);
      expect((await files.readText('a.txt')).text).toBe(`of ${id}\n`);
    }
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventDraft, RunRecord } from '../../runtime/records.ts';
import { chooseDriver } from '../../sandbox/choose-driver.ts';
import { RunSandboxes } from '../../sandbox/run-sandboxes.ts';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { silentLogger } from '../kernel/logger.ts';
import { followRuns } from './sandbox-life.ts';

const git = await gitVersion().catch(() => null);
if (!git) console.info('skipped: what follows a run, because git is not installed');

const run = (id: number, more: Partial<RunRecord> = {}) =>
  ({
    id,
    tenantId: 1,
    projectId: null,
    workspaceId: null,
    rootRunId: 1,
    parentRunId: null,
    status: 'Running',
    reviewWorktreePath: 'set',
    reviewBranch: `review/run-${id}`,
    ...more,
  }) as RunRecord;
const parent = run(1);
const child = run(2, { parentRunId: 1, status: 'Completed' });

let directory: string;
let sandboxes: RunSandboxes;
let told: ({ runId: number } & EventDraft)[];
let guidance: { runId: number; key: string; text: string }[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-life-'));
  const workspaces = new Workspaces({ directory, clock });
  sandboxes = new RunSandboxes({ driver: await chooseDriver('off', []), workspaces, directory, clock });
  told = [];
  guidance = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const end = (...runs: RunRecord[]) => {
  const sink = followRuns(
    { publish: () => undefined },
    {
      sandboxes,
      findRun: async (id) => runs.find((one) => one.id === id) ?? null,
      desk: {
        addEvents: async (runId, events) => told.push(...events.map((event) => ({ runId, ...event }))),
        deliverMessage: async (runId, { key, text }) => guidance.push({ runId, key, text }),
      },
      log: silentLogger,
    },
  );
  const data = { id: 2, status: 'Completed' };
  void sink.publish([{ tenantId: 1, topics: ['run:2'], type: 'run.ended', data, durable: true, key: null }]);
};
const write = async (who: RunRecord, path: string, text: string) =>
  (await sandboxes.workspace(who)).files.write(path, text);

describe.skipIf(!git)('a finished child', () => {
  beforeEach(async () => {
    await write(parent, 'plan.txt', 'first\n');
    await sandboxes.checkpoint(parent, 'Start');
  });

  it('brings its files to its parent', async () => {
    await write(child, 'part.txt', 'done\n');
    end(parent, child);
    await expect.poll(() => told.length, { timeout: 15_000 }).toBe(2);
    expect(told).toMatchObject([
      { runId: 2, type: 'ReviewReady', title: '1 file to review on review/run-2' },
      { runId: 1, type: 'FileChanged', title: 'Run 2 was merged into run 1' },
    ]);
    expect((await (await sandboxes.workspace(parent)).files.readText('part.txt')).text).toBe('done\n');
    expect(guidance).toEqual([]);
  });

  it('that contradicts its parent is a warning in its log and guidance for its model', async () => {
    await write(child, 'plan.txt', 'the child’s\n');
    await write(parent, 'plan.txt', 'the parent’s\n');
    end(parent, child);
    await expect.poll(() => guidance.length, { timeout: 15_000 }).toBe(1);
    expect(told.at(-1)).toMatchObject({
      runId: 1,
      type: 'ReviewReady',
      level: 'Warning',
      payload: { fromRunId: 2, branch: 'review/run-2', conflicts: [{ path: 'plan.txt' }] },
    });
    expect(guidance[0]).toMatchObject({ runId: 1, key: 'merge:2', text: expect.stringContaining('plan.txt') });
    expect((await (await sandboxes.workspace(parent)).files.readText('plan.txt')).text).toBe('the parent’s\n');
  });

  it('tells only the log of a parent that has ended', async () => {
    await write(child, 'plan.txt', 'the child’s\n');
    await write(parent, 'plan.txt', 'the parent’s\n');
    end({ ...parent, status: 'Completed' }, child);
    await expect.poll(() => told.length, { timeout: 15_000 }).toBe(2);
    expect(told.at(-1)).toMatchObject({ runId: 1, level: 'Warning' });
    expect(guidance).toEqual([]);
  });
});

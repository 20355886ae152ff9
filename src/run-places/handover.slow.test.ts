import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../runtime/records.ts';
import { chooseDriver } from '../../sandbox/drivers/choose-driver.ts';
import { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { worktreeGitDir } from '../../sandbox/workspace/check-out.ts';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { createHandover } from './handover.ts';

const git = await gitVersion().catch(() => null);
if (!git) console.info('skipped: handing files over, because git is not installed');

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
/** As after a restart: nothing is open. */
const boot = async () => {
  const workspaces = new Workspaces({ directory, clock });
  sandboxes = new RunSandboxes({ driver: await chooseDriver('off', []), workspaces, directory, clock });
};
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-handover-'));
  await boot();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const conclude = (one = child, its: RunRecord | null = parent) => createHandover(sandboxes).conclude(one, its);
const write = async (who: RunRecord, path: string, text: string) =>
  (await sandboxes.workspace(who)).files.write(path, text);
const read = async (who: RunRecord, path: string) => (await (await sandboxes.workspace(who)).files.readText(path)).text;

describe.skipIf(!git)('a child that ended', () => {
  beforeEach(() => write(parent, 'plan.txt', 'first\n'));

  it('began with what its parent had, and brings its files to it', async () => {
    expect(await read(child, 'plan.txt')).toBe('first\n');
    await write(child, 'part.txt', 'done\n');
    expect(await conclude()).toMatchObject({
      events: [{ type: 'ReviewReady', title: '1 file to review on review/run-2' }],
      parentEvents: [{ type: 'FileChanged', title: 'Run 2 was merged into run 1' }],
      parentPlace: { reviewBranch: 'review/run-1' },
      note: expect.stringContaining('among yours now'),
    });
    expect(await read(parent, 'part.txt')).toBe('done\n');
  });

  it('is handed over once and told alike when it is asked for again after a crash', async () => {
    await write(child, 'part.txt', 'done\n');
    const first = await conclude();
    await write(parent, 'part.txt', 'changed since\n');
    await boot();
    expect(await conclude()).toEqual(first);
    expect(await read(parent, 'part.txt')).toBe('changed since\n');
  });

  it('whose merge was cut in the middle of a file is merged whole', async () => {
    await write(child, 'part.txt', 'done\n');
    await write(child, 'second.txt', 'done too\n');
    const { sha } = await sandboxes.checkpoint(child, 'Work');
    const before = await sandboxes.checkpoint(parent, 'Work');
    const { store, directory: tree } = await sandboxes.workspace(parent);
    const merged = await store.mergeCommits(before.sha, sha, 'Merge', { name: 'run-1', email: 'x@y' });
    // What the disk holds when the server dies in the middle of the files.
    const note = JSON.stringify({ from: before.sha, to: 'sha' in merged ? merged.sha : '' });
    writeFileSync(join(worktreeGitDir(store.directory, 'run-1'), 'rivulet-merge'), note);
    writeFileSync(join(tree, 'part.txt'), 'do');
    await boot();
    const { parentEvents } = await conclude();
    expect(parentEvents).toMatchObject([{ type: 'FileChanged' }]);
    expect([await read(parent, 'part.txt'), await read(parent, 'second.txt')]).toEqual(['done\n', 'done too\n']);
    const { files } = await (await sandboxes.workspace(parent)).diff();
    expect(files.map((file) => file.path)).toEqual(['part.txt', 'plan.txt', 'second.txt']);
  });

  it('that contradicts its parent keeps its branch, and both the log and the model are told which files', async () => {
    await sandboxes.workspace(child);
    await write(child, 'plan.txt', 'the child’s\n');
    await write(parent, 'plan.txt', 'the parent’s\n');
    const { parentEvents, note } = await conclude();
    expect(parentEvents).toMatchObject([
      {
        type: 'ReviewReady',
        level: 'Warning',
        payload: { fromRunId: 2, branch: 'review/run-2', conflicts: [{ path: 'plan.txt' }] },
      },
    ]);
    expect(note).toMatch(/review\/run-2\.\nplan\.txt/);
    expect(await read(parent, 'plan.txt')).toBe('the parent’s\n');
    const { store } = await sandboxes.workspace(parent);
    expect(await store.head('review/run-2')).toBe(await (await sandboxes.workspace(child)).head());
  });

  it('leaves a parent alone that has ended, and one that failed gives nothing', async () => {
    await write(child, 'part.txt', 'done\n');
    const alone = { events: [{ type: 'ReviewReady' }], parentEvents: [], note: null };
    expect(await conclude(child, { ...parent, status: 'Cancelled' })).toMatchObject(alone);
    expect(await conclude({ ...child, status: 'Failed' })).toMatchObject(alone);
    expect((await (await sandboxes.workspace(parent)).files.list()).map((file) => file.path)).toEqual(['plan.txt']);
  });

  it('changed nothing: there is nothing to say', async () => {
    await sandboxes.workspace(child);
    expect(await conclude()).toEqual({ events: [], parentEvents: [], parentPlace: null, note: null });
  });

  it('on another server is not mistaken for one without files', async () => {
    const { baseSha } = await sandboxes.workspace(run(5, { rootRunId: 5 }));
    const elsewhere = run(6, { rootRunId: 6, reviewBaseSha: baseSha });
    await expect(conclude(elsewhere, null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(join(directory, 'trees/run-6'))).toBe(false);
  });

  it('that works in another store than its parent keeps its branch, and leaves no trace in the other', async () => {
    const apart = run(7, { parentRunId: 1, projectId: 9, status: 'Completed' });
    await write(apart, 'part.txt', 'done\n');
    await expect(conclude(apart)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { store } = await sandboxes.workspace(apart);
    expect(await store.head('review/run-7')).not.toBeNull();
    expect(await store.head('review/run-1')).toBeNull();
  });

  it('gives its files to a parent that had none', async () => {
    const other = run(3, { rootRunId: 3 });
    const its = run(4, { rootRunId: 3, parentRunId: 3, status: 'Completed' });
    await write(its, 'part.txt', 'done\n');
    const { parentPlace } = await conclude(its, other);
    expect(readFileSync(join(parentPlace?.reviewWorktreePath ?? '', 'part.txt'), 'utf8')).toBe('done\n');
  });
});

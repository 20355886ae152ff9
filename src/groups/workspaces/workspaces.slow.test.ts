import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../runtime/records.ts';
import { gitVersion } from '../../../sandbox/workspace/git.ts';
import { Workspaces } from '../../../sandbox/workspace/workspaces.ts';
import { Fault } from '../../kernel/fault.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { createWorkspaceFiles } from '../../run-places/workspace-files.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../agent/testing/world.ts';
import { createWorkspaceRecords, snapshotRecord, workspaceRecord } from './records.ts';
import { workspacesService } from './service.ts';
import { createWorkspaceUpkeep, keptExpiredMs, scratchMs } from './upkeep.ts';

const git = await gitVersion().catch(() => null);
if (!git) console.info('skipped: workspaces, because git is not installed');

const mebibyte = 1_048_576;
let world: AgentWorld;
let folder: string;
let stores: Workspaces;
let records: ReturnType<typeof createWorkspaceRecords>;
let upkeep: ReturnType<typeof createWorkspaceUpkeep>;
let api: ReturnType<typeof workspacesService>['handlers'];
let cancelled: number[];
/** What the next clone comes to; the rest of a store is real. */
let cloned: () => Promise<void>;
/** What happens meanwhile: when a sweep asks for a workspace's runs, and before files are deleted. */
let askedForRuns: () => Promise<unknown>;
let deletingFiles: () => Promise<unknown>;

beforeEach(async () => {
  world = await createAgentWorld([workspaceRecord.spec, snapshotRecord.spec]);
  folder = mkdtempSync(join(tmpdir(), 'rivulet-workspaces-'));
  stores = new Workspaces({ directory: folder, clock: world.clock });
  records = createWorkspaceRecords(world);
  cancelled = [];
  cloned = askedForRuns = deletingFiles = async () => {};
  const real = createWorkspaceFiles(stores);
  const files = {
    ...real,
    clone: () => cloned(),
    remove: async (id: number) => {
      await deletingFiles();
      await real.remove(id);
    },
  };
  const active = () => [...world.runs.values()].filter((run) => run.status === 'Running');
  upkeep = createWorkspaceUpkeep({
    records,
    files,
    clock: world.clock,
    log: silentLogger,
    runsIn: async (_, id) => {
      await askedForRuns();
      return active().filter((run) => run.workspaceId === id).length;
    },
  });
  api = workspacesService({
    records,
    files,
    upkeep,
    clock: world.clock,
    findRun: world.findRun,
    activeRuns: async (_, ids) => active().filter((run) => ids.includes(run.workspaceId ?? 0)),
    viewRun: async (run) => ({ id: run.id }) as never,
    cancelRun: async (id) => cancelled.push(id),
    units: { require: async () => {} },
    checkUrl: async (url) => {
      if (!url.startsWith('https:')) throw new Fault('VALIDATION_FAILED', 'https only');
    },
  }).handlers;
});
afterEach(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const as = () => ({ ...noQuery, caller: world.caller });
const create = (body: { name: string; [field: string]: unknown }) => api.create({ ...as(), params: {}, body });
const get = (id: number) => api.get({ ...as(), params: { id }, body: undefined });
const patch = (id: number, body: object) => api.patch({ ...as(), params: { id }, body });
const remove = (id: number, force = false) => api.remove({ ...as(), params: { id }, body: { force } });
const write = (id: number, path: string, more: object) =>
  api.write({ ...as(), params: { id }, body: { path, ...more } });
const read = (id: number, path: string, more: object = {}) =>
  api.read({ ...as(), params: { id }, body: undefined, query: { path, maxBytes: mebibyte, ...more } });
const removeFile = (id: number, path: string, recursive = false) =>
  api.removeFile({ ...as(), params: { id }, body: { path, recursive } });
const listFiles = async (id: number, query: object = {}) =>
  (await api.listFiles({ ...as(), params: { id }, body: undefined, query })).map((file) => file.path);
const snapshot = (id: number, label: string, more: object = {}) =>
  api.snapshot({ ...as(), params: { id }, body: { label, ...more } });
const restore = (id: number, snapshotId: number, snapshotCurrent = false) =>
  api.restore({ ...as(), params: { id, snapshotId }, body: { snapshotCurrent } });
const list = (query: object = {}) =>
  api.list({ params: {}, caller: world.caller, body: undefined, query: { ...paging, ...query }, request });

describe.skipIf(!git)('workspaces', () => {
  it('are made empty, found, renamed and limited', async () => {
    const made = await create({ name: 'Site', projectId: 4, quotaBytes: mebibyte });
    expect(made).toMatchObject({ kind: 'Folder', state: 'Ready', fileCount: 0, sizeBytes: 0, activeRunCount: 0 });
    expect(made.headSha).toMatch(/^[0-9a-f]{40}$/);
    expect(await codeOf(() => create({ name: 'site' }))).toBe('DUPLICATE');
    await create({ name: 'Notes', description: 'a site of notes' });
    expect((await list({ q: 'SITE' })).totalCount).toBe(2);
    expect((await list({ projectId: 4 })).items.map((one) => one.name)).toEqual(['Site']);
    expect(await patch(made.id, { name: 'Pages', isReadOnly: true })).toMatchObject({
      name: 'Pages',
      isReadOnly: true,
    });
    expect(await codeOf(() => write(made.id, 'a.txt', { text: 'a' }))).toBe('FORBIDDEN');
    expect(await codeOf(() => patch(999, { name: 'x' }))).toBe('NOT_FOUND');
    expect(await codeOf(() => create({ name: 'y', connectorId: 3 }))).toBe('NOT_FOUND');
  });

  it('keep files, check etags and commit every change', async () => {
    const { id, headSha } = await create({ name: 'Files' });
    const first = await write(id, 'src/a.txt', { text: 'one\n' });
    await write(id, 'b.bin', { base64: Buffer.from([0, 1, 2]).toString('base64') });
    expect(await read(id, 'src/a.txt')).toMatchObject({ text: 'one\n', isBinary: false, truncated: false });
    expect(await read(id, 'b.bin')).toMatchObject({ text: null, isBinary: true, sizeBytes: 3 });
    const stale = { text: 'x', expectedEtag: first.etag };
    await write(id, 'src/a.txt', { text: 'two\n', expectedEtag: first.etag });
    expect(await codeOf(() => write(id, 'src/a.txt', stale))).toBe('PRECONDITION_FAILED');
    expect(await codeOf(() => write(id, 'c', {}))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => write(id, 'c', { text: '', base64: '' }))).toBe('VALIDATION_FAILED');
    expect(await listFiles(id, { glob: '**/*.txt' })).toEqual(['src/a.txt']);
    const now = await get(id);
    expect(now).toMatchObject({ fileCount: 2, sizeBytes: 7 });
    expect(now.headSha).not.toBe(headSha);
    const log = await stores.store(`workspace-${id}`).log(headSha as string, now.headSha as string);
    expect(log.map((entry) => entry.subject)).toEqual(['Write src/a.txt', 'Write b.bin', 'Write src/a.txt']);
    expect(await codeOf(() => removeFile(id, 'src'))).toBe('CONFLICT');
    await removeFile(id, 'src', true);
    expect(await listFiles(id, { recursive: true })).toEqual(['b.bin']);
  });

  it('let no path out', async () => {
    const { id } = await create({ name: 'Walls' });
    const kept = await snapshot(id, 'Empty');
    for (const path of ['../x', 'a/../../x', '.git/config', '/etc/../../x', 'a\0b'])
      for (const work of [
        () => write(id, path, { text: 'x' }),
        () => read(id, path),
        () => read(id, path, { snapshotId: kept.id }),
        () => removeFile(id, path),
        () => listFiles(id, { path }),
      ])
        expect(await codeOf(work)).toBe('VALIDATION_FAILED');
  });

  it('refuse what is over their quota', async () => {
    const { id } = await create({ name: 'Small', quotaBytes: mebibyte });
    expect(await codeOf(() => write(id, 'big', { text: 'x'.repeat(mebibyte + 1) }))).toBe('QUOTA_EXCEEDED');
    expect(await listFiles(id)).toEqual([]);
    await patch(id, { quotaBytes: 4 * mebibyte });
    await write(id, 'big', { text: 'x'.repeat(mebibyte + 1) });
  });

  it('are snapshotted, read as they were, and restored', async () => {
    const { id } = await create({ name: 'Past' });
    await write(id, 'a.txt', { text: 'first' });
    const first = await snapshot(id, 'First');
    expect(first).toMatchObject({ workspaceId: id, fileCount: 1, sizeBytes: 5, createdByName: world.caller.name });
    await write(id, 'a.txt', { text: 'second' });
    await write(id, 'b.txt', { text: 'new' });
    expect(await read(id, 'a.txt', { snapshotId: first.id })).toMatchObject({ text: 'first' });
    expect(await read(id, 'a.txt', { snapshotId: first.id, maxBytes: 2 })).toMatchObject({
      text: 'fi',
      truncated: true,
    });
    expect(await codeOf(() => read(id, 'b.txt', { snapshotId: first.id }))).toBe('NOT_FOUND');
    const restored = await restore(id, first.id, true);
    expect(restored).toMatchObject({ state: 'Ready', fileCount: 1 });
    expect(restored.snapshots.map((one) => one.label)).toEqual(['Before restoring First', 'First']);
    expect(await read(id, 'a.txt')).toMatchObject({ text: 'first' });
    await restore(id, restored.snapshots[0]?.id as number);
    expect(await read(id, 'b.txt')).toMatchObject({ text: 'new' });
    expect(await codeOf(() => restore(id, 999))).toBe('NOT_FOUND');
  });

  it('know who uses them, and stay until nobody does', async () => {
    const { id } = await create({ name: 'Busy' });
    world.addRun({ id: 5, workspaceId: id });
    world.addRun({ id: 6, workspaceId: null as unknown as number });
    expect(await get(id)).toMatchObject({ activeRunCount: 1, activeRuns: [{ id: 5 }] });
    expect((await snapshot(id, 'By a run', { runId: 5 })).runId).toBe(5);
    expect(await codeOf(() => snapshot(id, 'Other', { runId: 6 }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => remove(id))).toBe('IN_USE');
    await remove(id, true);
    expect(cancelled).toEqual([5]);
    expect(await codeOf(() => get(id))).toBe('NOT_FOUND');
    expect(await stores.store(`workspace-${id}`).exists()).toBe(false);
  });

  it('expire unless used, can be renewed, and go at last', async () => {
    const { id } = await create({ name: 'Brief', kind: 'Scratch' });
    world.addRun({ id: 5, workspaceId: id });
    await world.clock.advance(scratchMs + 1);
    expect(await codeOf(() => write(id, 'a', { text: 'a' }))).toBe('GONE');
    await upkeep.sweep();
    expect((await get(id)).state).toBe('Ready');
    (world.runs.get(5) as RunRecord).status = 'Completed';
    await upkeep.sweep();
    expect((await get(id)).state).toBe('Expired');
    const later = new Date(world.clock.now() + 1000).toISOString();
    expect(await patch(id, { expiresAtUtc: later })).toMatchObject({ state: 'Ready', expiresAtUtc: later });
    await write(id, 'a', { text: 'a' });
    await world.clock.advance(1001);
    await upkeep.sweep();
    await world.clock.advance(keptExpiredMs);
    await upkeep.sweep();
    expect(await codeOf(() => get(id))).toBe('NOT_FOUND');
    expect(await codeOf(() => create({ name: 'Late', expiresAtUtc: '2001-01-01T00:00:00Z' }))).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('renewed in the moment of their removal are kept, or said to be gone', async () => {
    const late = await create({ name: 'Late', kind: 'Scratch' });
    const later = await create({ name: 'Later', kind: 'Scratch' });
    await world.clock.advance(scratchMs + 1);
    await upkeep.sweep();
    await world.clock.advance(keptExpiredMs);
    const renew = (id: number) =>
      patch(id, { name: `Renewed ${id}`, expiresAtUtc: new Date(world.clock.now() + scratchMs).toISOString() });
    askedForRuns = async () => renew(late.id);
    const answers: string[] = [];
    deletingFiles = async () => answers.push(await codeOf(() => renew(later.id)), await codeOf(() => get(later.id)));
    await upkeep.sweep();
    expect(answers).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect((await list()).items).toMatchObject([{ id: late.id, state: 'Ready', name: `Renewed ${late.id}` }]);
    await write(late.id, 'a', { text: 'a' });
    expect(await stores.store(`workspace-${later.id}`).exists()).toBe(false);
  });

  it('are removed at last when a removal was cut off', async () => {
    const { id } = await create({ name: 'Cut' });
    deletingFiles = () => Promise.reject(new Error('the server died'));
    await expect(remove(id)).rejects.toThrow('the server died');
    expect(await codeOf(() => get(id))).toBe('NOT_FOUND');
    expect((await list()).totalCount).toBe(0);
    deletingFiles = async () => {};
    await world.clock.advance(keptExpiredMs);
    await upkeep.sweep();
    expect(await stores.store(`workspace-${id}`).exists()).toBe(false);
    await create({ name: 'Cut' });
  });

  it('are cloned in the background, or say why not', async () => {
    const gitUrl = 'https://code.example/a.git';
    const good = await create({ name: 'Clone', gitUrl });
    expect(good).toMatchObject({ kind: 'Git', state: 'Preparing', gitUrl });
    await expect.poll(async () => (await get(good.id)).state, { timeout: 15_000 }).toBe('Ready');
    const refusal = new Fault('CONNECTOR_ERROR', 'The repository could not be cloned.');
    cloned = () => Promise.reject(refusal);
    const bad = await create({ name: 'Broken', gitUrl, branch: 'next' });
    await expect.poll(async () => (await get(bad.id)).state, { timeout: 15_000 }).toBe('Failed');
    expect((await get(bad.id)).lastError).toBe('The repository could not be cloned.');
    expect(await codeOf(() => write(bad.id, 'a', { text: 'a' }))).toBe('CONFLICT');
    await remove(bad.id);
    expect(await codeOf(() => create({ name: 'Local', gitUrl: 'file:///etc' }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => create({ name: 'None', kind: 'Git' }))).toBe('VALIDATION_FAILED');
  });
});

import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import type { SandboxDriver } from '../drivers/driver.ts';
import { FakeSandbox } from '../testing/fake-driver.ts';
import { gitVersion } from '../workspace/git.ts';
import { Workspaces } from '../workspace/workspaces.ts';
import { RunSandboxes, type RunSandboxesOptions } from './run-sandboxes.ts';

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

test.skipIf(!git)('runs of two tenants share no store, though their projects have one number', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rivulet-run-sandboxes-'));
  const choice = { driver: null, reports: [], require: () => expect.fail('no driver is asked for') };
  const runs = new RunSandboxes({ driver: choice, workspaces: new Workspaces({ directory, clock }), directory, clock });
  const run = (id: number, tenantId: number, more: object = {}) => {
    const place = { id, tenantId, projectId: 7, workspaceId: null, rootRunId: id, parentRunId: null };
    return { ...place, ...more };
  };
  const first = await runs.workspace(run(1, 1));
  await first.files.write('secret.txt', 'of the first');
  await runs.checkpoint(run(1, 1), 'Work');
  await runs.deliver(run(1, 1), 'branch:main');
  const [fellow, stranger] = [await runs.workspace(run(2, 1)), await runs.workspace(run(3, 2))];
  expect((await fellow.files.list({})).map(({ path }) => path)).toEqual(['secret.txt']);
  expect(await stranger.files.list({})).toEqual([]);
  expect(await stranger.store.head('review/run-1')).toBeNull();
  // What began when they shared one stays where it is, with its children.
  const begun = { reviewBaseSha: first.baseSha };
  expect((await runs.workspace(run(1, 2, begun))).store.directory).toBe(first.store.directory);
  expect((await runs.workspace(run(4, 2, { parentRunId: 1 }))).store.directory).toBe(first.store.directory);
  await runs.close();
  rmSync(directory, { recursive: true });
});

test('what a run prints on one server is read on another as it comes, from the folder they share, and nothing is changed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rivulet-run-sandboxes-'));
  const hasty = { ...clock, sleep: () => new Promise<void>((done) => setImmediate(done)) };
  const driver = { driver: null, reports: [], require: () => expect.fail('no driver is asked for') };
  const server = (more: Partial<RunSandboxesOptions>) =>
    new RunSandboxes({ driver, workspaces: new Workspaces({ directory, clock }), directory, clock: hasty, ...more });
  let isOver = false;
  const [writer, reader] = [server({}), server({ hasEnded: async () => isOver })];
  const texts: string[] = [];
  const before = await reader.outputOf(1);
  const reading = (async () => {
    for await (const item of before.read(0, { follow: true }))
      texts.push(item.type === 'gap' ? `gap to ${item.firstSeq}` : item.chunk.text);
  })();
  const log = await writer.output(1);
  await log.note('one ');
  await log.note('two ');
  await expect.poll(() => texts).toEqual(['one ', 'two ']);
  await log.flush();
  const [file] = readdirSync(join(directory, 'output/run-1')).filter((name) => name.endsWith('.jsonl'));
  const path = join(directory, 'output/run-1', file as string);
  // A line that is half written stays as it is until it is whole.
  appendFileSync(path, '{"seq":3,"stream":"System","te');
  expect((await reader.outputOf(1)).lastSeq).toBe(2);
  appendFileSync(path, 'xt":"three"}\n');
  isOver = true;
  await reading;
  expect(texts.join('')).toBe('one two three');
  const after = await reader.outputOf(1);
  expect([after.epoch, after.lastSeq]).toEqual([log.epoch, 3]);
  await writer.close();
  rmSync(directory, { recursive: true });
});

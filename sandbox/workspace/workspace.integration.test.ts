import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { checkDeliverable, type DeliverableHook, deliverBranch } from './deliverable.ts';
import { gitVersion } from './git.ts';
import { Workspaces } from './workspaces.ts';

const version = await gitVersion().catch(() => null);
if (!version) console.info('skipped: workspace suite, because git is not installed');

const author = { name: 'run-1', email: 'run-1@rivulet.invalid' };
let directory: string;
let workspaces: Workspaces;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-workspaces-'));
  workspaces = new Workspaces({ directory, clock: systemClock });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (key: string, from?: string) => workspaces.open({ store: 'project-1', key, ...(from ? { from } : {}) });

describe.skipIf(!version)('workspace', () => {
  test('a new one starts empty on its review branch', async () => {
    const workspace = await open('run-1');
    expect(workspace.branch).toBe('review/run-1');
    expect(await workspace.head()).toBe(workspace.baseSha);
    expect(await workspace.files.list()).toEqual([]);
  });

  test('checkpoints commit with the run as author and only when something changed', async () => {
    const workspace = await open('run-1');
    await workspace.files.write('src/a.txt', 'one\n');
    const first = await workspace.checkpoint('First', author);
    expect(first.isNew).toBe(true);
    expect(await workspace.checkpoint('Nothing new', author)).toEqual({ sha: first.sha, isNew: false, skipped: [] });
    const [entry] = await workspace.store.log(workspace.baseSha, first.sha);
    expect(entry).toMatchObject({ sha: first.sha, author: 'run-1', subject: 'First' });
  });

  test('the diff counts additions, deletions, renames and binary files, committed or not', async () => {
    const parent = await open('run-1');
    await parent.files.write('kept.txt', 'a\nb\nc\n');
    await parent.files.write('moved.txt', `${'line\n'.repeat(50)}`);
    await parent.files.write('gone.txt', 'x\n');
    await parent.checkpoint('Start', author);
    const child = await open('run-2', 'run-1');
    await child.files.write('kept.txt', 'a\nB\nc\nd\n');
    await child.files.move('moved.txt', 'to/moved.txt');
    await child.files.remove('gone.txt');
    await child.checkpoint('Half', author);
    await child.files.write('logo.bin', Buffer.from([0, 1, 2, 255]));
    const diff = await child.diff();
    expect(diff).toMatchObject({ filesChanged: 4, additions: 2, deletions: 2, truncated: false });
    expect(diff.files).toEqual([
      { path: 'gone.txt', previousPath: null, changeType: 'Deleted', additions: 0, deletions: 1, isBinary: false },
      { path: 'kept.txt', previousPath: null, changeType: 'Modified', additions: 2, deletions: 1, isBinary: false },
      { path: 'logo.bin', previousPath: null, changeType: 'Added', additions: 0, deletions: 0, isBinary: true },
      {
        path: 'to/moved.txt',
        previousPath: 'moved.txt',
        changeType: 'Renamed',
        additions: 0,
        deletions: 0,
        isBinary: false,
      },
    ]);
    expect(diff.patch).toContain('-b\n+B\n');
    expect((await child.diff({ path: 'kept.txt', contextLines: 0 })).patch).not.toContain('\n a\n');
    expect((await child.diff({ statOnly: true })).patch).toBeNull();
    const cut = await child.diff({ maxBytes: 120 });
    expect(cut.truncated).toBe(true);
    expect(cut.patch?.endsWith('\n')).toBe(true);
    expect((await child.checkpoint('Rest', author)).isNew).toBe(true);
  });

  test('a child branches from its parent and merges back into its files', async () => {
    const parent = await open('run-1');
    await parent.files.write('shared.txt', 'one\ntwo\nthree\n');
    await parent.files.write('old/only.txt', 'x');
    await parent.checkpoint('Base', author);
    const child = await open('run-2', 'run-1');
    await child.files.write('shared.txt', 'one\ntwo\nTHREE\n');
    await child.files.write('new/file.sh', '#!/bin/sh\n');
    await child.files.remove('old', { isRecursive: true });
    symlinkSync('new/file.sh', join(child.directory, 'link'));
    const { sha } = await child.checkpoint('Child work', author);
    await parent.files.write('mine.txt', 'uncommitted');
    expect(await parent.merge(sha, 'Merge run-2', author)).toMatchObject({ status: 'merged' });
    expect((await parent.files.readText('shared.txt')).text).toBe('one\ntwo\nTHREE\n');
    expect((await parent.files.readText('link')).text).toBe('#!/bin/sh\n');
    expect((await parent.files.readText('mine.txt')).text).toBe('uncommitted');
    expect(existsSync(join(parent.directory, 'old'))).toBe(false);
    expect((await parent.checkpoint('Nothing', author)).isNew).toBe(false);
    expect(await parent.merge(sha, 'Again', author)).toMatchObject({ status: 'up-to-date' });
  });

  test('conflicts are listed and change nothing', async () => {
    const parent = await open('run-1');
    await parent.files.write('a.txt', 'base\n');
    await parent.checkpoint('Base', author);
    const child = await open('run-2', 'run-1');
    await child.files.write('a.txt', 'child\n');
    const { sha } = await child.checkpoint('Child', author);
    await parent.files.write('a.txt', 'parent\n');
    const { sha: before } = await parent.checkpoint('Parent', author);
    const outcome = await parent.merge(sha, 'Merge', author);
    expect(outcome).toEqual({
      status: 'conflicts',
      conflicts: [{ path: 'a.txt', reason: expect.stringContaining('Merge conflict in a.txt') }],
    });
    expect(await parent.head()).toBe(before);
    expect((await parent.files.readText('a.txt')).text).toBe('parent\n');
  });

  test('restore brings files back and is itself a commit', async () => {
    const workspace = await open('run-1');
    await workspace.files.write('a/b.txt', 'one');
    const { sha } = await workspace.checkpoint('One', author);
    await workspace.files.remove('a', { isRecursive: true });
    await workspace.files.write('a', 'now a file');
    await workspace.checkpoint('Two', author);
    await workspace.files.write('loose.txt', 'uncommitted');
    const restored = await workspace.restore(sha, author);
    expect(restored.isNew).toBe(true);
    expect((await workspace.files.list({ isRecursive: true })).map((file) => file.path)).toEqual(['a', 'a/b.txt']);
  });

  test('a worktree that is reopened or checked out anew goes on where it was', async () => {
    const first = await open('run-1');
    await first.files.write('a.txt', 'committed');
    await first.checkpoint('Save', author);
    await first.files.write('b.txt', 'not committed');
    const again = await new Workspaces({ directory, clock: systemClock }).open({ store: 'project-1', key: 'run-1' });
    expect(again.baseSha).toBe(first.baseSha);
    expect((await again.files.readText('b.txt')).text).toBe('not committed');
    await workspaces.removeTree('run-1');
    const anew = await open('run-1');
    expect((await anew.files.list()).map((file) => file.path)).toEqual(['a.txt']);
    expect((await anew.diff()).filesChanged).toBe(1);
  });

  test('workspaces of a new store that are opened at once share their beginning', async () => {
    const [one, two, three] = await Promise.all(['run-1', 'run-2', 'run-3'].map((key) => open(key)));
    expect(new Set([one?.baseSha, two?.baseSha, three?.baseSha]).size).toBe(1);
    await two?.files.write('two', '2');
    const { sha } = (await two?.checkpoint('Two', author)) ?? { sha: '' };
    expect(await one?.merge(sha, 'Merge', author)).toMatchObject({ status: 'merged' });
  });

  test('locks of a server that died are cleared, and all who open a workspace share one queue', async () => {
    const first = await open('run-1');
    writeFileSync(join(first.store.directory, 'worktrees/run-1/index.lock'), '');
    writeFileSync(join(first.store.directory, 'refs/heads/review/run-1.lock'), '');
    const next = new Workspaces({ directory, clock: systemClock });
    const [one, two] = await Promise.all([1, 2].map(() => next.open({ store: 'project-1', key: 'run-1' })));
    await one?.files.write('a', 'b');
    const results = await Promise.all([one?.checkpoint('One', author), two?.checkpoint('Two', author), two?.diff()]);
    expect(results.map((result) => (result && 'isNew' in result ? result.isNew : result?.filesChanged))).toEqual([
      true,
      false,
      1,
    ]);
  });

  test('a check-out that a dead server had begun is made anew', async () => {
    const parent = await open('run-1');
    await parent.files.write('a.txt', 'a');
    await parent.checkpoint('Save', author);
    const gitDir = join(parent.store.directory, 'worktrees/run-2');
    mkdirSync(gitDir);
    mkdirSync(join(directory, 'trees/run-2.new'));
    // Git writes an index beside its place, under its lock.
    for (const index of ['index', 'draft-check-out']) writeFileSync(join(gitDir, `${index}.lock`), 'DIRC');
    const child = await open('run-2', 'run-1');
    expect((await child.files.list()).map(({ path }) => path)).toEqual(['a.txt']);
    expect(readdirSync(gitDir).filter((name) => name.includes('draft') || name.endsWith('.lock'))).toEqual([]);
  });

  test('branches and their removal are held up by a killed git until the stores are cleared up, an hour later', async () => {
    const { store, files, checkpoint } = await open('run-1');
    await files.write('a.txt', 'a');
    const { sha } = await checkpoint('Save', author);
    execFileSync('git', [`--git-dir=${store.directory}`, 'pack-refs', '--all']);
    const left = ['refs/heads/main.lock', 'packed-refs.lock'].map((name) => join(store.directory, name));
    const held = join(store.directory, 'refs/heads/other.lock');
    for (const lock of [...left, held]) writeFileSync(lock, '');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const lock of left) utimesSync(lock, longAgo, longAgo);
    await workspaces.collect();
    expect([...left, held].map((lock) => existsSync(lock))).toEqual([false, false, true]);
    expect(await store.merge('main', sha, 'Merge', author)).toMatchObject({ status: 'merged' });
    await workspaces.removeTree('run-1');
    await workspaces.forget('project-1', 'run-1');
    expect(await store.head('review/run-1')).toBeNull();
  });

  test('a file that is being written is nowhere in the work, and goes when its writer has died', async () => {
    const first = await open('run-1');
    const gitDir = join(first.store.directory, 'worktrees/run-1');
    const drafts = () => readdirSync(gitDir).filter((name) => name.startsWith('draft-'));
    const hour = 3_600_000;
    async function* content() {
      yield Buffer.from('half ');
      expect((await first.diff()).files).toEqual([]);
      const [draft] = drafts();
      cpSync(join(gitDir, draft ?? ''), join(gitDir, 'draft-lost'));
      utimesSync(join(gitDir, 'draft-lost'), new Date(), new Date(Date.now() - 2 * hour));
      await new Workspaces({ directory, clock: systemClock }).open({ store: 'project-1', key: 'run-1' });
      expect(drafts()).toEqual([draft]);
      yield Buffer.from('whole');
    }
    await first.files.write('a', content());
    expect(drafts()).toEqual([]);
    expect((await first.diff()).files.map(({ path }) => path)).toEqual(['a']);
  });

  test('git tricks in the worktree neither run nor hide work', async () => {
    const workspace = await open('run-1');
    const { directory: tree } = workspace;
    const trap = join(directory, 'trap');
    const bait = `#!/bin/sh\ntouch ${trap}\n`;
    await workspace.files.write('tracked/file.txt', 'v1');
    await workspace.checkpoint('Start', author);
    // A repository with hooks and a file system monitor, in place of a tracked folder and of the worktree's own.
    for (const folder of ['nested', 'tracked', 'empty']) {
      mkdirSync(join(tree, folder), { recursive: true });
      execFileSync('git', ['init', '--quiet', join(tree, folder)]);
      writeFileSync(join(tree, folder, '.git/hooks/post-index-change'), bait, { mode: 0o755 });
      writeFileSync(join(tree, folder, '.git/config'), `[core]\n\tfsmonitor = "touch ${trap}; false"\n`);
    }
    writeFileSync(join(tree, 'nested/inner.txt'), 'inner');
    rmSync(join(tree, '.git'));
    mkdirSync(join(tree, '.git/hooks'), { recursive: true });
    writeFileSync(join(tree, '.git/hooks/post-commit'), bait, { mode: 0o755 });
    writeFileSync(join(tree, '.git/config'), `[core]\n\tfsmonitor = "touch ${trap}; false"\n\tbare = true\n`);
    writeFileSync(join(tree, '.gitattributes'), '*.txt filter=evil diff=evil merge=evil\n');
    writeFileSync(
      join(tree, '.gitmodules'),
      '[submodule "x"]\n\tpath = nested\n\turl = /etc\n\tupdate = !touch trap\n',
    );
    const { sha, isNew } = await workspace.checkpoint('Hostile', author);
    expect(isNew).toBe(true);
    const diff = await workspace.diff();
    expect(diff.files.map((file) => file.path)).toEqual([
      '.gitattributes',
      '.gitmodules',
      'nested/inner.txt',
      'tracked/file.txt',
    ]);
    await (await open('run-2')).merge(sha, 'Merge', author);
    expect(existsSync(trap)).toBe(false);
  });

  test('links are committed as links and never read', async () => {
    const workspace = await open('run-1');
    await workspace.files.write('folder/file.txt', 'inside');
    await workspace.checkpoint('Start', author);
    const outside = mkdtempSync(join(tmpdir(), 'rivulet-outside-'));
    writeFileSync(join(outside, 'file.txt'), 'host secret');
    rmSync(join(workspace.directory, 'folder'), { recursive: true });
    symlinkSync(outside, join(workspace.directory, 'folder'));
    symlinkSync(join(outside, 'file.txt'), join(workspace.directory, 'secret.txt'));
    await workspace.checkpoint('Links', author);
    const { patch, files } = await workspace.diff();
    expect(patch).not.toContain('host secret');
    expect(files.map((file) => file.path)).toEqual(['folder', 'secret.txt']);
    // A merge that writes below the link must not write through it.
    const other = await open('run-2');
    await other.files.write('folder/file.txt', 'changed');
    const { sha } = await other.checkpoint('Other', author);
    await workspace.merge(sha, 'Merge', author);
    expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('host secret');
    rmSync(outside, { recursive: true });
  });

  test('over quota nothing is committed; large files are left out and named', async () => {
    const small = await workspaces.open({
      store: 'project-1',
      key: 'run-1',
      quota: { bytes: 100_000, files: 10, fileBytes: 1000 },
    });
    writeFileSync(join(small.directory, 'large'), Buffer.alloc(2000));
    writeFileSync(join(small.directory, 'fine'), 'x');
    expect(await small.checkpoint('Some', author)).toMatchObject({ isNew: true, skipped: ['large'] });
    await expect(small.files.write('b', Buffer.alloc(1001))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    writeFileSync(join(small.directory, 'huge'), Buffer.alloc(200_000));
    await expect(small.checkpoint('More', author)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(small.files.write('c', 'tiny')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  test('ignored and rebuilt folders stay out', async () => {
    const workspace = await open('run-1');
    await workspace.files.write('.gitignore', 'build/\n');
    await workspace.files.write('build/out.js', 'x');
    await workspace.files.write('node_modules/a/index.js', 'x');
    await workspace.files.write('index.js', 'x');
    expect((await workspace.diff()).files.map((file) => file.path)).toEqual(['.gitignore', 'index.js']);
  });

  test('clones are refused but for https', async () => {
    for (const url of [`file://${directory}`, 'ssh://host/x', 'ext::sh -c touch% /tmp/x', 'http://127.0.0.1/x']) {
      await expect(workspaces.store('other').clone({ url })).rejects.toThrow();
    }
    await expect(workspaces.store('other').clone({ url: 'https://127.0.0.1:1/x.git' })).rejects.toMatchObject({
      code: 'CONNECTOR_ERROR',
    });
    expect(existsSync(workspaces.store('other').directory)).toBe(false);
  });

  test('worktrees are found on the disk, and forgetting one removes every trace of it', async () => {
    const workspace = await open('run-1');
    await open('run-2');
    expect((await workspaces.list()).map(({ key }) => key).sort()).toEqual(['run-1', 'run-2']);
    expect([await workspaces.storeOf('run-1'), await workspaces.storeOf('run-9')]).toEqual(['project-1', null]);
    await workspaces.collect();
    expect(await workspace.head()).toBe(workspace.baseSha);
    mkdirSync(`${workspace.directory}.gone-1/left`, { recursive: true });
    await workspaces.clearLeftovers();
    expect(existsSync(`${workspace.directory}.gone-1`)).toBe(false);
    await workspaces.removeTree('run-1');
    await workspaces.forget('project-1', 'run-1');
    expect(await workspace.store.head('review/run-1')).toBeNull();
    expect(existsSync(workspace.directory)).toBe(false);
  });
});

describe.skipIf(!version)('deliverable', () => {
  const hook: DeliverableHook = async (kind, target) => ({ met: target === 'known', detail: `${kind} ${target}` });
  const check = (destination: string | null, workspace: Awaited<ReturnType<typeof open>> | null) =>
    checkDeliverable({ deliverable: 'A report', destination }, workspace, hook);

  test('a file must exist, hold something and be new or changed', async () => {
    const parent = await open('run-1');
    await parent.files.write('old.md', 'before');
    await parent.checkpoint('Start', author);
    const workspace = await open('run-2', 'run-1');
    await workspace.files.write('empty.md', '');
    await workspace.files.write('report.md', 'done');
    expect(await check('file:report.md', workspace)).toMatchObject({ hasContract: true, kind: 'file', met: true });
    expect(await check('report.md', workspace)).toMatchObject({ kind: 'file', met: true });
    for (const path of ['missing.md', 'empty.md', 'old.md', '../../etc/passwd']) {
      expect(await check(`file:${path}`, workspace)).toMatchObject({ kind: 'file', met: false });
    }
  });

  test('a branch must be able to take what the run committed, and is given it', async () => {
    const workspace = await open('run-1');
    const { store } = workspace;
    const of = (target: string) => check(`branch:${target}`, workspace);
    const deliver = (target: string) => deliverBranch(`branch:${target}`, workspace, author);
    expect(await of('main')).toMatchObject({ met: false, detail: expect.stringContaining('nothing') });
    await workspace.files.write('a', '1');
    const { sha } = await workspace.checkpoint('Work', author);
    for (const target of ['main', 'releases/next', workspace.branch])
      expect(await of(target)).toMatchObject({ kind: 'branch', met: true });
    expect(await store.head('releases/next')).toBeNull();
    for (const target of ['review/run-2', '../x', 'a..b', 'x.lock', '-x', 'a b', ''])
      expect([target, (await of(target)).met, await deliver(target)]).toEqual([target, false, null]);
    for (const target of ['main', 'releases/next']) {
      expect(await deliver(target)).toMatchObject({ target, outcome: { status: 'merged' } });
      expect(await deliver(target)).toMatchObject({ outcome: { status: 'up-to-date' } });
      expect(await store.contains((await store.head(target)) ?? '', sha)).toBe(true);
    }
    const other = await open('run-2', workspace.baseSha);
    await other.files.write('a', '2');
    await other.checkpoint('Other', author);
    expect(await check('branch:main', other)).toMatchObject({ met: false, detail: expect.stringContaining('in a') });
    expect(await deliverBranch('branch:main', other, author)).toMatchObject({ outcome: { status: 'conflicts' } });
    expect(await deliverBranch('file:a', other, author)).toBeNull();
  });

  test('other kinds are the hook’s, and no contract is always met', async () => {
    expect(await check('doc:known', null)).toMatchObject({ kind: 'doc', met: true, detail: 'doc known' });
    expect(await check('task:12', null)).toMatchObject({ kind: 'task', met: false });
    expect(await checkDeliverable({ deliverable: null, destination: null }, null, hook)).toMatchObject({
      hasContract: false,
      met: true,
    });
  });
});

test('without git the cure is named', async () => {
  if (version) return;
  await expect(open('run-1')).rejects.toMatchObject({ code: 'NOT_CONFIGURED', hint: expect.stringContaining('git') });
});

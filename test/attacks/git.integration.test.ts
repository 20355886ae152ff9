// What an agent writes into its files keeps no git of the host busy, hides no work and is not interpreted.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diskUsage } from '../../sandbox/disk/disk-usage.ts';
import { processesWith } from '../../sandbox/testing/processes.ts';
import { git, gitVersion } from '../../sandbox/workspace/git.ts';
import { createIgnoring, parseIgnore } from '../../sandbox/workspace/ignore.ts';
import { Workspaces } from '../../sandbox/workspace/workspaces.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { collectOnce } from '../support/garbage.ts';

const version = await gitVersion().catch(() => null);
if (!version) console.info('skipped: git suite, because git is not installed');

const author = { name: 'run-1', email: 'run-1@rivulet.invalid' };
const hostile = `${'*a'.repeat(16)}b`;
const long = 'a'.repeat(200);
let directory: string;
let workspaces: Workspaces;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rivulet-git-attacks-'));
  workspaces = new Workspaces({ directory, clock: systemClock });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
const open = (key: string, from?: string) => workspaces.open({ store: 'project-1', key, ...(from ? { from } : {}) });

describe.skipIf(!version)('git on the host', () => {
  test('hostile ignore and attribute files delay no checkpoint, diff, merge, check out or restore', async () => {
    const parent = await open('run-1');
    const text = (mark: string) => `${'line\n'.repeat(20)}${mark}\n${'line\n'.repeat(20)}`;
    for (const folder of ['', 'sub/', 'sub/deeper/']) {
      await parent.files.write(`${folder}.gitignore`, `${hostile}\n${`${hostile}\n`.repeat(20)}*.log\n`);
      await parent.files.write(`${folder}.gitattributes`, `${hostile} text eol=crlf foo\n`.repeat(20));
      for (let index = 0; index < 10; index++) await parent.files.write(`${folder}${long}${index}`, text('one'));
    }
    await parent.files.write('noise.log', 'left out');
    const { sha } = await parent.checkpoint('Planted', author);
    const child = await open('run-2', 'run-1');
    await child.files.write(`sub/${long}0`, text('two'));
    await child.checkpoint('Changed', author);
    await parent.files.write(`${long}1`, text('three'));
    expect((await parent.merge(await child.head(), 'Merge', author)).status).toBe('merged');
    const diff = await parent.diff();
    expect(diff.files.length).toBe(36);
    expect(diff.files.map(({ path }) => path)).not.toContain('noise.log');
    await parent.restore(sha, author);
    expect((await parent.files.readText(`sub/${long}0`)).text).toBe(text('one'));
    await workspaces.collect();
  });

  test('bytes are committed as they are, whatever attributes say', async () => {
    const workspace = await open('run-1');
    await workspace.files.write('.gitattributes', '* text eol=crlf ident working-tree-encoding=UTF-16\n');
    await workspace.files.write('a.txt', '$Id$ one\r\ntwo\n');
    const { sha } = await workspace.checkpoint('Work', author);
    const { stdout } = await git(workspace.store.place, ['cat-file', 'blob', `${sha}:a.txt`]);
    expect(stdout.toString()).toBe('$Id$ one\r\ntwo\n');
    const child = await open('run-2', 'run-1');
    expect((await child.files.readText('a.txt')).text).toBe('$Id$ one\r\ntwo\n');
    expect((await child.files.readText('.gitattributes')).text).toContain('eol=crlf');
    expect((await child.checkpoint('Nothing', author)).isNew).toBe(false);
  });

  test('names that git refuses, closed folders and files, and odd names hide no other work', async () => {
    const workspace = await open('run-1');
    const root = workspace.directory;
    for (const name of ['.git ', '.GIT', 'git~1', '.git::$INDEX_ALLOCATION', 'x\\.git']) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'config'), 'x');
    }
    symlinkSync('/etc/passwd', join(root, '.gitmodules'));
    for (const name of ['"quoted"', 'line\nend', 'tab\tsep', 'back\\slash', ' space ', '-dash', 'cr\r', 'ü'])
      writeFileSync(join(root, name), name);
    symlinkSync('"a\nb', join(root, 'link'));
    mkdirSync(join(root, 'closed'));
    writeFileSync(join(root, 'closed/inside'), 'x');
    writeFileSync(join(root, 'closed/shut'), 'x', { mode: 0 });
    chmodSync(join(root, 'closed'), 0);
    const deep = Array.from({ length: 700 }, () => 'd').join('/');
    mkdirSync(join(root, deep), { recursive: true });
    writeFileSync(join(root, deep, 'file'), 'x');
    const { sha, skipped } = await workspace.checkpoint('All', author);
    const { stdout } = await git(workspace.store.place, ['ls-tree', '-r', '-z', '--name-only', sha]);
    const paths = stdout.toString().split('\0').filter(Boolean);
    expect(paths.filter((path) => path !== 'closed/shut').sort()).toEqual(
      [
        '"quoted"',
        'line\nend',
        'tab\tsep',
        'back\\slash',
        ' space ',
        '-dash',
        'cr\r',
        'ü',
        'link',
        'closed/inside',
      ].sort(),
    );
    expect(skipped).toContain('.gitmodules');
    expect(skipped.some((path) => path.startsWith('d/d/d/'))).toBe(true);
    const { stdout: target } = await git(workspace.store.place, ['cat-file', 'blob', `${sha}:link`]);
    expect(target.toString()).toBe('"a\nb');
  });

  test('what changed within the same moment, with the same size, is seen', async () => {
    const workspace = await open('run-1');
    for (let round = 0; round < 5; round++) {
      await workspace.files.write('a.txt', `round ${round}`);
      const { sha } = await workspace.checkpoint('Work', author);
      const { stdout } = await git(workspace.store.place, ['cat-file', 'blob', `${sha}:a.txt`]);
      expect(stdout.toString()).toBe(`round ${round}`);
    }
  });

  test('a file makes way for a folder, a folder for a file, and what is tracked is kept though it is ignored', async () => {
    const workspace = await open('run-1');
    const { files } = workspace;
    await files.write('one', 'file');
    await files.write('two/inside', 'file');
    await files.write('kept/node_modules/a.js', 'x');
    await files.write('build/out', 'first');
    await workspace.checkpoint('Before', author);
    await files.write('.gitignore', 'build/\n');
    await files.write('build/out', 'second');
    await files.write('build/new', 'x');
    await files.remove('one');
    await files.write('one/inside', 'now a folder');
    await files.remove('two', { isRecursive: true });
    await files.write('two', 'now a file');
    const { sha } = await workspace.checkpoint('After', author);
    const show = async (path: string) =>
      (await git(workspace.store.place, ['cat-file', 'blob', `${sha}:${path}`])).stdout.toString();
    const { stdout } = await git(workspace.store.place, ['ls-tree', '-r', '--name-only', sha]);
    expect(stdout.toString().trim().split('\n')).toEqual(['.gitignore', 'build/out', 'one/inside', 'two']);
    expect(await show('build/out')).toBe('second');
  });

  test('our reading of ignore files is git’s', () => {
    const home = join(directory, 'check');
    mkdirSync(home);
    execFileSync('git', ['init', '--quiet', home]);
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', '*', '**', '?', '/', '[ab]', '[!a]', '\\*', ' ', '.'),
      maxLength: 6,
    });
    const rule = fc
      .tuple(fc.constantFrom('', '', '!', '/'), word, fc.constantFrom('', '', '/'))
      .map((parts) => parts.join(''));
    const name = fc
      .string({ unit: fc.constantFrom('a', 'b', '*', '.'), minLength: 1, maxLength: 3 })
      .filter((one) => !/^\.+$/.test(one));
    const path = fc.array(name, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.array(path, { minLength: 1, maxLength: 8 }),
        (rules, paths) => {
          const text = `${rules.join('\n')}\n`;
          writeFileSync(join(home, '.gitignore'), text);
          const wanted = paths.map((parts) => parts.join('/'));
          const args = ['-C', home, 'check-ignore', '--no-index', '--verbose', '--non-matching', '-z', '--stdin'];
          const answer = spawnSync('git', args, { input: wanted.join('\0') })
            .stdout.toString()
            .split('\0');
          for (const [index, parts] of paths.entries()) {
            const rule = answer[index * 4 + 2] ?? '';
            expect([text, wanted[index], isIgnored(text, parts)]).toEqual([
              text,
              wanted[index],
              rule !== '' && !rule.startsWith('!'),
            ]);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test('the history of a workspace has a limit too, and what nothing leads to is packed away', async () => {
    const megabyte = 1024 * 1024;
    const quota = { bytes: 2 * megabyte, files: 100, fileBytes: 2 * megabyte };
    const workspace = await workspaces.open({ store: 'project-1', key: 'run-1', quota });
    let commits = 0;
    const fill = async () => {
      for (; commits < 20; commits++) {
        await workspace.files.write('noise', randomBytes(1.5 * megabyte));
        await workspace.checkpoint(`Noise ${commits}`, author);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(commits).toBeGreaterThan(3);
    expect((await diskUsage(workspace.store.directory)).bytes).toBeLessThan(11 * megabyte);
    await expect(workspace.diff()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  test('a large file of a child is merged within little memory, piece by piece', async () => {
    const parent = await open('run-1');
    const child = await open('run-2', 'run-1');
    const chunk = randomBytes(1024 * 1024);
    const large = async function* () {
      for (let index = 0; index < 64; index++) yield chunk;
    };
    await child.files.write('large', large());
    await child.checkpoint('Large', author);
    const little = 20 * 1024 * 1024;
    let peak = 0;
    const before = process.memoryUsage().arrayBuffers;
    const held = () => process.memoryUsage().arrayBuffers - before;
    const watch = setInterval(() => {
      // What nothing holds any more does not count.
      if (held() > little) collectOnce();
      peak = Math.max(peak, held());
    }, 1);
    expect((await parent.merge(await child.head(), 'Merge', author)).status).toBe('merged');
    clearInterval(watch);
    expect((await parent.files.info('large')).sizeBytes).toBe(64 * chunk.length);
    expect(peak).toBeLessThan(little);
  });

  test('one that takes too long ends with everything that it started, and says why', async () => {
    const mark = `7${Math.floor(Math.random() * 1e9)}`;
    const spin = git(null, ['-c', `alias.spin=!sleep ${mark} & wait`, 'spin'], {
      work: { seconds: 0.5, cpuSeconds: 60, memoryKib: 4e6 },
    });
    await expect(spin).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect.poll(() => processesWith(mark)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('the processor and memory that one may use have limits', async () => {
    const limits = { seconds: 100, cpuSeconds: 1, memoryKib: 4_000_000 };
    await expect(git(null, ['-c', 'alias.spin=!while :; do :; done', 'spin'], { work: limits })).rejects.toThrow(/./);
    const greedy = git(null, ['-c', 'alias.take=!head -c 300000000 /dev/zero | tail -n 1 | wc -c', 'take'], {
      work: { ...limits, cpuSeconds: 60, memoryKib: 200_000 },
    });
    await expect(greedy.then(({ stdout }) => Number(stdout))).resolves.toBe(0);
  });
});

/** As git decides: what is in an ignored folder is ignored too. */
function isIgnored(text: string, parts: string[]): boolean {
  const ignoring = createIgnoring();
  ignoring.enter('', parseIgnore(text));
  return parts.some((name, index) =>
    ignoring.isIgnored({ path: parts.slice(0, index + 1).join('/'), name, isFolder: index < parts.length - 1 }),
  );
}

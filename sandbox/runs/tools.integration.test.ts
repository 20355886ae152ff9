// A run at work through its tools: a program with a failing test, fixed and delivered; then a restart, and children.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunRecord } from '../../runtime/records.ts';
import { FilesChangedDto } from '../../src/groups/agent/files/dto.ts';
import { createScrub } from '../../src/groups/shares/scrubbed.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { FilesChanged } from '../../src/ports/files.ts';
import { chooseDriver } from '../drivers/choose-driver.ts';
import type { SandboxChunk } from '../output/chunk.ts';
import { testDrivers } from '../testing/drivers.ts';
import { processesWith } from '../testing/processes.ts';
import { callTool } from '../testing/tool-call.ts';
import { checkDeliverable } from '../workspace/deliverable.ts';
import { gitVersion } from '../workspace/git.ts';
import { Workspaces } from '../workspace/workspaces.ts';
import { type RunPlace, RunSandboxes } from './run-sandboxes.ts';
import { sandboxTools } from './tools.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const hasGit = await gitVersion().catch(() => null);
if (!hasGit) console.info('skipped: tools suite, because git is not installed');
const drivers = hasGit ? await testDrivers() : [];
afterAll(() => {
  for (const driver of drivers) driver.stop();
});
if (drivers.length === 0) test.skip('no sandbox driver works on this machine', () => {});

const run = { id: 1, projectId: 7, tenantId: 1, workspaceId: null, rootRunId: 1, parentRunId: null };
const child = { id: 2, projectId: 7, tenantId: 1, workspaceId: null, rootRunId: 1, parentRunId: 1 };

describe.each(drivers)('$name', ({ make, name }) => {
  let directory: string;
  let runs: RunSandboxes;
  const published: SandboxChunk[] = [];

  const start = async () =>
    new RunSandboxes({
      driver: await chooseDriver(name, [make(directory)]),
      workspaces: new Workspaces({ directory: join(directory, 'workspaces'), clock: systemClock }),
      directory,
      clock: systemClock,
      limitsOf: () => ({ commandTimeoutMs: 20_000 }),
      onChunk: (_, chunk) => published.push(chunk),
    });
  const call = (tool: string, input: unknown, who: RunPlace = run, signal?: AbortSignal) =>
    callTool(sandboxTools({ runs, commandTimeoutMs: 20_000 }), tool, input, who, signal);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rivulet-tools-'));
    published.length = 0;
    runs = await start();
  });
  afterEach(async () => {
    await runs.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('commands have the environment of their run, and nobody else sees it', async () => {
    const secret = `s3cret-${process.pid}`;
    const withEnvironment = { ...run, environmentJson: JSON.stringify({ TOKEN: secret, PATH: '/workspace' }) };
    const seen = await call('shell_exec', { command: 'echo "$TOKEN in $PATH"; ls /proc/self/fd' }, withEnvironment);
    expect(seen.content).toContain(`${secret} in /`);
    expect(seen.content).not.toContain('in /workspace');
    const busy = call('shell_exec', { command: 'echo up; until [ -e stop ]; do sleep 0.05; done' }, withEnvironment);
    await vi.waitFor(() => expect(published.map((chunk) => chunk.text).join('')).toContain('up\n'), 20_000);
    expect(processesWith(secret)).toEqual([]);
    await call('file_write', { path: 'stop', content: '' });
    expect((await busy).isError).toBe(false);
    expect((await call('shell_exec', { command: 'echo "[$TOKEN]"' })).content).toContain('[]');
  });

  test('commands are told the span that they are a part of, where there is one', async () => {
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const tools = sandboxTools({ runs, commandTimeoutMs: 20_000 });
    const ask = { command: 'echo "[$TRACEPARENT]"' };
    expect((await callTool(tools, 'shell_exec', ask, run, undefined, parent)).content).toContain(`[${parent}]`);
    expect((await callTool(tools, 'shell_exec', ask, run)).content).toContain('[]');
  });

  test('a program with a failing test is written, run, fixed and delivered', async () => {
    const written = await call('file_write', { path: 'bin/double.sh', content: 'echo $(($1 + 2))\n' });
    expect(written.set).toMatchObject({ reviewBranch: 'review/run-1', reviewWorktreePath: expect.any(String) });
    await call('file_write', {
      path: 'test.sh',
      content: '[ "$(sh bin/double.sh 4)" = 8 ] && echo ok || { echo wrong >&2; exit 1; }\n',
    });
    const failing = await call('shell_exec', { command: 'sh test.sh' });
    expect(failing).toMatchObject({
      isError: false,
      content: expect.stringMatching(/^wrong\n\[exit code 1, \d+\.\d s\]$/),
    });
    await runs.checkpoint(run, 'Failing');
    await call('file_write', { path: 'bin/double.sh', content: 'echo $(($1 * 2))\n' });
    const passing = await call('shell_exec', {
      command: 'cat double.sh; cd ..; sh test.sh > report.txt; cat report.txt',
      cwd: 'bin',
    });
    expect(passing.content).toMatch(/^echo \$\(\(\$1 \* 2\)\)\nok\n\[exit code 0/);
    expect(passing.set).toMatchObject({ sandboxContainerId: 'run-1' });
    expect((await call('file_read', { path: 'report.txt' })).content).toBe('ok\n');
    expect((await call('file_list', { recursive: true })).content).toBe(
      'bin/\nbin/double.sh\t17\nreport.txt\t3\ntest.sh\t74',
    );
    const workspace = await runs.workspace(run);
    const contract = { deliverable: 'A test report', destination: 'file:report.txt' };
    const check = await checkDeliverable(contract, workspace, () => Promise.reject(new Error('unused')));
    expect(check.met).toBe(true);
    expect((await workspace.diff()).files.map((file) => file.path)).toEqual(['bin/double.sh', 'report.txt', 'test.sh']);
    const replayed: SandboxChunk[] = [];
    for await (const item of (await runs.output(1)).read(0)) if (item.type === 'chunk') replayed.push(item.chunk);
    expect(replayed).toEqual(published);
    expect(replayed.filter((chunk) => chunk.exitCode !== null).map((chunk) => chunk.exitCode)).toEqual([1, 0]);
  });

  test('files that commands make, change and remove are told with their texts, and which command it was', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    let who: RunPlace & Pick<RunRecord, 'filesTold'> = { ...run, environmentJson: '{"DOOR":"open sesame"}' };
    const tools = () =>
      sandboxTools({ runs, commandTimeoutMs: 20_000, scrub: (text, known) => createScrub(known).text(text) });
    const told = async (callId: string, command: string) => {
      const { events = [], set } = await callTool(
        tools(),
        'shell_exec',
        { command },
        who,
        undefined,
        undefined,
        callId,
      );
      who = { ...who, ...set };
      for (const { payload } of events) FilesChangedDto.parse(payload);
      return events.map(({ toolCallId, payload }) => ({ toolCallId, ...(payload as FilesChanged) }));
    };
    await call('file_write', { path: 'a.txt', content: 'one' }, who);
    await call('file_write', { path: 'gone.txt', content: 'x' }, who);
    const make =
      `mkdir sub node_modules; echo two > a.txt; rm gone.txt; echo "$DOOR ${secret}" > sub/env; printf 'a\\0b' > blob;` +
      'echo x > node_modules/x; echo out > .gitignore; echo x > out; head -c 40000 /dev/zero | tr "\\0" y > long; ln -s / root';
    const [event] = await told('c1', make);
    expect(event).toMatchObject({ toolCallId: 'c1', by: 'shell_exec' });
    expect(event?.files).toEqual([
      { path: '.gitignore', changeType: 'Added', sizeBytes: 4, text: 'out\n' },
      { path: 'a.txt', changeType: 'Modified', sizeBytes: 4, text: 'two\n' },
      { path: 'blob', changeType: 'Added', sizeBytes: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { path: 'gone.txt', changeType: 'Deleted' },
      { path: 'long', changeType: 'Added', sizeBytes: 40_000, sha256: expect.any(String) },
      { path: 'root', changeType: 'Added', sizeBytes: 0 },
      { path: 'sub/env', changeType: 'Added', sizeBytes: 53, text: expect.not.stringMatching(/ghp_|sesame/) },
    ]);
    expect(await told('c2', 'cat a.txt; ls')).toEqual([]);
    // One of a run that has spent its room for texts is named, with its digest.
    who = { ...who, filesTold: { key: 'c2', bytes: 1024 * 1024 } };
    expect((await told('c3', 'echo more > c.txt'))[0]?.files).toEqual([
      { path: 'c.txt', changeType: 'Added', sizeBytes: 5, sha256: expect.any(String) },
    ]);
    // Another tool of the same turn.
    who = { ...who, filesTold: { key: 'c3', bytes: 0 } };
    const both = told('c4', 'echo waits; until [ -e sign ]; do sleep 0.05; done; echo made > made');
    await vi.waitFor(() => expect(published.map(({ text }) => text).join('')).toContain('waits\n'), 20_000);
    await call('file_write', { path: 'sign', content: '' }, who);
    expect((await both)[0]?.files.map(({ path }) => path)).toEqual(['made']);
    // The process dies in the middle: what the command had done is told with the next one, once.
    const abort = new AbortController();
    const ask = { command: 'echo half > half; echo up; sleep 60' };
    const cut = callTool(tools(), 'shell_exec', ask, who, abort.signal, undefined, 'c5');
    await vi.waitFor(() => expect(published.map(({ text }) => text).join('')).toContain('up\n'), 20_000);
    abort.abort(new Error('died'));
    await expect(cut).rejects.toThrow('died');
    await runs.close();
    runs = await start();
    const next = await told('c6', 'echo after > after');
    expect(next.map(({ toolCallId, wasInterrupted, files }) => [toolCallId, wasInterrupted, files[0]?.path])).toEqual([
      ['c5', true, 'half'],
      ['c6', undefined, 'after'],
    ]);
    await runs.close();
    runs = await start();
    expect(await told('c7', 'true')).toEqual([]);
  });

  test('after a restart the run goes on in the same worktree and the output goes on counting', async () => {
    await call('shell_exec', { command: 'echo before > state; echo said' });
    const { lastSeq } = await runs.output(1);
    await runs.close();
    runs = await start();
    await runs.reconcile();
    expect((await call('shell_exec', { command: 'cat state' })).content).toMatch(/^before\n/);
    expect((await runs.output(1)).lastSeq).toBeGreaterThan(lastSeq);
  });

  test('a child starts from its parent’s work and merges back', async () => {
    await call('file_write', { path: 'plan.md', content: 'step one\n' });
    await runs.checkpoint(run, 'Plan');
    expect((await call('shell_exec', { command: 'cat plan.md; echo "step two" >> plan.md' }, child)).content).toMatch(
      /^step one/,
    );
    await runs.checkpoint(child, 'Finish');
    expect(await runs.mergeIntoParent(child, run)).toMatchObject({ status: 'merged' });
    expect((await call('shell_exec', { command: 'cat plan.md' })).content).toMatch(/^step one\nstep two\n/);
    await runs.discard(child.id);
    expect(existsSync(join(directory, 'workspaces/trees/run-2'))).toBe(false);
  });

  test('cancelling ends the command; a wrong time is told', async () => {
    const abort = new AbortController();
    const sleeping = call('shell_exec', { command: 'echo started; sleep 60' }, run, abort.signal);
    while (!published.some((chunk) => chunk.text.includes('started'))) await systemClock.sleep(20);
    abort.abort(new Error('cancelled'));
    await expect(sleeping).rejects.toThrow('cancelled');
    const late = await call('shell_exec', { command: 'sleep 60', timeoutMs: 200 });
    expect(late).toMatchObject({ isError: true, content: expect.stringContaining('time limit') });
  });
});

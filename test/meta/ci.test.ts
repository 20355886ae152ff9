// The script of continuous integration, with suites that are played: its end says why whatever failed did so.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-ci-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the script; `npm` answers each of its commands by a line of shell, and else passes two tests. */
async function ci(commands: Record<string, string>, environment: Record<string, string> = {}) {
  const cases = Object.entries(commands).map(([name, command]) => `  "${name}") ${command} ;;`);
  const passed = 'printf "\\033[2m      Tests \\033[22m 2 passed (2)\\n"';
  const npm = `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\n  install) ;;\n  *) ${passed} ;;\nesac\n`;
  await writeFile(join(folder, 'npm'), npm, { mode: 0o755 });
  await writeFile(join(folder, 'apt-get'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const child = spawn(join(import.meta.dirname, '../../.ci/run'), {
    env: { HOME: folder, TMPDIR: folder, PATH: `${folder}:${process.env.PATH}`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { code, output, end: output.slice(output.search(/=== [\w-]+ failed|=== totals/)) };
}

const failure = [
  '⎯⎯⎯ Failed Tests 1 ⎯⎯⎯',
  ' FAIL  e2e  test/e2e/some.test.ts > does it',
  'AssertionError: expected 1 to be 2',
  ' Test Files  1 failed (1)',
  '      Tests  1 failed | 4 passed (5)',
];
const unhandled = [
  '⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯',
  '⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯',
  'Fault: nobody caught this',
  ' Test Files  200 passed (200)',
  '      Tests  3409 passed (3409)',
];
const saying = (lines: readonly string[]) => `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}; exit 1`;

it.each(['1', '2'])('passes when all suites do, and counts their tests (%s lanes)', async (lanes) => {
  const { code, output, end } = await ci({}, { RIVULET_CI_LANES: lanes });
  expect(end).toMatch(/install: in \d+ s, \d+ s of CPU\n[\s\S]*chaos-1: 2 passed \(2\) in \d+ s/);
  expect([code, end]).toEqual([0, expect.stringContaining('22 passed, 0 failed, 0 skipped')]);
  expect(output.match(/^=== chaos-1$/gm)).toHaveLength(1);
});

it('says which tests failed and with what, in a lane too', async () => {
  const half = 'run test:integration -- --shard=2/2';
  const { code, end } = await ci({ [half]: saying(failure), test: saying(unhandled) });
  expect(code).toBe(1);
  expect(end).toMatch(
    /=== test failed[\s\S]*Fault: nobody caught this[\s\S]*=== integration-2 failed[\s\S]*expected 1 to be 2/,
  );
  expect(end).toMatch(/test FAILED: exit 1, 3409 passed \(3409\)\n[\s\S]*integration-1: 2 passed \(2\) in/);
  expect(end).toMatch(/integration-2 FAILED: exit 1, 1 failed \| 4 passed/);
  expect(end).toMatch(/\n\d+ passed, 1 failed, 0 skipped/);
  expect(end).toContain('RIVULET_SEED=2611');
});

it('says why a step without tests failed, and that a suite ran none', async () => {
  const { code, end } = await ci({
    'run check': 'echo "src/main.ts(1,2): error TS2304"; exit 2',
    'run test:browser -- --shard=1/2': 'true',
  });
  expect(code).toBe(1);
  expect(end).toMatch(/=== check failed: exit 2\n\s*src\/main\.ts\(1,2\): error TS2304/);
  expect(end).toMatch(/browser-1 FAILED: no test ran/);
});

// Repeats the tests of a file, each time with another seed, and tells how often each failed and how to repeat it:
//   npm run test:repeat -- test/e2e/trees.test.ts 20 [options of vitest, such as -t "a title"]
// RIVULET_SEED sets the first seed; the others count up from it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Report {
  numPassedTests: number;
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** What failed in one repetition, by title; also what no test tells, such as an error nobody caught. */
type Failures = Map<string, string>;

const [file, ...rest] = process.argv.slice(2);
const times = /^\d+$/.test(rest[0] ?? '') ? Number(rest.shift()) : 10;
const first = Number(process.env.RIVULET_SEED ?? Date.now() % 1_000_000);
if (file === undefined || times === 0) {
  console.error('Say which file: npm run test:repeat -- <file> [times] [options of vitest]');
  process.exit(2);
}

const commandOf = (seed: number) =>
  `RIVULET_SEED=${seed} npx vitest run ${[file, ...rest].map((part) => (/^[\w./=:-]+$/.test(part) ? part : JSON.stringify(part))).join(' ')}`;

function repeat(seed: number): { passed: number; failures: Failures } {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-repeat-'));
  const report = join(folder, 'report.json');
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', file as string, ...rest, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { env: { ...process.env, RIVULET_SEED: String(seed) }, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const failures: Failures = new Map();
    for (const { name, message, assertionResults } of testResults) {
      for (const { fullName, status: state, failureMessages } of assertionResults)
        if (state === 'failed') failures.set(fullName, failureMessages.join('\n'));
      if (message) failures.set(name, message);
    }
    if (status !== 0 && failures.size === 0) failures.set('outside of tests', errorsOf(stdout + stderr));
    return { passed: numPassedTests, failures };
  } catch {
    return { passed: 0, failures: new Map([['vitest itself', stdout + stderr]]) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What Vitest tells of errors that no test caught; else all that it printed. */
function errorsOf(printed: string): string {
  const at = printed.indexOf('Unhandled Errors');
  return at < 0 ? printed : printed.slice(at);
}

const seeds = new Map<string, number[]>();
for (let n = 0; n < times; n++) {
  const seed = first + n;
  const { passed, failures } = repeat(seed);
  console.log(`${n + 1} of ${times}, seed ${seed}: ${passed} passed, ${failures.size} failed`);
  for (const [title, why] of failures) {
    console.log(`  ${title}\n${why.trim().replaceAll(/^/gm, '    ')}\n  again: ${commandOf(seed)}`);
    seeds.set(title, [...(seeds.get(title) ?? []), seed]);
  }
  if (passed === 0 && failures.size === 0) seeds.set('no test ran', [seed]);
}

for (const [title, failed] of seeds) console.log(`failed ${failed.length} of ${times} times: ${title}`);
if (seeds.size === 0) console.log(`none failed in ${times} repetitions, seeds ${first} to ${first + times - 1}`);
process.exit(seeds.size === 0 ? 0 : 1);

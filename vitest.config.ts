import { defineConfig } from 'vitest/config';

const further = ['**/*.integration.test.ts', '**/*.browser.test.ts', '**/*.chaos.test.ts'];
const never = ['**/node_modules/**', '**/dist/**'];
/** A shared, loaded machine may starve a test once; one that fails twice has found a fault. */
const retry = process.env.CI ? 1 : 0;
const suite = (name: string, include: string[], exclude: string[] = []) => ({
  test: { name, include, exclude: [...never, ...exclude], testTimeout: 30_000, hookTimeout: 60_000, retry },
});
const alone = (name: string, seconds: number) => ({
  test: {
    name,
    include: [`**/*.${name}.test.ts`],
    exclude: never,
    testTimeout: seconds * 1000,
    hookTimeout: 300_000,
    fileParallelism: false,
    retry,
  },
});

export default defineConfig({
  test: {
    projects: [
      suite('unit', ['src/**/*.test.ts', 'runtime/**/*.test.ts', 'sandbox/**/*.test.ts'], further),
      suite('e2e', ['test/**/*.test.ts'], further),
      alone('integration', 120),
      alone('browser', 120),
      alone('chaos', 900),
    ],
  },
});
